// Memory keeps what it holds where large pages are asked for, wherever it begins and ends.
#include "warpdex/core/large_pages.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <vector>

namespace warpdex {
namespace {

TEST(LargePages, MemoryIsAsBefore) {
  constexpr std::size_t kLarge = std::size_t{16} << 20;
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, kLarge - 1, kLarge, 5 * kLarge}) {
    for (const std::size_t begin : {0U, 1U, 4095U, 4096U}) {
      std::vector<unsigned char> memory;
      memory.reserve(begin + bytes);
      prefer_large_pages(memory.data() + begin, bytes);
      memory.resize(begin + bytes, 7);
      prefer_large_pages(memory.data() + begin, bytes);
      EXPECT_TRUE(std::ranges::all_of(memory, [](unsigned char each) { return each == 7; }));
    }
  }
}

TEST(LargePages, MappedMemoryCanGrow) {
  constexpr std::size_t kBytes = (std::size_t{16} << 20) + 100;
  void* memory =
      ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  prefer_large_pages(memory, kBytes);
  memory = ::mremap(memory, kBytes, 2 * kBytes, MREMAP_MAYMOVE);
  ASSERT_NE(memory, MAP_FAILED);
  ::munmap(memory, 2 * kBytes);
}

}  // namespace
}  // namespace warpdex
