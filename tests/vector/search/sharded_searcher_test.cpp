// Tests of shards and replicas over stand-ins: merging, ties, parts of batches, and failures.
#include "warpdex/vector/search/sharded_searcher.hpp"

#include <gmock/gmock.h>

#include <atomic>
#include <mutex>
#include <new>
#include <string>
#include <typeinfo>

#include "tests/support.hpp"
#include "tests/vector/flat/plain_search.hpp"
#include "tests/vector/search/stand_in.hpp"
#include "warpdex/core/cuda/device.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/vector/search/replicated_searcher.hpp"

namespace warpdex::vector {
namespace {

using reference::expect_same;
using reference::kInfinity;
using testing::HasSubstr;
using testing::StartsWith;
using Table = std::vector<std::vector<float>>;

/// Few different distances, so that there are many ties.
Table draw_table(std::mt19937_64& random, std::size_t queries, std::size_t rows) {
  Table table(queries, std::vector<float>(rows));
  for (std::vector<float>& row : table) {
    for (float& value : row) value = static_cast<float>(random() % 12) - 4;
  }
  return table;
}

Table columns(const Table& all, std::size_t first, std::size_t last) {
  Table part;
  for (const std::vector<float>& row : all) {
    part.emplace_back(row.begin() + static_cast<std::ptrdiff_t>(first),
                      row.begin() + static_cast<std::ptrdiff_t>(last));
  }
  return part;
}

/// Cuts the rows at random places, so that some shards are empty.
std::vector<Shard> cut(std::mt19937_64& random, Metric metric, const Table& table,
                       std::size_t shards) {
  const std::size_t rows = table.front().size();
  std::vector<std::size_t> cuts{0, rows};
  while (cuts.size() < shards + 1) cuts.push_back(random() % (rows + 1));
  std::sort(cuts.begin(), cuts.end());
  std::vector<Shard> parts;
  for (std::size_t i = 0; i < shards; ++i) {
    parts.push_back({nullptr,
                     std::make_unique<StandIn>(metric, columns(table, cuts[i], cuts[i + 1])),
                     "shard " + std::to_string(i)});
  }
  return parts;
}

std::vector<float> numbers_to(std::size_t count) {
  std::vector<float> numbers(count);
  for (std::size_t i = 0; i < count; ++i) numbers[i] = static_cast<float>(i);
  return numbers;
}

void expect_as_one(const VectorSearcher& whole, const StandIn& one, std::mt19937_64& random,
                   std::size_t queries, const std::string& what) {
  ASSERT_EQ(whole.rows(), one.rows());
  ASSERT_EQ(whole.dimension(), 1U);
  ASSERT_EQ(whole.metric(), one.metric());
  RowFilter filter(one.rows());
  for (std::size_t row = 0; row < one.rows(); row += 1 + random() % 5) filter.add(row);
  const std::vector<float> asked = numbers_to(queries);
  for (const std::size_t k : {std::size_t{1}, one.rows() / 2 + 1, one.rows()}) {
    for (const RowFilter* const allowed :
         {static_cast<const RowFilter*>(nullptr), &std::as_const(filter)}) {
      expect_same(whole.nearest(asked, k, {.filter = allowed}),
                  one.nearest(asked, k, {.filter = allowed}),
                  what + ", k " + std::to_string(k) + (allowed ? ", filtered" : ""));
      expect_same(whole.within(asked, 2, {.filter = allowed}),
                  one.within(asked, 2, {.filter = allowed}), what + ", range");
    }
  }
}

TEST(ShardedSearcher, AnswersAsOneSearcherOfAllRows) {
  auto random = test::generator(1);
  for (const Metric metric : {Metric::kL2, Metric::kInnerProduct}) {
    for (const std::size_t rows : {1, 2, 31, 129}) {
      for (const std::size_t queries : {0, 1, 33, 700}) {
        const Table table = draw_table(random, std::max<std::size_t>(1, queries), rows);
        const StandIn one(metric, table);
        for (const std::size_t shards : {1, 2, 3, 8}) {
          for (const std::size_t at_once : {0, 1, 2}) {
            const ShardedSearcher whole(cut(random, metric, table, shards), at_once);
            expect_as_one(whole, one, random, queries,
                          std::to_string(rows) + " rows, " + std::to_string(shards) + " shards");
            if (testing::Test::HasFatalFailure()) return;
          }
        }
      }
    }
  }
}

TEST(ShardedSearcher, WorstDistancesAreAnswersBeforeNone) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  std::vector<Shard> shards;
  for (const float distance : {kNan, kInfinity, 3.0F}) {
    shards.push_back({nullptr, std::make_unique<StandIn>(Metric::kL2, Table{{distance}}), "one"});
  }
  const Neighbors found = ShardedSearcher(std::move(shards)).nearest(numbers_to(1), 3);
  EXPECT_THAT(found.rows, testing::ElementsAre(2, 1, 0));
  EXPECT_TRUE(std::isnan(found.distances[2]));
}

TEST(ShardedSearcher, RefusesWhatIsNoCollection) {
  EXPECT_THROW(ShardedSearcher({}), UsageError);
  EXPECT_THROW(ReplicatedSearcher({}), UsageError);
  const auto parts = [](Metric second, std::size_t rows) {
    std::vector<Shard> shards;
    shards.push_back({nullptr, std::make_unique<StandIn>(Metric::kL2, Table{{1, 2}}), "a"});
    shards.push_back(
        {nullptr, std::make_unique<StandIn>(second, Table{std::vector<float>(rows)}), "b"});
    return shards;
  };
  EXPECT_THROW(ShardedSearcher(parts(Metric::kCosine, 2)), UsageError);
  EXPECT_THROW(ReplicatedSearcher(parts(Metric::kCosine, 2)), UsageError);
  EXPECT_THROW(ReplicatedSearcher(parts(Metric::kL2, 3)), UsageError);
  const ShardedSearcher whole(parts(Metric::kL2, 3));
  const std::vector<float> query{0};
  EXPECT_THROW(whole.nearest(query, 0), UsageError);
  EXPECT_THROW(whole.nearest(query, 6), UsageError);
  EXPECT_EQ(whole.nearest(query, 5).k, 5U);
  const RowFilter other(4);
  EXPECT_THROW(whole.nearest(query, 1, {.filter = &other}), UsageError);
  EXPECT_THROW(whole.within(query, std::nanf("")), UsageError);
}

/// Shards or replicas, of which the second throws.
template <class Failure>
std::vector<Shard> with_failure(const Failure& failure) {
  std::vector<Shard> parts;
  for (const char* name : {"shard 0 on GPU 0", "shard 1 on GPU 7", "shard 2 on GPU 0"}) {
    auto one = std::make_unique<StandIn>(Metric::kL2, Table{{1, 2}, {1, 2}, {1, 2}});
    if (parts.size() == 1) one->on_search = [failure](auto) { throw failure; };
    parts.push_back({nullptr, std::move(one), name});
  }
  return parts;
}

template <class Failure>
void expect_named(const Failure& failure, const std::type_info& type) {
  const ShardedSearcher shards(with_failure(failure));
  const ReplicatedSearcher replicas(with_failure(failure));
  const std::vector<float> queries = numbers_to(3);
  for (const VectorSearcher* const one : {static_cast<const VectorSearcher*>(&shards),
                                          static_cast<const VectorSearcher*>(&replicas)}) {
    try {
      one->nearest(queries, 1);
      FAIL() << "no error";
    } catch (const std::exception& error) {
      EXPECT_EQ(typeid(error), type) << error.what();
      EXPECT_EQ(error.what(), std::string("shard 1 on GPU 7: ") + failure.what());
    }
    EXPECT_ANY_THROW(one->within(queries, 1));
  }
}

TEST(ShardedSearcher, ErrorsNameTheShardAndItsDevice) {
  expect_named(CudaError("out of memory", 2), typeid(CudaError));
  expect_named(Error("too little memory"), typeid(Error));
  expect_named(FormatError("damaged"), typeid(FormatError));
  expect_named(IoError("no disk"), typeid(IoError));
  expect_named(InputError("no input"), typeid(InputError));
  expect_named(std::bad_alloc(), typeid(Error));
  expect_named(std::runtime_error("else"), typeid(Error));
  try {
    ShardedSearcher(with_failure(CudaError("out", 2))).nearest(numbers_to(1), 1);
  } catch (const CudaError& error) {
    EXPECT_EQ(error.code(), 2);
  }
  try {
    ShardedSearcher(with_failure(UsageError("the query is bad"))).nearest(numbers_to(1), 1);
    FAIL() << "no error";
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(), "the query is bad");
  }
}

TEST(ReplicatedSearcher, AnswersAsOneOfThem) {
  auto random = test::generator(2);
  for (const std::size_t queries : {0, 1, 2, 31, 129}) {
    const Table table = draw_table(random, std::max<std::size_t>(1, queries), 40);
    const StandIn one(Metric::kL2, table);
    for (const std::size_t replicas : {1, 2, 5}) {
      std::vector<Shard> parts;
      for (std::size_t i = 0; i < replicas; ++i) {
        parts.push_back({nullptr,
                         std::make_unique<ShardedSearcher>(cut(random, Metric::kL2, table, 3)),
                         "replica"});
      }
      const ReplicatedSearcher whole(std::move(parts));
      for (int again = 0; again < 3; ++again) {
        expect_as_one(whole, one, random, queries, std::to_string(replicas) + " replicas");
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

TEST(ReplicatedSearcher, EachTakesAPartOfTheBatch) {
  std::vector<std::size_t> taken(3);
  std::vector<Shard> parts;
  for (std::size_t& own : taken) {
    auto one = std::make_unique<StandIn>(Metric::kL2, Table(9, {1, 2}));
    one->on_search = [&own](std::span<const float> queries) { own += queries.size(); };
    parts.push_back({nullptr, std::move(one), "replica"});
  }
  const ReplicatedSearcher whole(std::move(parts));
  whole.nearest(numbers_to(9), 1);
  EXPECT_THAT(taken, testing::ElementsAre(3, 3, 3));
  for (int i = 0; i < 3; ++i) whole.nearest(numbers_to(1), 1);
  EXPECT_THAT(taken, testing::ElementsAre(4, 4, 4)) << "single queries go round";
}

}  // namespace
}  // namespace warpdex::vector
