// Recursive graph bisection: what it returns is an order, the same by any means, and a good one.
#include "reorder/bisection.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>

#include "reorder/splitter.hpp"
#include "tests/indexer/reorder/order_support.hpp"
#include "tests/support.hpp"

namespace warpdex::test {
namespace {

using reorder::bisect;

/// Of each document, whether it is in the right half.
using Sides = std::vector<std::uint8_t>;
using reorder::BisectionSettings;

void expect_permutation(std::vector<std::uint32_t> order, std::size_t count) {
  std::sort(order.begin(), order.end());
  EXPECT_EQ(order, identity(count));
}

/// The sum of d · log2(n / (d + 1)) over both halves and all terms.
double split_cost(const TermSets& documents, const Sides& is_right) {
  std::map<std::uint32_t, std::array<double, 2>> degrees;
  std::array<double, 2> sizes{};
  for (std::size_t i = 0; i < documents.size(); ++i) {
    sizes[is_right[i]] += 1;
    for (const std::uint32_t term : documents[i]) degrees[term][is_right[i]] += 1;
  }
  double cost = 0;
  for (const auto& [term, degree] : degrees) {
    for (const std::size_t half : {0, 1}) {
      cost += degree[half] * std::log2(sizes[half] / (degree[half] + 1));
    }
  }
  return cost;
}

/// Of each document of the first or the second half, by the definition: what the cost falls by when
/// it alone changes the half, whose sizes stay.
std::vector<double> gains_of(const TermSets& documents) {
  const std::size_t middle = reorder::left_half(documents.size());
  std::map<std::uint32_t, std::array<double, 2>> degrees;
  for (std::size_t i = 0; i < documents.size(); ++i) {
    for (const std::uint32_t term : documents[i]) degrees[term][i < middle ? 0 : 1] += 1;
  }
  const std::array<double, 2> sizes{static_cast<double>(middle),
                                    static_cast<double>(documents.size() - middle)};
  const auto cost = [&](const std::array<double, 2>& degree) {
    return degree[0] * std::log2(sizes[0] / (degree[0] + 1)) +
           degree[1] * std::log2(sizes[1] / (degree[1] + 1));
  };
  std::vector<double> gains;
  for (std::size_t i = 0; i < documents.size(); ++i) {
    const std::size_t from = i < middle ? 0 : 1;
    double gain = 0;
    for (const std::uint32_t term : documents[i]) {
      std::array<double, 2> degree = degrees[term];
      const double all = degree[0] + degree[1];
      if (all == 1 || all == static_cast<double>(documents.size())) continue;
      gain += cost(degree);
      degree[from] -= 1;
      degree[1 - from] += 1;
      gain -= cost(degree);
    }
    gains.push_back(gain);
  }
  return gains;
}

/// Whether `sides` is what one exchange makes of the two halves: in pairs, those with the highest
/// gains first, while a pair gains. Gains may be off by what float loses.
void expect_one_exchange(const TermSets& documents, const Sides& sides) {
  constexpr double kTolerance = 1e-3;
  const std::vector<double> gains = gains_of(documents);
  std::array<std::vector<double>, 2> all;
  std::array<std::vector<double>, 2> moved;
  for (std::size_t i = 0; i < documents.size(); ++i) {
    const std::size_t half = i < reorder::left_half(documents.size()) ? 0 : 1;
    all[half].push_back(gains[i]);
    if (sides[i] != half) moved[half].push_back(gains[i]);
  }
  ASSERT_EQ(moved[0].size(), moved[1].size());
  const std::size_t pairs = moved[0].size();
  for (const std::size_t half : {0, 1}) {
    std::sort(all[half].begin(), all[half].end(), std::greater<>());
    std::sort(moved[half].begin(), moved[half].end(), std::greater<>());
    for (std::size_t i = 0; i < pairs; ++i) {
      EXPECT_NEAR(moved[half][i], all[half][i], kTolerance);
    }
  }
  if (pairs > 0) {
    EXPECT_GT(moved[0].back() + moved[1].back(), -kTolerance);
  }
  if (pairs < all[1].size()) {
    EXPECT_LT(all[0][pairs] + all[1][pairs], kTolerance);
  }
}

Sides split(const TermSets& documents, std::uint32_t iterations, std::size_t threads) {
  const reorder::ForwardIndex forward = forward_of(documents);
  reorder::Splitter splitter(threads, iterations, [] {});
  const auto sides = splitter.split(
      {forward.offsets.data(), forward.terms.data(), {}, documents.size()}, forward.term_count);
  return {sides.begin(), sides.end()};
}

TEST(Splitter, ExchangesAsTheDefinitionSays) {
  auto random = generator(500);
  for (int round = 0; round < 50; ++round) {
    const std::size_t count = 2 + random() % 200;
    const TermSets documents = random_terms(random, count, 300, 0, 20);
    expect_one_exchange(documents, split(documents, 1, 1));
    if (HasFatalFailure() || HasNonfatalFailure()) return;
  }
}

TEST(Splitter, HalvesKeepTheirSizesAndCostLess) {
  auto random = generator(501);
  for (const std::size_t count : {2, 3, 31, 32, 33, 127, 128, 129, 4000, 5001}) {
    const TermSets documents = random_terms(random, count, 500, 1, 30);
    Sides start(count);
    for (std::size_t i = reorder::left_half(count); i < count; ++i) start[i] = 1;
    const Sides sides = split(documents, 20, 1);
    EXPECT_EQ(static_cast<std::size_t>(std::count(sides.begin(), sides.end(), 0)),
              reorder::left_half(count));
    if (count >= 31) {  // few documents may all change places at once
      EXPECT_LE(split_cost(documents, sides), split_cost(documents, start)) << count;
    }
    EXPECT_EQ(split(documents, 20, 3), sides);
  }
}

TEST(Splitter, FindsTwoClustersThatAreMixed) {
  auto random = generator(502);
  const TermSets sorted = clustered_terms(random, 2, 300);
  const std::vector<std::uint32_t> order = shuffled(random, sorted.size());
  const Sides sides = split(in_order(sorted, order), 20, 2);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < order.size(); ++i)
    wrong += sides[i] != (order[i] >= 300 ? 1 : 0) ? 1 : 0;
  EXPECT_LE(std::min(wrong, sorted.size() - wrong), 6U);
}

// Frequent enough that its logarithms are not in the table of small degrees.
TEST(Splitter, TakesTermsOfManyDocuments) {
  auto random = generator(503);
  TermSets documents(30'000);
  for (std::size_t i = 0; i < documents.size(); ++i) {
    if (random() % 2 == 0) documents[i].push_back(0);
    if (random() % 3 == 0) documents[i].push_back(1);
    documents[i].push_back(2);
  }
  Sides start(documents.size());
  std::fill(start.begin() + 15'000, start.end(), std::uint8_t{1});
  expect_one_exchange(documents, split(documents, 1, 1));
  EXPECT_LT(split_cost(documents, split(documents, 20, 1)), 0.9 * split_cost(documents, start));
}

TEST(Bisection, GivesAPermutationOfAnySize) {
  auto random = generator(504);
  for (const std::size_t count : {0, 1, 2, 3, 15, 16, 17, 31, 32, 33, 127, 128, 129, 1000}) {
    for (const std::uint32_t leaf : {1U, 16U, 32U}) {
      for (const std::size_t min_terms : {0, 1}) {
        BisectionSettings settings;
        settings.leaf = leaf;
        const TermSets documents = random_terms(random, count, 200, min_terms, 12);
        expect_permutation(bisect(forward_of(documents), settings), count);
      }
    }
  }
}

TEST(Bisection, DocumentsWithoutTermsComeLastInTheirOrder) {
  auto random = generator(505);
  for (const std::size_t count : {1, 2, 33, 500}) {
    TermSets documents = random_terms(random, count, 100, 1, 10);
    std::vector<std::uint32_t> empty;
    for (std::uint32_t i = 0; i < count; i += 1 + static_cast<std::uint32_t>(random() % 5)) {
      documents[i].clear();
      empty.push_back(i);
    }
    const std::vector<std::uint32_t> order = bisect(forward_of(documents), {});
    expect_permutation(order, count);
    EXPECT_EQ(std::vector(order.end() - static_cast<std::ptrdiff_t>(empty.size()), order.end()),
              empty);
  }
  EXPECT_EQ(bisect(forward_of(TermSets(100)), {}), identity(100));
}

TEST(Bisection, WhatSaysNothingKeepsTheOrder) {
  const TermSets one_in_all(300, {7});
  EXPECT_EQ(bisect(forward_of(one_in_all), {}), identity(300));
  TermSets all_different(300);
  for (std::uint32_t i = 0; i < 300; ++i) all_different[i] = {2 * i, 2 * i + 1};
  EXPECT_EQ(bisect(forward_of(all_different), {}), identity(300));
}

TEST(Bisection, IsTheSameByAnyMeans) {
  auto random = generator(506);
  for (const std::size_t count : {33, 1000, 6000}) {
    const TermSets documents = random_terms(random, count, 3000, 0, 40);
    const reorder::ForwardIndex forward = forward_of(documents);
    const std::vector<std::uint32_t> expected = bisect(forward, {});
    expect_permutation(expected, count);
    for (const std::size_t threads : {1, 2, 3, 8}) {
      // From one task that does all to parts that all threads share down to a few documents.
      for (const std::uint64_t task_postings : {1ULL << 40, 20'000ULL, 500ULL, 1ULL}) {
        for (const std::uint64_t memory : {~0ULL, 0ULL}) {
          BisectionSettings settings;
          settings.threads = threads;
          settings.task_postings = task_postings;
          settings.memory = memory;
          EXPECT_EQ(bisect(forward, settings), expected) << threads << ' ' << task_postings;
        }
      }
    }
  }
}

TEST(Bisection, FindsClustersThatWereShuffled) {
  auto random = generator(507);
  for (const auto& [clusters, size] : {std::pair(16, 250), std::pair(50, 100)}) {
    const TermSets sorted = clustered_terms(random, clusters, size);
    const double best = log_gap_cost(sorted, identity(sorted.size()));
    const TermSets documents = in_order(sorted, shuffled(random, sorted.size()));
    const double before = log_gap_cost(documents, identity(sorted.size()));
    const double after = log_gap_cost(documents, bisect(forward_of(documents), {}));
    EXPECT_LT(best, 0.8 * before);  // else there was nothing to be found
    EXPECT_LT(after - best, 0.1 * (before - best)) << best << ' ' << before << ' ' << after;
  }
}

TEST(Bisection, CallbacksMayCancel) {
  struct Cancelled {};
  auto random = generator(508);
  const reorder::ForwardIndex forward = forward_of(random_terms(random, 60'000, 5000, 20, 60));
  for (const std::size_t threads : {1, 3}) {
    for (const std::uint64_t task_postings : {1ULL << 40, 1ULL << 12}) {
      BisectionSettings settings;
      settings.threads = threads;
      settings.task_postings = task_postings;
      EXPECT_THROW(bisect(forward, settings, [](double) { throw Cancelled{}; }), Cancelled);
    }
  }
}

}  // namespace
}  // namespace warpdex::test
