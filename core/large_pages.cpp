// Advice by madvise(), where the system knows it.
#include "warpdex/core/large_pages.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

namespace warpdex {
namespace {

constexpr std::size_t kLargePagesFrom = std::size_t{16} << 20;

}  // namespace

void prefer_large_pages([[maybe_unused]] void* data, [[maybe_unused]] std::size_t bytes) noexcept {
#ifdef MADV_HUGEPAGE
  if (bytes < kLargePagesFrom) return;
  // Whole pages: a part of the last one would become a mapping of its own, and could not grow.
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const std::uintptr_t before = reinterpret_cast<std::uintptr_t>(data) % page;
  ::madvise(static_cast<char*>(data) - before, before + bytes, MADV_HUGEPAGE);
#endif
}

}  // namespace warpdex
