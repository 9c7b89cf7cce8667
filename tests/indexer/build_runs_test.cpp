// Runs and their merging against std::map, with buffers and fan-ins as small as they get.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "build/run_file.hpp"
#include "build/run_store.hpp"
#include "build/term_merger.hpp"
#include "tests/support.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::build {
namespace {

using Lists = std::map<std::string, std::map<std::uint32_t, std::uint32_t>>;

Lists read_all(std::vector<std::unique_ptr<TermSource>> sources) {
  TermMerger terms(std::move(sources));
  PostingMerger postings;
  Lists lists;
  std::string last;
  while (terms.next()) {
    const std::string term(terms.term());
    EXPECT_TRUE(lists.empty() || last < term);
    last = term;
    std::vector<std::uint8_t> bytes;
    PieceSizes pieces;
    const std::uint64_t size = terms.bytes();
    terms.take(bytes, pieces);
    EXPECT_EQ(bytes.size(), size);
    postings.start(bytes.data(), pieces);
    auto& list = lists[term];
    postings.for_each([&](const PostingCursor& posting) {
      EXPECT_TRUE(list.empty() || list.rbegin()->first < posting.document) << term;
      list.emplace(posting.document, posting.frequency);
    });
  }
  return lists;
}

// Deals documents out to some inverters, in stretches, and spills now and then.
Lists spill_random(RunStore& runs, std::size_t workers, std::uint32_t documents,
                   std::mt19937_64& random) {
  std::vector<Inverter> inverters;
  for (std::size_t i = 0; i < workers; ++i) inverters.emplace_back(0);
  Lists lists;
  std::size_t worker = 0;
  for (std::uint32_t document = 0; document < documents; ++document) {
    if (random() % 10 == 0) worker = random() % workers;
    std::vector<std::string> words;
    for (int i = 0; i < 20; ++i) words.push_back(std::to_string(random() % 1000) + "t");
    words.push_back("everywhere");
    const std::vector<std::string_view> terms(words.begin(), words.end());
    std::vector<TermCount> counts;
    inverters[worker].count_terms(terms, 0, counts);
    inverters[worker].add_postings(document, counts);
    for (const std::string& word : words) ++lists[word][document];
    if (random() % 100 == 0) runs.spill(inverters[worker]);
  }
  for (Inverter& inverter : inverters) runs.spill(inverter);
  return lists;
}

TEST(RunFile, KeepsTermsAndPostingsThroughSmallBuffers) {
  const test::TemporaryFolder folder;
  auto random = test::generator(2);
  std::map<std::string, std::vector<std::uint8_t>> terms;
  for (const std::size_t size : {0, 1, 31, 32, 33, 127, 128, 129, 5000, 300'000}) {
    std::vector<std::uint8_t> bytes(size);
    for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random());
    terms[std::to_string(size) + "t"] = bytes;
    terms[std::string(1 + size % 65'535, 'u')] = bytes;
  }
  RunWriter writer(folder / "run");
  for (const auto& [term, bytes] : terms) writer.add(term, bytes);
  writer.finish();
  for (const std::size_t buffer : {64, 65, 4096, 1 << 20}) {
    RunReader reader(folder / "run", buffer);
    for (const auto& [term, bytes] : terms) {
      ASSERT_TRUE(reader.next());
      EXPECT_EQ(reader.term(), term);
      EXPECT_EQ(reader.bytes(), bytes.size());
      std::vector<std::uint8_t> read;
      reader.take(read);
      EXPECT_EQ(read, bytes);
    }
    EXPECT_FALSE(reader.next());
  }
}

TEST(RunFile, SaysThatItIsCutShort) {
  const test::TemporaryFolder folder;
  RunWriter writer(folder / "run");
  writer.add("term", std::vector<std::uint8_t>(200, 1));
  writer.finish();
  const std::string bytes = test::read_file(folder / "run");
  for (std::size_t size = 1; size < bytes.size(); ++size) {
    test::write_file(folder / "cut", bytes.substr(0, size));
    RunReader reader(folder / "cut", 64);
    std::vector<std::uint8_t> read;
    EXPECT_THROW(
        {
          reader.next();
          reader.take(read);
        },
        IoError)
        << size;
  }
}

TEST(RunFile, NamesTheFileThatItCannotCreateOrOpen) {
  const test::TemporaryFolder folder;
  EXPECT_THROW(RunWriter(folder / "missing/run"), IoError);
  EXPECT_THROW(RunReader(folder / "missing/run", 64), IoError);
}

TEST(RunFile, FullDiskIsAnError) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
  RunWriter writer("/dev/full");
  const std::vector<std::uint8_t> bytes(1 << 20);
  EXPECT_THROW(writer.add("term", bytes), IoError);
}

TEST(TermMerger, OfNothingIsEmpty) { EXPECT_TRUE(read_all({}).empty()); }

TEST(RunStore, MergesRunsOfSeveralWorkers) {
  auto random = test::generator(3);
  for (const std::size_t workers : {1, 2, 5}) {
    const test::TemporaryFolder folder;
    RunStore runs(folder.path());
    const Lists lists = spill_random(runs, workers, 2000, random);
    EXPECT_EQ(runs.spilled(), runs.size());
    EXPECT_EQ(runs.bytes_per_run(64), 64 + 2 * std::string("everywhere").size());
    EXPECT_EQ(read_all(runs.open(64)), lists);
  }
}

TEST(RunStore, MergesInPassesWhereRunsAreMany) {
  auto random = test::generator(4);
  for (const std::size_t fan_in : {2, 3, 7}) {
    const test::TemporaryFolder folder;
    RunStore runs(folder.path());
    const Lists lists = spill_random(runs, 3, 3000, random);
    ASSERT_GT(runs.size(), 7U);
    runs.merge_down(fan_in, 64);
    EXPECT_LE(runs.size(), fan_in);
    EXPECT_EQ(read_all(runs.open(64)), lists);
    const auto files = std::filesystem::directory_iterator(folder.path());
    EXPECT_EQ(std::distance(begin(files), end(files)), static_cast<std::ptrdiff_t>(runs.size()));
  }
}

TEST(RunStore, WritesNoRunForNothing) {
  const test::TemporaryFolder folder;
  RunStore runs(folder.path());
  Inverter inverter(0);
  runs.spill(inverter);
  EXPECT_EQ(runs.size(), 0U);
  EXPECT_EQ(runs.spilled(), 0U);
}

}  // namespace
}  // namespace warpdex::build
