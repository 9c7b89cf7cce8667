// Follows links one by one: the last one, from a descriptor to its file, must not be followed.
#include "warpdex/core/storage/open_descriptor.hpp"

#include <charconv>
#include <string>
#include <system_error>
#include <vector>

namespace warpdex {
namespace {

namespace fs = std::filesystem;

constexpr int kMaxLinks = 40;  // as Linux follows

std::optional<int> descriptor_number(const std::string& name) {
  int number = 0;
  const char* const end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(name.data(), end, number);
  if (error != std::errc() || stop != end || number < 0) return std::nullopt;
  return number;
}

/// Whether a folder without links is one of descriptors: /proc/PID/fd or /proc/PID/task/TID/fd.
bool has_descriptors(const fs::path& folder) {
  const std::vector<fs::path> parts(folder.begin(), folder.end());
  if (parts.size() < 4 || parts[1] != "proc" || parts.back() != "fd") return false;
  return parts.size() == 4 || (parts.size() == 6 && parts[3] == "task");
}

bool is_of_this_process(const fs::path& folder) {
  std::error_code error;
  const fs::path own = fs::canonical("/proc/self", error);
  return !error && *std::next(folder.begin(), 2) == own.filename();
}

}  // namespace

std::optional<OpenDescriptor> open_descriptor_of(const fs::path& path) {
  fs::path at = path;
  for (int links = 0; links < kMaxLinks; ++links) {
    std::error_code error;
    const fs::path folder = fs::canonical(at.has_parent_path() ? at.parent_path() : ".", error);
    if (error) return std::nullopt;
    if (has_descriptors(folder)) {
      const std::optional<int> number = descriptor_number(at.filename());
      if (!number) return std::nullopt;
      return OpenDescriptor{*number, is_of_this_process(folder)};
    }
    const fs::path target = fs::read_symlink(folder / at.filename(), error);
    if (error) return std::nullopt;
    at = folder / target;
  }
  return std::nullopt;
}

}  // namespace warpdex
