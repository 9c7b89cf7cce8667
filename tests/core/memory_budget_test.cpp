// Accounts of GPU memory: never above the limit, and back at zero in the end.
#include <thread>
#include <utility>
#include <vector>

#include "tests/support.hpp"
#include "warpdex/core/cuda/device.hpp"
#include "warpdex/core/cuda/memory_budget.hpp"

namespace warpdex {
namespace {

TEST(MemoryBudget, GivesWhatThereIsAndNoMore) {
  MemoryBudget budget(1000);
  EXPECT_TRUE(budget.try_reserve(0));
  EXPECT_TRUE(budget.try_reserve(600));
  EXPECT_FALSE(budget.try_reserve(401));
  EXPECT_FALSE(budget.try_reserve(~std::size_t{0}));
  EXPECT_TRUE(budget.try_reserve(400));
  EXPECT_EQ(budget.left(), 0U);
  budget.release(600);
  EXPECT_EQ(budget.used(), 400U);
  EXPECT_EQ(budget.left(), 600U);
}

TEST(MemoryBudget, ThreadsTogetherStayBelowTheLimit) {
  MemoryBudget budget(100);
  std::vector<std::jthread> threads;
  for (std::size_t thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&budget, thread] {
      for (int i = 0; i < 20'000; ++i) {
        const std::size_t bytes = 20 + thread * 10;
        if (!budget.try_reserve(bytes)) continue;
        ASSERT_LE(budget.used(), 100U);
        budget.release(bytes);
      }
    });
  }
  threads.clear();
  EXPECT_EQ(budget.used(), 0U);
}

TEST(MemoryBudget, WhatAPartTakesIsTakenOfTheWhole) {
  MemoryBudget whole(1000);
  MemoryBudget one(700, &whole);
  MemoryBudget other(700, &whole);
  EXPECT_TRUE(one.try_reserve(600));
  EXPECT_EQ(whole.used(), 600U);
  EXPECT_EQ(one.left(), 100U);
  EXPECT_EQ(other.left(), 400U) << "the whole has no more";
  EXPECT_FALSE(other.try_reserve(401));
  EXPECT_EQ(other.used(), 0U) << "a refusal takes nothing";
  EXPECT_EQ(whole.used(), 600U);
  EXPECT_TRUE(other.try_reserve(400));
  EXPECT_FALSE(one.try_reserve(1));
  one.release(600);
  EXPECT_EQ(whole.used(), 400U);
  EXPECT_EQ(other.left(), 300U);
}

TEST(Reservation, TakesAllOrNothingAndGivesItBack) {
  MemoryBudget budget(100);
  {
    Reservation none(budget, 101);
    EXPECT_EQ(none.bytes(), 0U);
    EXPECT_EQ(budget.used(), 0U);
    Reservation some(budget, 60);
    EXPECT_EQ(budget.used(), 60U);
    some.shrink(20);
    EXPECT_EQ(some.bytes(), 20U);
    EXPECT_EQ(budget.used(), 20U);
    none = std::move(some);
    EXPECT_EQ(none.bytes(), 20U);
    EXPECT_EQ(budget.used(), 20U);
    none.shrink(0);
    EXPECT_EQ(budget.used(), 0U);
    none = Reservation(budget, 100);
    EXPECT_EQ(budget.left(), 0U);
  }
  EXPECT_EQ(budget.used(), 0U);
}

TEST(AccountedBuffer, StandsInTheAccountWhileItLives) {
  if (device_count() == 0) GTEST_SKIP() << why_no_device();
  MemoryBudget budget(1 << 20);
  {
    AccountedBuffer first;
    EXPECT_EQ(first.size(), 0U);
    EXPECT_TRUE(first.allocate(600'000, budget, 0));
    EXPECT_EQ(first.size(), 600'000U);
    AccountedBuffer second;
    EXPECT_FALSE(second.allocate(600'000, budget, 0));
    EXPECT_EQ(second.data(), nullptr);
    EXPECT_TRUE(second.allocate(300'000, budget, 0));
    EXPECT_EQ(budget.used(), 900'000U);
    EXPECT_TRUE(first.allocate(700'000, budget, 0)) << "what it had is freed first";
    EXPECT_EQ(budget.used(), 1'000'000U);
    AccountedBuffer moved = std::move(first);
    EXPECT_EQ(moved.size(), 700'000U);
    second.reset();
    EXPECT_EQ(budget.used(), 700'000U);
  }
  EXPECT_EQ(budget.used(), 0U);
}

TEST(AccountedBuffer, MoreThanTheGpuHasDoesNotFit) {
  if (device_count() == 0) GTEST_SKIP() << why_no_device();
  MemoryBudget budget(std::size_t{1} << 50);
  AccountedBuffer buffer;
  EXPECT_FALSE(buffer.allocate(std::size_t{1} << 48, budget, 0));
  EXPECT_EQ(budget.used(), 0U);
  EXPECT_TRUE(buffer.allocate(1 << 16, budget, 0)) << "the failure leaves no error behind";
}

}  // namespace
}  // namespace warpdex
