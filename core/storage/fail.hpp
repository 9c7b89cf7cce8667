// Errors of calls that the system refused, as this folder words them. Internal.
#pragma once

#include <filesystem>
#include <string>

#include "warpdex/core/error.hpp"

namespace warpdex {

/// Throws IoError: "cannot ACTION 'PATH': " and the words for `code`, a value of errno. `advice`,
/// if there is any, follows a semicolon.
[[noreturn]] inline void fail(const std::string& action, const std::filesystem::path& path,
                              int code, const std::string& advice = "") {
  throw IoError("cannot " + action + " '" + path.string() + "': " + errno_message(code) +
                (advice.empty() ? "" : "; " + advice));
}

}  // namespace warpdex
