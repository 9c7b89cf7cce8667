// Whole builds, read back through the index and compared with an inversion by std::map.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <string>
#include <vector>

#include "build_support.hpp"
#include "tests/support.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/indexer/format/impacts.hpp"
#include "warpdex/indexer/format/index.hpp"

namespace warpdex::test {
namespace {

TEST(BuildIndex, EqualsBruteForce) {
  auto random = generator(10);
  const TemporaryFolder folder;
  for (const std::size_t count : {0, 1, 2, 31, 32, 33, 127, 128, 129, 1500}) {
    const std::vector<Document> documents = random_documents(random, count, 3000, 120);
    const Collection expected = invert(documents);
    for (const std::size_t threads : {1, 3}) {
      BuildOptions options = options_for(folder / "index");
      options.threads = threads;
      std::filesystem::remove_all(options.output);  // an empty input would not replace it
      const BuildReport report = build_from_memory(documents, options);
      EXPECT_EQ(read_index(options.output), expected);
      EXPECT_EQ(report.documents, count);
      EXPECT_EQ(report.terms, expected.lists.size());
      std::uint64_t postings = 0;
      for (const auto& [term, list] : expected.lists) postings += list.size();
      EXPECT_EQ(report.postings, postings);
      std::uint64_t tokens = 0;
      for (const std::uint32_t length : expected.lengths) tokens += length;
      EXPECT_EQ(report.tokens, tokens);
      EXPECT_EQ(report.skipped_documents, 0U);
      const IndexCounts counts = Index::open(options.output).counts();
      EXPECT_EQ(counts.documents, count);
      EXPECT_EQ(counts.tokens, tokens);
      EXPECT_EQ(counts.postings, postings);
    }
  }
}

TEST(BuildIndex, EveryCodecAndAnalyzerKeepsTheLists) {
  auto random = generator(11);
  const TemporaryFolder folder;
  const std::vector<Document> documents = random_documents(random, 700, 200, 150);
  const Collection expected = invert(documents);
  for (const auto kind :
       {CodecKind::kBitpack, CodecKind::kPfor, CodecKind::kPforBlock, CodecKind::kRice}) {
    BuildOptions options = options_for(folder / "index");
    options.codec.kind = kind;
    build_from_memory(documents, options);
    EXPECT_EQ(read_index(options.output), expected) << codec_name(kind);
    const IndexSettings settings = Index::open(options.output).settings();
    EXPECT_EQ(settings.codec, options.codec);
    EXPECT_EQ(settings.analyzer, "whitespace");
    EXPECT_EQ(settings.fields, "contents");
  }
  for (const char* analyzer : {"standard", "english"}) {  // change nothing of such words
    BuildOptions options = options_for(folder / "index");
    options.analyzer = analyzer;
    build_from_memory(documents, options);
    EXPECT_EQ(read_index(options.output), expected) << analyzer;
  }
}

TEST(BuildIndex, ImpactsAreThoseOfTheWholeCollectionForAnyThreadsAndBudget) {
  auto random = generator(17);
  const TemporaryFolder folder;
  const std::vector<Document> documents = random_documents(random, 2500, 400, 90);
  const Collection expected = invert(documents);
  std::uint64_t tokens = 0;
  for (const std::uint32_t length : expected.lengths) tokens += length;
  const ImpactQuantizer quantizer({1.2, 0.75}, {expected.lengths.size(), tokens});
  std::map<std::string, std::string> bytes;
  for (const std::size_t threads : {1, 2, 7}) {
    BuildOptions options = options_for(folder / "index");
    options.threads = threads;
    options.memory = threads * kMinBuildMemory;
    options.impacts = ImpactSettings{1.2, 0.75};
    build_from_memory(documents, options);
    const Collection found = read_index(options.output);
    ASSERT_EQ(found.lengths, expected.lengths);
    ASSERT_EQ(found.lists.size(), expected.lists.size());
    for (const auto& [term, list] : expected.lists) {
      std::vector<std::uint32_t> docids;
      std::vector<std::uint32_t> values;
      for (const auto& [docid, frequency] : list) {
        docids.push_back(docid);
        values.push_back(frequency);
      }
      quantizer.quantize(docids, values, expected.lengths, values);
      std::map<std::uint32_t, std::uint32_t> impacts;
      for (std::size_t i = 0; i < docids.size(); ++i) impacts.emplace(docids[i], values[i]);
      ASSERT_EQ(found.lists.at(term), impacts) << term;
    }
    if (threads == 1) bytes = folder_bytes(options.output);
    ASSERT_EQ(folder_bytes(options.output), bytes) << threads << " threads";
  }
}

TEST(BuildIndex, DocumentsWithoutTokensCount) {
  const TemporaryFolder folder;
  const std::vector<Document> documents{{"a", ""}, {"b", " \n"}, {"c", "x"}, {"d", ""}};
  const BuildOptions options = options_for(folder / "index");
  build_from_memory(documents, options);
  const Collection collection = read_index(options.output);
  EXPECT_EQ(collection.names, (std::vector<std::string>{"a", "b", "c", "d"}));
  EXPECT_EQ(collection.lengths, (std::vector<std::uint32_t>{0, 0, 1, 0}));
  EXPECT_EQ(collection.lists, (Lists{{"x", {{2, 1}}}}));
}

TEST(BuildIndex, WordsThatAreTooLongAreLeftOutAndCounted) {
  const TemporaryFolder folder;
  const std::string longest(65'535, 'x');
  std::vector<Document> documents{{"a", "one " + longest + "x two"},
                                  {"b", longest + " " + longest + "y " + longest + "z"},
                                  {"a", longest + "x and a repeated id"}};
  BuildOptions options = options_for(folder / "index");
  options.on_bad_document = OnBadDocument::kSkip;
  const BuildReport report = build_from_memory(documents, options);
  EXPECT_EQ(report.long_words, 3U) << "of the documents that are in the index";
  EXPECT_EQ(report.documents, 2U);
  const Collection index = read_index(options.output);
  EXPECT_EQ(index.lengths, (std::vector<std::uint32_t>{2, 1}));
  EXPECT_EQ(index.lists, (Lists{{"one", {{0, 1}}}, {"two", {{0, 1}}}, {longest, {{1, 1}}}}));
  documents[0].text.clear();
  for (int i = 0; i < 200'000; ++i) documents[0].text += "word ";  // analysed in pieces
  documents[0].text += longest + "x";
  EXPECT_EQ(build_from_memory(documents, options).long_words, 3U);
}

TEST(BuildIndex, LongDocumentsAreCountedAsOne) {
  auto random = generator(12);
  const TemporaryFolder folder;
  std::vector<Document> documents = random_documents(random, 40, 50, 100);
  for (std::size_t i = 0; i < documents.size(); i += 9) {  // many pieces each
    for (const Document& more : random_documents(random, 3000, 5000, 100)) {
      documents[i].text += more.text;
    }
    ASSERT_GT(documents[i].text.size(), 500'000U);
  }
  const BuildOptions options = options_for(folder / "index");
  build_from_memory(documents, options);
  EXPECT_EQ(read_index(options.output), invert(documents));
}

TEST(BuildIndex, SameBytesForAnyThreadsAndBudget) {
  auto random = generator(13);
  const TemporaryFolder folder;
  // Long words that hardly repeat fill the smallest budget.
  std::vector<Document> documents = random_documents(random, 3000, 5000, 100);
  for (std::size_t i = 0; i < documents.size(); ++i) {
    for (int word = 0; word < 80; ++word) {
      documents[i].text += std::to_string(random()).append(200, 'x') + ' ';
    }
  }
  std::map<std::string, std::string> first;
  std::uint64_t max_spilled = 0;
  constexpr std::uint64_t kMin = kMinBuildMemory;
  constexpr std::uint64_t kMuch = 1 << 30;
  const std::vector<std::pair<std::uint64_t, std::size_t>> ways{
      {kMin, 1}, {kMin, 3}, {kMin, 8}, {kMin * 3 / 2, 2}, {kMuch, 1}, {kMuch, 2}};
  for (const auto& [memory, threads] : ways) {
    BuildOptions options = options_for(folder / "index");
    options.threads = threads;
    options.memory = memory;
    const BuildReport report = build_from_memory(documents, options);
    max_spilled = std::max(max_spilled, report.runs_spilled);
    EXPECT_TRUE(memory < kMuch || report.runs_spilled == 0);
    auto bytes = folder_bytes(options.output);
    if (first.empty()) {
      EXPECT_EQ(read_index(options.output), invert(documents));
      first = std::move(bytes);
    } else {
      EXPECT_TRUE(bytes == first) << threads << " threads, " << memory << " bytes";
    }
  }
  EXPECT_GE(max_spilled, 4U);
}

TEST(BuildIndex, RealTextIsTheSameSpilledOrNot) {
  WARPDEX_NEEDS_DATA("ir/cacm/docs.jsonl.xz");
  const TemporaryFolder folder;
  ReaderOptions source;
  source.inputs = {(data_folder() / "ir/cacm/docs.jsonl.xz").string()};
  std::map<std::string, std::string> first;
  for (const std::size_t threads : {1, 2, 8}) {
    BuildOptions options = options_for(folder / "index");
    options.analyzer = "english";
    options.threads = threads;
    const BuildReport report = build_index(*open_documents(source), options);
    EXPECT_EQ(report.documents, 3204U);
    auto bytes = folder_bytes(options.output);
    if (first.empty()) first = bytes;
    EXPECT_TRUE(bytes == first);
  }
}

TEST(BuildIndex, StaticScoresFollowTheirDocuments) {
  const TemporaryFolder folder;
  write_file(folder / "scores", "c\t2.5\nnobody\t9\na\t0.25\nbad id\t1\n");
  BuildOptions options = options_for(folder / "index");
  options.static_scores = folder / "scores";
  options.on_bad_document = OnBadDocument::kSkip;
  const std::vector<Document> documents{{"a", "x"}, {"bad id", "x"}, {"b", "y"}, {"c", "x z"}};
  const BuildReport report = build_from_memory(documents, options);
  EXPECT_EQ(read_index(options.output).static_scores, (std::vector<float>{0.25F, 0, 2.5F}));
  EXPECT_EQ(report.static_scores_unused, 2U);
  EXPECT_TRUE(Index::open(options.output).settings().has_static_scores);

  write_file(folder / "scores", "c\t2.5\nc\t2.5\n");
  const auto before = folder_bytes(options.output);
  EXPECT_THROW(build_from_memory(documents, options), InputError);
  EXPECT_EQ(folder_bytes(options.output), before);
}

TEST(BuildIndex, ReportsProgressToTheEnd) {
  auto random = generator(14);
  const TemporaryFolder folder;
  BuildOptions options = options_for(folder / "index");
  options.threads = 4;
  BuildProgress last;
  std::atomic<int> inside{0};
  bool wrote = false;
  options.on_progress = [&](const BuildProgress& progress) {
    EXPECT_EQ(++inside, 1);
    EXPECT_TRUE(progress.stage == "writing" || (progress.stage == "reading" && !wrote));
    wrote = progress.stage == "writing";
    EXPECT_GE(progress.documents, last.documents);
    EXPECT_GE(progress.terms_written, last.terms_written);
    last = progress;
    --inside;
  };
  const BuildReport report = build_from_memory(random_documents(random, 5000, 3000, 50), options);
  EXPECT_TRUE(wrote);
  EXPECT_EQ(last.documents, 5000U);
  EXPECT_EQ(last.text_bytes, report.text_bytes);
  EXPECT_EQ(last.bytes_consumed, last.bytes_total);
  EXPECT_EQ(last.terms_written, report.terms);
  EXPECT_EQ(last.postings_written, report.postings);
  EXPECT_EQ(last.postings_total, report.postings);
}

}  // namespace
}  // namespace warpdex::test
