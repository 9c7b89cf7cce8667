#include <gtest/gtest.h>
#include <unistd.h>

#include "warpdex/core/available_memory.hpp"

namespace warpdex {
namespace {

TEST(AvailableMemory, IsSomeOfTheMachines) {
  const auto machine = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) *
                       static_cast<std::size_t>(sysconf(_SC_PAGE_SIZE));
  EXPECT_GT(available_memory(), std::size_t{1} << 20);
  EXPECT_LE(available_memory(), machine);
}

}  // namespace
}  // namespace warpdex
