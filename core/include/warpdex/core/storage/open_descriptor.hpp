// Paths that name an open descriptor: /dev/stdout, /dev/stderr, /dev/fd/N, /proc/self/fd/N, and
// links to them. Internal.
#pragma once

#include <filesystem>
#include <optional>

namespace warpdex {

struct OpenDescriptor {
  int number;
  /// This process has it; else the path is of another process, as /proc/PID/fd/N.
  bool is_own;
};

/// What the path names; none for any other path, and where /proc is not there. Whether the
/// descriptor is open is not looked at.
std::optional<OpenDescriptor> open_descriptor_of(const std::filesystem::path& path);

}  // namespace warpdex
