// Which lists are copied for a batch and with which queries, against what the definitions say of
// random batches.
#include "gpu/run/stage_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <set>

#include "tests/support.hpp"

namespace warpdex::gpu {
namespace {

constexpr std::uint32_t kShort = 100;  ///< postings of a list without blocks

/// Queries whose lists are numbered; list i has blocks unless i % 7 is 0.
std::vector<PlannedQuery> make_plans(const std::vector<std::vector<std::uint32_t>>& queries) {
  std::vector<PlannedQuery> plans;
  for (const std::vector<std::uint32_t>& lists : queries) {
    PlannedQuery& plan = plans.emplace_back();
    for (const std::uint32_t list : lists) {
      PlannedTerm& term = plan.terms.emplace_back();
      term.entry.first_block = list;
      term.entry.document_frequency = list % 7 == 0 ? kShort : 100'000;
    }
  }
  return plans;
}

std::vector<std::uint32_t> all_of(const std::vector<PlannedQuery>& plans) {
  std::vector<std::uint32_t> slots(plans.size());
  std::iota(slots.begin(), slots.end(), 0U);
  return slots;
}

std::vector<std::uint32_t> numbers_of(const std::vector<const PostingsEntry*>& lists) {
  std::vector<std::uint32_t> numbers;
  for (const PostingsEntry* list : lists) numbers.push_back(list->first_block);
  return numbers;
}

TEST(StagePlan, TakesListsThatFit) {
  const std::vector<PlannedQuery> plans = make_plans({{1, 2, 3}, {2, 3}, {3, 4, 7}, {5, 7}});
  const std::map<std::uint32_t, std::size_t> bytes{{1, 10}, {2, 50}, {3, 0}, {4, 60}, {5, 20}};
  const auto bytes_of = [&](const PostingsEntry& list) { return bytes.at(list.first_block); };
  std::vector<std::uint32_t> slots = all_of(plans);
  const StagePlan plan(plans, slots, 55, bytes_of);
  EXPECT_EQ(plan.bytes(), 80U) << "each once, and 4 is too large";
  EXPECT_EQ(slots, (std::vector<std::uint32_t>{2, 3, 0, 1}));
  EXPECT_EQ(plan.queries_of_part(slots), 1U) << "that without lists";
  EXPECT_EQ(plan.queries_of_part(std::span(slots).subspan(1)), 1U) << "20 and 60 pass 55";
  EXPECT_EQ(plan.queries_of_part(std::span(slots).subspan(2)), 1U) << "60 alone do";
  EXPECT_EQ(numbers_of(plan.lists_of(std::span(slots).subspan(2, 1))),
            (std::vector<std::uint32_t>{1}));

  slots = all_of(plans);
  const StagePlan larger(plans, slots, 80, bytes_of);
  EXPECT_EQ(slots, (std::vector<std::uint32_t>{3, 0, 1, 2}));
  EXPECT_EQ(larger.queries_of_part(slots), 3U) << "20, 10 and 50";
  EXPECT_EQ(larger.queries_of_part(std::span(slots).first(2)), 2U);
  EXPECT_EQ(numbers_of(larger.lists_of(std::span(slots).first(3))),
            (std::vector<std::uint32_t>{5, 1, 2}));

  slots = all_of(plans);
  const StagePlan none(plans, slots, 5, bytes_of);
  EXPECT_TRUE(none.is_empty());
  EXPECT_EQ(none.bytes(), 0U);
  EXPECT_EQ(slots, all_of(plans));
  EXPECT_TRUE(StagePlan().is_empty());
}

TEST(StagePlan, PartsCoverRandomBatches) {
  std::mt19937_64 random = test::generator(1);
  for (int turn = 0; turn < 200; ++turn) {
    SCOPED_TRACE(turn);
    const auto lists = static_cast<std::uint32_t>(1 + random() % 60);
    std::vector<std::vector<std::uint32_t>> queries(random() % 130);
    for (std::vector<std::uint32_t>& query : queries) {
      std::set<std::uint32_t> chosen;
      for (std::size_t i = random() % 5; i > 0; --i)
        chosen.insert(static_cast<std::uint32_t>(random() % lists));
      query.assign(chosen.begin(), chosen.end());
    }
    std::vector<std::size_t> bytes(lists);
    for (std::size_t& each : bytes) each = random() % 4 == 0 ? 0 : random() % 1000;
    const std::size_t room = random() % 2000;
    const auto is_taken = [&](std::uint32_t list) {
      return list % 7 != 0 && bytes[list] > 0 && bytes[list] <= room;
    };
    const auto largest = [&](std::uint32_t slot) {
      std::size_t most = 0;
      for (const std::uint32_t list : queries[slot]) {
        if (is_taken(list)) most = std::max(most, bytes[list]);
      }
      return most;
    };
    const auto lists_of = [&](std::span<const std::uint32_t> slots) {
      std::set<std::uint32_t> found;
      for (const std::uint32_t slot : slots) {
        std::ranges::copy_if(queries[slot], std::inserter(found, found.end()), is_taken);
      }
      return found;
    };
    const auto sum = [&](const auto& of) {
      return std::accumulate(of.begin(), of.end(), std::size_t{0},
                             [&](std::size_t all, std::uint32_t i) { return all + bytes[i]; });
    };

    const std::vector<PlannedQuery> plans = make_plans(queries);
    std::vector<std::uint32_t> slots = all_of(plans);
    const StagePlan plan(plans, slots, room,
                         [&](const PostingsEntry& list) { return bytes[list.first_block]; });
    EXPECT_TRUE(std::ranges::is_permutation(slots, all_of(plans)));
    EXPECT_EQ(plan.is_empty(), lists_of(slots).empty());
    EXPECT_EQ(plan.bytes(), sum(lists_of(slots)));
    EXPECT_TRUE(std::ranges::is_sorted(slots, {}, largest));
    for (std::span<const std::uint32_t> left = slots; !left.empty();) {
      const std::size_t count = plan.queries_of_part(left);
      ASSERT_GE(count, 1U);
      ASSERT_LE(count, left.size());
      const auto part = left.first(count);
      const std::set<std::uint32_t> wanted = lists_of(part);
      const std::vector<std::uint32_t> brought = numbers_of(plan.lists_of(part));
      EXPECT_LE(sum(brought), room);
      EXPECT_EQ(std::set(brought.begin(), brought.end()).size(), brought.size());
      EXPECT_TRUE(std::ranges::includes(wanted, std::set(brought.begin(), brought.end())));
      if (sum(wanted) <= room) {
        EXPECT_EQ(brought.size(), wanted.size());
      } else {
        EXPECT_EQ(count, 1U);
      }
      if (count < left.size()) {
        const bool is_first_with = wanted.empty() && largest(left[count]) > 0;
        EXPECT_TRUE(is_first_with || sum(lists_of(left.first(count + 1))) > room);
      }
      left = left.subspan(count);
    }
  }
}

}  // namespace
}  // namespace warpdex::gpu
