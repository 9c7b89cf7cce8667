// Linux: /proc/meminfo, and the limit of the container, if there is one.
#include "warpdex/core/available_memory.hpp"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <string>

namespace warpdex {
namespace {

/// The number behind `key` in a file of lines "key number"; without a key, the file's first.
std::optional<std::size_t> read_number(const char* path, const std::string& key) {
  std::ifstream file(path);
  std::string word;
  while (!key.empty() && file >> word && word != key) {
  }
  std::size_t number = 0;
  if (file >> number) return number;
  return {};
}

std::size_t machine_memory() {
  if (const auto kibibytes = read_number("/proc/meminfo", "MemAvailable:")) {
    return *kibibytes * 1024;
  }
  return static_cast<std::size_t>(std::max(0L, sysconf(_SC_AVPHYS_PAGES))) *
         static_cast<std::size_t>(std::max(0L, sysconf(_SC_PAGE_SIZE)));
}

}  // namespace

std::size_t available_memory() {
  const std::size_t machine = machine_memory();
  const auto limit = read_number("/sys/fs/cgroup/memory.max", "");  // "max": none
  const auto used = read_number("/sys/fs/cgroup/memory.current", "");
  if (!limit || !used) return machine;
  const std::size_t files = read_number("/sys/fs/cgroup/memory.stat", "file").value_or(0);
  const std::size_t kept = *used - std::min(*used, files);
  return std::min(machine, *limit - std::min(*limit, kept));
}

}  // namespace warpdex
