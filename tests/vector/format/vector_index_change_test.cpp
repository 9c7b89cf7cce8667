// Tests of changes of an index of vectors: what they keep, threads, and what is refused.
#include "warpdex/vector/format/vector_index_change.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/support.hpp"
#include "tests/vector/collection.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/storage/manifest.hpp"
#include "warpdex/vector/format/vector_index_writer.hpp"
#include "warpdex/vector/format/verify.hpp"
#include "warpdex/vector/search/index_searcher.hpp"

namespace warpdex::vector {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

std::vector<std::int64_t> numbers_from(std::int64_t first, std::size_t count) {
  std::vector<std::int64_t> numbers(count);
  for (std::size_t i = 0; i < count; ++i) numbers[i] = first + static_cast<std::int64_t>(i);
  return numbers;
}

/// An index of `count` vectors with the ids 0, 1, 2.
void build_numbered(const fs::path& target, std::size_t count, const VectorIndexSettings& settings,
                    std::mt19937_64& random) {
  VectorIndexWriter writer(target, settings);
  writer.add(test::draw(random, count * settings.dimension));
  writer.commit(VectorIds(numbers_from(0, count)));
}

/// The ids of all answers to one query, nearest first.
std::vector<std::string> ids_of(const VectorIndex& index, const SearchOptions& options,
                                const std::vector<float>& query) {
  std::vector<std::string> ids;
  const auto searcher = search_index_on_cpu(index);
  for (const std::int32_t row : searcher->nearest(query, index.rows(), options).rows) {
    if (row >= 0) ids.push_back(index.id(static_cast<std::size_t>(row)));
  }
  return ids;
}

std::string message_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(VectorIndexChange, CodesAnswerTheSameBeforeAndAfterAMerge) {
  auto random = test::generator(901);
  const test::TemporaryFolder folder(test::place_in_memory());
  for (const Metric metric : {Metric::kL2, Metric::kInnerProduct, Metric::kCosine}) {
    const bool keeps_vectors = metric != Metric::kCosine;
    build_numbered(folder / "index", 300,
                   {.metric = metric,
                    .dimension = 12,
                    .index = vector_kind("ivf-pq"),
                    .ivf = {.lists = 9},
                    .pq = {.bytes = 6, .bits = 4, .keeps_vectors = keeps_vectors}},
                   random);
    for (int i = 0; i < 3; ++i) {
      VectorIndexChange change(folder / "index");
      change.remove(VectorIds(numbers_from(i * 70, 40)));
      change.set_ids(VectorIds(numbers_from(1000 + i * 100, 75)), KnownIds::kRefuse);
      change.add(test::draw(random, std::size_t{75} * 12));
      change.commit();
    }
    const std::vector<float> query = test::draw(random, 12);
    const VectorIndex before = VectorIndex::open(folder / "index");
    EXPECT_EQ(before.segments().size(), 4U);
    ASSERT_TRUE(merge_vector_index(folder / "index").is_changed);
    const VectorIndex after = VectorIndex::open(folder / "index");
    EXPECT_EQ(after.segments().size(), 1U);
    EXPECT_EQ(after.rows(), 300U - 120 + 225);
    EXPECT_THAT(verify_vectors(folder / "index").problems, testing::IsEmpty());
    for (const std::size_t probes : {1, 4, 9}) {
      const std::vector<std::string> ids = ids_of(before, {.probes = probes}, query);
      EXPECT_EQ(ids, ids_of(after, {.probes = probes}, query));
      if (keeps_vectors) {
        EXPECT_EQ(ids_of(before, {.probes = probes, .refine = 30}, query),
                  ids_of(after, {.probes = probes, .refine = 30}, query));
      } else {
        EXPECT_THROW(ids_of(before, {.probes = probes, .refine = 30}, query), UsageError);
      }
    }
  }
}

// Copied bytes get new checksums, and would look whole.
TEST(VectorIndexChange, AMergeDoesNotPassDamageOn) {
  auto random = test::generator(902);
  const test::TemporaryFolder folder(test::place_in_memory());
  const std::filesystem::path target = folder / "index";
  for (const VectorKind kind : {vector_kind("flat"), vector_kind("ivf-flat"), vector_kind("ivf-pq"),
                                vector_kind("xfbq"), vector_kind("ivf-xfbq")}) {
    std::filesystem::remove_all(target);
    VectorIndexSettings settings{.metric = Metric::kL2, .dimension = 8, .index = kind};
    settings.ivf.lists = 3;
    settings.pq = {.bytes = 4, .bits = 4};
    build_numbered(target, 100, settings, random);
    VectorIndexChange change(target);
    change.remove(VectorIds(numbers_from(20, 9)));
    change.commit();
    std::size_t damaged_sections = 0;
    for (const auto& entry : std::filesystem::directory_iterator(target / "segment-0")) {
      const std::string bytes = test::read_file(entry.path());
      std::string damaged = bytes;
      damaged[64] = static_cast<char>(damaged[64] ^ 1);  // behind a header of at most 64 bytes
      test::write_file(entry.path(), damaged);
      const std::string manifest = test::read_file(target / "manifest.json");
      EXPECT_FALSE(verify_vectors(target).ok()) << entry.path();
      EXPECT_THROW(merge_vector_index(target), FormatError) << entry.path();
      EXPECT_EQ(test::read_file(target / "manifest.json"), manifest);
      test::write_file(entry.path(), bytes);
      ++damaged_sections;
    }
    EXPECT_GE(damaged_sections, 2U);
    EXPECT_TRUE(merge_vector_index(target).is_changed);
  }
}

TEST(VectorIndexChange, RemovedIdsNeverReturnWhileThreadsSearch) {
  auto random = test::generator(903);
  const test::TemporaryFolder folder(test::place_in_memory());
  build_numbered(folder / "index", 400, {.metric = Metric::kL2, .dimension = 3}, random);
  std::atomic<std::int64_t> removed{0};  // ids below it
  std::atomic<bool> is_over{false};
  std::atomic<int> searches{0};
  const std::vector<float> query = test::draw(random, 3);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      while (!is_over) {
        const std::int64_t gone = removed;
        const VectorIndex index = VectorIndex::open(folder / "index");
        const std::vector<std::string> ids = ids_of(index, {}, query);
        EXPECT_EQ(ids.size(), index.live_rows());
        for (const std::string& id : ids) EXPECT_GE(std::stoll(id), gone);
        ++searches;
      }
    });
  }
  for (std::int64_t first = 0; first < 300; first += 10) {
    VectorIndexChange change(folder / "index");
    change.remove(VectorIds(numbers_from(first, 10)));
    change.commit();
    removed = first + 10;
    if (first % 90 == 0) merge_vector_index(folder / "index");
  }
  while (searches < 20) std::this_thread::yield();
  is_over = true;
  for (std::thread& thread : threads) thread.join();
}

TEST(VectorIndexChange, CommitsShareTheFilesThatStay) {
  auto random = test::generator(904);
  const test::TemporaryFolder folder(test::place_in_memory());
  build_numbered(folder / "index", 50, {.metric = Metric::kL2, .dimension = 3}, random);
  VectorIndexChange change(folder / "index");
  change.remove(VectorIds(numbers_from(0, 1)));
  const fs::path vectors = folder / "index" / "segment-0" / "vectors";
  EXPECT_EQ(fs::hard_link_count(vectors), 1U);
  const fs::path kept = folder / "kept";
  fs::create_hard_link(vectors, kept);
  change.commit();
  EXPECT_TRUE(fs::equivalent(vectors, kept));
  EXPECT_EQ(VectorIndex::open(folder / "index").live_rows(), 49U);
}

TEST(VectorIndexChange, OldIndexesOpenAndChange) {
  auto random = test::generator(905);
  const test::TemporaryFolder folder(test::place_in_memory());
  for (const VectorKind kind : {vector_kind("flat"), vector_kind("ivf-flat")}) {
    build_numbered(folder / "index", 50,
                   {.metric = Metric::kL2, .dimension = 3, .index = kind, .ivf = {.lists = 4}},
                   random);
    // What version 1 had not: commit, next_segment and counts.
    std::string text = test::read_file(folder / "index" / "manifest.json");
    const auto cut = [&](const std::string& from, const std::string& to) {
      const std::size_t begin = text.find(from);
      ASSERT_NE(begin, std::string::npos);
      text.erase(begin, text.find(to, begin) - begin);
    };
    cut("\"commit\"", "\"segments\"");
    cut("\"counts\"", "\"sections\"");
    text.replace(text.find("\"version\": 2"), 12, "\"version\": 1");
    text.erase(text.find(",\n  \"checksum\": \"", text.find("\n  ]")));
    test::write_file(folder / "index" / "manifest.json", with_checksum(text + "\n}"));
    const VectorIndex index = VectorIndex::open(folder / "index");
    EXPECT_EQ(index.rows(), 50U);
    EXPECT_EQ(index.id(7), "7");
    EXPECT_TRUE(verify_vectors(folder / "index").ok());
    VectorIndexChange change(folder / "index");
    change.remove(VectorIds(numbers_from(3, 4)));
    change.set_ids(VectorIds(numbers_from(60, 2)), KnownIds::kRefuse);
    change.add(test::draw(random, 6));
    change.commit();
    EXPECT_EQ(VectorIndex::open(folder / "index").live_rows(), 48U);
    EXPECT_TRUE(verify_vectors(folder / "index").ok());
  }
}

TEST(VectorIndexChange, PartsOfAnIndexAreNotTakenForAll) {
  auto random = test::generator(906);
  const test::TemporaryFolder folder(test::place_in_memory());
  build_numbered(folder / "index", 50, {.metric = Metric::kL2, .dimension = 3}, random);
  EXPECT_EQ(VectorIndex::open(folder / "index").flat().vectors.rows, 50U);
  VectorIndexChange change(folder / "index");
  change.remove(VectorIds(numbers_from(3, 4)));
  change.commit();
  const auto refusal = [&] {
    return message_of([&] { VectorIndex::open(folder / "index").flat(); });
  };
  EXPECT_THAT(refusal(), HasSubstr("vector merge"));
  merge_vector_index(folder / "index");
  EXPECT_EQ(VectorIndex::open(folder / "index").flat().vectors.rows, 46U);
}

TEST(VectorIndexChange, AMergeIsAdvisedWhereItHelps) {
  auto random = test::generator(908);
  const test::TemporaryFolder folder(test::place_in_memory());
  VectorIndexWriter writer(folder / "index", {.metric = Metric::kL2, .dimension = 3});
  writer.add(test::draw(random, 30));
  writer.commit();
  const auto refusal = [&] {
    return message_of([&] { VectorIndex::open(folder / "index").flat(); });
  };
  VectorIndexChange addition(folder / "index");
  addition.add(test::draw(random, 15));
  addition.commit();
  EXPECT_THAT(refusal(), HasSubstr("vector merge"));
  merge_vector_index(folder / "index");
  EXPECT_EQ(refusal(), "no error");
  // The numbers of removed rows are never used again: no merge closes the gap.
  VectorIndexChange removal(folder / "index");
  removal.remove(VectorIds(numbers_from(3, 4)));
  removal.commit();
  for (const bool is_merged : {false, true}) {
    SCOPED_TRACE(is_merged);
    EXPECT_THAT(refusal(), HasSubstr("search_index_on_cpu()"));
    EXPECT_THAT(refusal(), Not(HasSubstr("vector merge")));
    EXPECT_EQ(merge_vector_index(folder / "index").is_changed, !is_merged);
  }
}

TEST(VectorIndexChange, BadChangesGetASentenceAndChangeNothing) {
  auto random = test::generator(907);
  const test::TemporaryFolder folder(test::place_in_memory());
  build_numbered(folder / "index", 20, {.metric = Metric::kL2, .dimension = 3}, random);
  const std::string manifest = test::read_file(folder / "index" / "manifest.json");
  const auto with = [&](const std::function<void(VectorIndexChange&)>& work) {
    return message_of([&] {
      VectorIndexChange change(folder / "index");
      work(change);
      change.commit();
    });
  };
  using Change = VectorIndexChange;
  const auto ids = [](std::vector<std::int64_t> numbers) { return VectorIds(std::move(numbers)); };
  EXPECT_THAT(with([&](Change& c) { c.remove(ids({3, 20, 77})); }), HasSubstr("'20' and 1 more"));
  EXPECT_THAT(with([&](Change& c) {
                c.remove(ids({3}));
                c.remove(ids({4, 3}));
              }),
              HasSubstr("'3' is to be removed twice"));
  EXPECT_THAT(with([&](Change& c) {
                c.set_ids(ids({40, 7}), KnownIds::kRefuse);
                c.add(std::vector<float>(6));
              }),
              HasSubstr("the id '7' already"));
  EXPECT_THAT(with([&](Change& c) {
                c.set_ids(VectorIds(std::vector<std::string>{"a"}), KnownIds::kRefuse);
              }),
              HasSubstr("numbers, the new ones are texts"));
  EXPECT_THAT(with([&](Change& c) { c.add(std::vector<float>(6)); }), HasSubstr("0 ids for 2"));
  EXPECT_THAT(with([&](Change& c) {
                c.set_ids(ids({40}), KnownIds::kRefuse);
                c.add(std::vector<float>(6));
              }),
              HasSubstr("1 ids for 2 vectors"));
  EXPECT_THAT(with([&](Change& c) { c.add(std::vector<float>(4)); }), HasSubstr("3 components"));
  EXPECT_THAT(with([&](Change& c) {
                c.add(std::vector<float>{1, 2, std::nanf("")});
              }),
              HasSubstr("row 0, column 2"));
  EXPECT_EQ(with([&](Change&) {}), "no error");
  EXPECT_EQ(test::read_file(folder / "index" / "manifest.json"), manifest);
  EXPECT_TRUE(verify_vectors(folder / "index").ok());
  const VectorIndexChange first(folder / "index");
  const std::string refused = message_of([&] { const VectorIndexChange second(folder / "index"); });
  EXPECT_THAT(refused, HasSubstr(std::to_string(::getpid())));
  EXPECT_THAT(message_of([&] { const VectorIndexChange none(folder / "nothing"); }),
              HasSubstr("no index"));
  VectorIndexWriter writer(folder / "rows", {.metric = Metric::kL2, .dimension = 3});
  writer.add(test::draw(random, 30));
  writer.commit();
  EXPECT_THAT(message_of([&] {
                VectorIndexChange change(folder / "rows");
                change.set_ids(ids({4}), KnownIds::kReplace);
              }),
              HasSubstr("row numbers"));
  EXPECT_THAT(message_of([&] { VectorIndexChange(folder / "rows").remove(ids({10})); }),
              HasSubstr("'10'"));
}

}  // namespace
}  // namespace warpdex::vector
