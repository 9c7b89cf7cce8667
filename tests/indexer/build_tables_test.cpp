// Tables of ids, files of static scores, the pipeline's order and errors, and cuts between pieces.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "build/document_stage.hpp"
#include "build/id_table.hpp"
#include "build/memory_plan.hpp"
#include "build/static_scores.hpp"
#include "tests/support.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/indexer/build/ordered_pipeline.hpp"

namespace warpdex::build {
namespace {

TEST(IdTable, EqualsMap) {
  auto random = test::generator(5);
  IdTable set(false);
  IdTable map(true);
  std::unordered_map<std::string, float> reference;
  EXPECT_FALSE(map.find(hash_id("0")));
  for (int i = 0; i < 200'000; ++i) {
    const std::string id = std::to_string(random() % 150'000);
    const auto value = static_cast<float>(i);
    const bool fresh = reference.emplace(id, value).second;
    ASSERT_EQ(set.insert(hash_id(id)), fresh);
    ASSERT_EQ(map.insert(hash_id(id), value), fresh);
  }
  EXPECT_EQ(set.size(), reference.size());
  for (int i = 0; i < 200'000; ++i) {
    const auto known = reference.find(std::to_string(i));
    const auto found = map.find(hash_id(std::to_string(i)));
    ASSERT_EQ(found.has_value(), known != reference.end());
    ASSERT_TRUE(!found || *found == known->second);
  }
  EXPECT_LT(set.memory(), 27 * reference.size());
}

TEST(StaticScores, ReadsValues) {
  const test::TemporaryFolder folder;
  test::write_file(folder / "scores", "a\t1.5\nb c\t0\r\n\nd\t1e-60\ne\t-0\nf\t3e38");
  const IdTable scores = read_static_scores(folder / "scores");
  EXPECT_EQ(scores.size(), 5U);
  EXPECT_EQ(scores.find(hash_id("a")), 1.5F);
  EXPECT_EQ(scores.find(hash_id("b c")), 0.0F);
  EXPECT_EQ(scores.find(hash_id("d")), 0.0F);
  EXPECT_EQ(scores.find(hash_id("e")), 0.0F);
  EXPECT_EQ(scores.find(hash_id("f")), 3e38F);
  EXPECT_FALSE(scores.find(hash_id("g")));
}

TEST(StaticScores, NamesTheLineThatIsWrong) {
  const test::TemporaryFolder folder;
  for (const char* line : {"a", "a 1", "\t1", "a\t", "a\tx", "a\t1x", "a\t-1", "a\tnan", "a\tinf",
                           "a\t1e39", "a\t1\t2", "first\t2"}) {
    test::write_file(folder / "scores", "first\t1\n" + std::string(line) + "\nlast\t1\n");
    try {
      read_static_scores(folder / "scores");
      ADD_FAILURE() << line;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("scores:2: "), std::string::npos) << error.what();
    }
  }
  EXPECT_THROW(read_static_scores(folder / "missing"), IoError);
}

struct Number {
  int value = 0;
};

void nap(int value) {
  std::this_thread::sleep_for(std::chrono::microseconds((value * 7919) % 300));
}

TEST(OrderedPipeline, FinishesInTheOrderOfTaking) {
  for (const std::size_t threads : {1, 2, 8}) {
    int next = 0;
    std::vector<int> finished;
    std::atomic<int> followed{0};
    OrderedPipeline<Number>(threads).run([&](Number& item) { return (item.value = next++) < 200; },
                                         [&](std::size_t thread, Number& item) {
                                           EXPECT_LT(thread, threads);
                                           nap(item.value);
                                         },
                                         [&](Number& item) { finished.push_back(item.value); },
                                         [&](std::size_t, Number&) { ++followed; });
    ASSERT_EQ(finished.size(), 200U);
    for (int i = 0; i < 200; ++i) EXPECT_EQ(finished[static_cast<std::size_t>(i)], i);
    EXPECT_EQ(followed, 200);
  }
}

TEST(OrderedPipeline, FirstFailureInOrderWins) {
  for (int round = 0; round < 50; ++round) {
    int next = 0;
    int finished = 0;
    try {
      OrderedPipeline<Number>(4).run([&](Number& item) { return (item.value = next++) < 100; },
                                     [&](std::size_t, Number& item) {
                                       if (item.value == 20) nap(1 + round);
                                       if (item.value >= 20)
                                         throw std::runtime_error(std::to_string(item.value));
                                     },
                                     [&](Number&) { ++finished; }, [](std::size_t, Number&) {});
      FAIL();
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "20");
    }
    EXPECT_EQ(finished, 20);
  }
}

TEST(OrderedPipeline, EndsWhereverItFails) {
  for (const int where : {0, 1, 2, 3}) {
    const auto fail_at = [&](int here, const Number& item) {
      if (here == where && item.value == 30) throw std::runtime_error("stop");
    };
    int next = 0;
    EXPECT_THROW(OrderedPipeline<Number>(3).run(
                     [&](Number& item) {
                       item.value = next++;
                       fail_at(0, item);
                       return true;
                     },
                     [&](std::size_t, Number& item) { fail_at(1, item); },
                     [&](Number& item) { fail_at(2, item); },
                     [&](std::size_t, Number& item) { fail_at(3, item); }),
                 std::runtime_error);
    EXPECT_LT(next, 1'000'000);
  }
}

TEST(Pieces, LoseNothingAndCutBetweenWords) {
  auto random = test::generator(6);
  for (const std::size_t size : {0, 1, 65'536, 131'072, 131'073, 500'000}) {
    for (const unsigned letters : {1, 2, 4, 6}) {
      std::string text(size, ' ');
      for (char& c : text) c = "a \n-\xC3z"[random() % letters];
      std::string joined;
      for_each_piece(text, [&](std::string_view piece) {
        EXPECT_FALSE(piece.empty());
        if (!joined.empty()) {
          EXPECT_TRUE(joined.back() == ' ' || joined.back() == '\n');
          EXPECT_TRUE(piece.front() == 'a' || piece.front() == 'z');
        }
        EXPECT_TRUE(letters == 1 || piece.size() <= 140'000);
        joined += piece;
      });
      EXPECT_EQ(joined, text);
    }
  }
}

TEST(MemoryPlan, StaysWithinTheBudget) {
  for (const std::uint64_t memory : {64ULL << 20, 100ULL << 20, 1ULL << 30, 1ULL << 40}) {
    for (const std::size_t threads : {1, 2, 3, 8, 64, 1000}) {
      const MemoryPlan plan = plan_memory(memory, threads);
      EXPECT_GE(plan.threads, 1U);
      EXPECT_LE(plan.threads, threads);
      EXPECT_GE(inverter_share(plan, 0), 1U << 20);
      EXPECT_GT(plan.inversion, memory / 8);
      EXPECT_LE(plan.inversion + plan.threads * plan.batch_bytes, memory);
      EXPECT_EQ(inverter_share(plan, memory), 1U << 20);  // never nothing
    }
  }
}

}  // namespace
}  // namespace warpdex::build
