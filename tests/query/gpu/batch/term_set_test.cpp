// Sets of a query's terms, against std::set.
#include "gpu/batch/term_set.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <vector>

#include "tests/support.hpp"

namespace warpdex::gpu {
namespace {

using TermNumbers = std::set<std::uint32_t>;

TermSet set_of(const TermNumbers& numbers) {
  TermSet set;
  for (const std::uint32_t number : numbers) set.insert(number);
  return set;
}

TermNumbers numbers_of(const TermSet& set) {
  std::vector<std::uint32_t> numbers;
  set.for_each([&](std::uint32_t number) { numbers.push_back(number); });
  EXPECT_TRUE(std::ranges::is_sorted(numbers));
  return {numbers.begin(), numbers.end()};
}

void expect_same(const TermSet& set, const TermNumbers& numbers) {
  EXPECT_EQ(numbers_of(set), numbers);
  EXPECT_EQ(set.count(), numbers.size());
  EXPECT_EQ(set.is_empty(), numbers.empty());
  if (!numbers.empty()) {
    EXPECT_EQ(set.first(), *numbers.begin());
  }
  for (std::uint32_t number = 0; number < kMaxGpuTerms; ++number) {
    ASSERT_EQ(set.contains(number), numbers.contains(number)) << number;
  }
}

TEST(TermSet, HoldsNumbersAsASetDoes) {
  std::mt19937_64 random = test::generator(1610);
  for (const std::uint32_t end : {1U, 63U, 64U, 65U, 128U, 1023U, 1024U}) {
    for (int round = 0; round < 20; ++round) {
      TermNumbers one;
      TermNumbers other;
      for (std::uint32_t number = 0; number < end; ++number) {
        if (random() % (1 + round) == 0) one.insert(number);
        if (random() % 3 == 0) other.insert(number);
      }
      const TermSet a = set_of(one);
      const TermSet b = set_of(other);
      expect_same(a, one);
      TermNumbers both;
      std::ranges::set_intersection(one, other, std::inserter(both, both.end()));
      expect_same(a & b, both);
      TermNumbers any;
      std::ranges::set_union(one, other, std::inserter(any, any.end()));
      expect_same(a | b, any);
      TermNumbers rest;
      std::ranges::set_difference(one, other, std::inserter(rest, rest.end()));
      expect_same(a - b, rest);
      EXPECT_EQ(a == b, one == other);
      TermSet copy = b;
      copy = a;
      EXPECT_TRUE(copy == a);
      copy.insert(kMaxGpuTerms - 1);
      EXPECT_EQ(copy == a, one.contains(kMaxGpuTerms - 1));
    }
  }
}

// A set that had large numbers taken out equals one that never had any.
TEST(TermSet, ComparesWhatItHolds) {
  const TermSet low = set_of({3});
  EXPECT_TRUE((set_of({3, 700}) - set_of({700})) == low);
  EXPECT_TRUE((set_of({700}) & low).is_empty());
  EXPECT_FALSE(set_of({3, 700}) == low);
}

}  // namespace
}  // namespace warpdex::gpu
