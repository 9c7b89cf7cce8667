// Errors of calls that the system refused, as this folder words them. Internal.
#pragma once

#include <cerrno>
#include <filesystem>
#include <string>

#include "warpdex/core/error.hpp"

namespace warpdex {

/// Whether a call failed for want of room: the disk is full, or a quota or a limit of a file's size
/// is reached.
inline bool is_lack_of_room(int code) { return code == ENOSPC || code == EDQUOT || code == EFBIG; }

/// Throws IoError: "cannot ACTION 'PATH': " and the words for `code`, a value of errno. `advice`,
/// if there is any, follows a semicolon; without it, where there was no room, the advice is to make
/// some.
[[noreturn]] inline void fail(const std::string& action, const std::filesystem::path& path,
                              int code, std::string advice = "") {
  if (advice.empty() && is_lack_of_room(code)) advice = "make room there";
  throw IoError("cannot " + action + " '" + path.string() + "': " + errno_message(code) +
                (advice.empty() ? "" : "; " + advice));
}

}  // namespace warpdex
