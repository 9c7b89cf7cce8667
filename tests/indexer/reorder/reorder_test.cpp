// Indexes with their documents in another order: the same documents, names and postings.
#include "warpdex/indexer/rewrite/rewrite.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "tests/indexer/build_support.hpp"
#include "tests/indexer/reorder/order_support.hpp"
#include "tests/support.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/indexer/format/index.hpp"
#include "warpdex/indexer/format/verify.hpp"
#include "warpdex/indexer/readers/memory_reader.hpp"

namespace warpdex::test {
namespace {

namespace fs = std::filesystem;

RewriteOptions rewriting(const fs::path& input, const fs::path& output) {
  RewriteOptions options;
  options.input = input;
  options.output = output;
  options.memory = kMinBuildMemory;
  options.threads = 1;
  return options;
}

/// What belongs to a document, whatever its docID.
struct Record {
  std::uint32_t length = 0;
  float static_score = 0;
  std::map<std::string, std::uint32_t> frequencies;
  bool operator==(const Record&) const = default;
};

std::map<std::string, Record> by_name(const Collection& collection) {
  std::map<std::string, Record> records;
  for (std::size_t i = 0; i < collection.names.size(); ++i) {
    Record& record = records[collection.names[i]];
    record.length = collection.lengths[i];
    if (!collection.static_scores.empty()) record.static_score = collection.static_scores[i];
  }
  for (const auto& [term, list] : collection.lists) {
    for (const auto& [docid, frequency] : list) {
      records.at(collection.names[docid]).frequencies[term] = frequency;
    }
  }
  return records;
}

class Reorder : public testing::Test {
 protected:
  fs::path build(const std::string& name, const std::vector<Document>& documents,
                 BuildOptions options = options_for("")) {
    options.output = folder_ / name;
    fs::remove_all(options.output);  // an empty collection replaces nothing
    build_from_memory(documents, options);
    return options.output;
  }

  fs::path static_scores(const std::vector<Document>& documents) {
    std::string scores;
    for (std::size_t i = 0; i < documents.size(); i += 3) {
      scores += documents[i].id + "\t" + std::to_string(i) + ".25\n";
    }
    write_file(folder_ / "scores", scores);
    return folder_ / "scores";
  }

  /// Also that the index verifies and that names are a permutation.
  void expect_same_documents(const fs::path& before, const fs::path& after) {
    const VerifyReport report = verify_index(after);
    EXPECT_THAT(report.problems, testing::IsEmpty());
    const Collection old_collection = read_index(before);
    const Collection new_collection = read_index(after);
    EXPECT_EQ(new_collection.names.size(), old_collection.names.size());
    EXPECT_EQ(by_name(new_collection), by_name(old_collection));
  }

  const TemporaryFolder folder_{place_in_memory()};
};

TEST_F(Reorder, DocumentsTakeAllThatIsTheirs) {
  auto random = generator(540);
  for (const std::size_t count : {0, 1, 2, 31, 32, 33, 127, 128, 129, 3000}) {
    const auto documents = random_documents(random, count, 2000, 60);
    for (const CodecKind kind :
         {CodecKind::kRice, CodecKind::kPfor, CodecKind::kPforBlock, CodecKind::kBitpack}) {
      for (const bool impacts : {false, true}) {
        BuildOptions options = options_for("");
        options.codec.kind = kind;
        if (impacts) options.impacts = ImpactSettings{1.5, 0.6};
        if (random() % 2 == 0) options.static_scores = static_scores(documents);
        const fs::path index = build("index", documents, options);
        const ReorderReport report = reorder_index(rewriting(index, folder_ / "new"), {});
        EXPECT_EQ(report.documents, count);
        expect_same_documents(index, folder_ / "new");
        const IndexSettings before = Index::open(index).settings();
        const IndexSettings after = Index::open(folder_ / "new").settings();
        EXPECT_EQ(after.impacts, before.impacts);
        EXPECT_EQ(after.codec.kind, before.codec.kind);
        EXPECT_EQ(after.has_static_scores, before.has_static_scores);
        if (HasFailure()) return;
      }
    }
  }
}

TEST_F(Reorder, EmptyDocumentsComeLastInTheirOrder) {
  auto random = generator(541);
  const auto documents = random_documents(random, 500, 300, 40);  // some of them are empty
  std::vector<std::string> empty;
  std::vector<std::string> others;
  for (const Document& document : documents) {
    (document.text.empty() ? empty : others).push_back(document.id);
  }
  ASSERT_GT(empty.size(), 10U);
  const fs::path index = build("index", documents);
  reorder_index(rewriting(index, index), {});
  const std::vector<std::string> names = read_index(index).names;
  const auto middle = names.end() - static_cast<std::ptrdiff_t>(empty.size());
  EXPECT_EQ(std::vector(middle, names.end()), empty);
  EXPECT_NE(std::vector(names.begin(), middle), others) << "nothing was reordered";
}

TEST_F(Reorder, OddCollections) {
  for (const std::vector<Document>& documents :
       {std::vector<Document>(1, {"only", ""}),
        std::vector<Document>{{"a", ""}, {"b", ""}, {"c", "word"}, {"d", ""}}}) {
    const fs::path index = build("index", documents);
    reorder_index(rewriting(index, folder_ / "new"), {});
    expect_same_documents(index, folder_ / "new");
  }
  std::vector<Document> one_in_all;
  for (int i = 0; i < 300; ++i) one_in_all.push_back({"d" + std::to_string(i), "word"});
  const fs::path index = build("index", one_in_all);
  reorder_index(rewriting(index, folder_ / "new"), {});
  EXPECT_EQ(folder_bytes(folder_ / "new"), folder_bytes(index));
}

TEST_F(Reorder, BytesDoNotDependOnThreads) {
  auto random = generator(542);
  const fs::path index = build("index", random_documents(random, 5000, 9000, 80));
  reorder_index(rewriting(index, folder_ / "one"), {});
  for (const std::size_t threads : {2, 5}) {
    RewriteOptions options = rewriting(index, folder_ / "several");
    options.threads = threads;
    options.memory = 1ULL << 30;
    reorder_index(options, {});
    EXPECT_EQ(folder_bytes(folder_ / "several"), folder_bytes(folder_ / "one"));
  }
}

TEST_F(Reorder, ABuildThatReordersGivesTheSameBytes) {
  auto random = generator(543);
  const auto documents = random_documents(random, 2000, 3000, 60);
  for (const bool impacts : {false, true}) {
    BuildOptions options = options_for("");
    options.threads = 2;
    if (impacts) options.impacts.emplace();
    options.static_scores = static_scores(documents);
    const fs::path index = build("index", documents, options);
    reorder_index(rewriting(index, folder_ / "expected"), {});
    options.output = folder_ / "built";
    const auto reader = documents_from_memory(documents);
    ReorderReport report;
    std::vector<std::string> stages;
    const BuildReport built = build_reordered_index(
        *reader, options, {},
        [&](const RewriteProgress& progress) { stages.emplace_back(progress.stage); }, report);
    EXPECT_EQ(built.documents, documents.size());
    EXPECT_EQ(report.documents, documents.size());
    EXPECT_THAT(stages, testing::IsSupersetOf({"checking", "reading lists", "writing"}));
    EXPECT_EQ(folder_bytes(folder_ / "built"), folder_bytes(folder_ / "expected"));
  }
}

TEST_F(Reorder, AnEmptyInputCostsNoIndex) {
  const fs::path index = build("index", {{"old", "an index from before"}});
  const auto before = folder_bytes(folder_.path());
  const auto reader = documents_from_memory({});
  BuildOptions options = options_for(index);
  ReorderReport report;
  EXPECT_THROW(build_reordered_index(*reader, options, {}, {}, report), InputError);
  EXPECT_EQ(folder_bytes(folder_.path()), before);
}

TEST_F(Reorder, ClustersThatWereShuffledGiveASmallIndexAgain) {
  auto random = generator(544);
  const TermSets sorted = clustered_terms(random, 40, 250);
  const auto documents = as_documents(random, sorted);
  const std::vector<std::uint32_t> order = shuffled(random, documents.size());
  BuildOptions options = options_for("");
  options.codec.kind = CodecKind::kPforBlock;
  const fs::path best = build("best", documents, options);
  const fs::path mixed = build("mixed", in_order(documents, order), options);
  reorder_index(rewriting(mixed, folder_ / "new"), {});
  expect_same_documents(mixed, folder_ / "new");

  std::map<std::string, std::uint32_t> number_of;
  for (std::uint32_t i = 0; i < documents.size(); ++i) number_of[documents[i].id] = i;
  std::vector<std::uint32_t> found;
  for (const std::string& name : read_index(folder_ / "new").names) {
    found.push_back(number_of.at(name));
  }
  const double unshuffled = log_gap_cost(sorted, identity(sorted.size()));
  const double before = log_gap_cost(sorted, order);
  EXPECT_LT(log_gap_cost(sorted, found) - unshuffled, 0.1 * (before - unshuffled));
  const auto bytes = [](const fs::path& index) {
    const Index opened = Index::open(index);
    return opened.sections().docids.size() + opened.sections().short_lists.size();
  };
  EXPECT_LT(bytes(folder_ / "new"), bytes(best) * 11 / 10);
  EXPECT_GT(bytes(mixed), bytes(best) * 13 / 10);
}

/// An index of `documents` documents, and for each of `lists` a term that so many of the first of
/// them have.
void write_lists(const fs::path& folder, std::uint32_t documents,
                 const std::vector<std::uint32_t>& lists) {
  IndexWriter writer(folder, {});
  for (std::uint32_t i = 0; i < documents; ++i) {
    writer.add_document("", static_cast<std::uint32_t>(lists.size()));
  }
  char name = 'a';
  for (const std::uint32_t length : lists) {
    writer.add_list(std::string(1, name++),
                    encode_postings({}, identity(length), std::vector<std::uint32_t>(length, 1),
                                    writer.lengths()));
  }
  writer.commit();
}

// With too little memory the rarest lists have no say, which is said; with far too little, nothing
// is done.
TEST_F(Reorder, MemoryIsKeptByLeavingOutRareLists) {
  std::vector<std::uint32_t> lists(20, 150'000);
  lists.push_back(1'000'000);
  write_lists(folder_ / "index", 1'200'000, lists);
  RewriteOptions options = rewriting(folder_ / "index", folder_ / "new");
  ReorderReport report = reorder_index(options, {});
  EXPECT_GT(report.min_list, 150'000U);
  EXPECT_EQ(report.lists_used, 1U);
  EXPECT_EQ(report.postings_used, 1'000'000U);
  EXPECT_EQ(report.postings, 4'000'000U);
  EXPECT_GT(report.memory_for_all, options.memory);
  options.memory = report.memory_for_all;
  report = reorder_index(options, {});
  EXPECT_EQ(report.min_list, 2U);
  EXPECT_EQ(report.lists_used, 21U);

  write_lists(folder_ / "index", 2'500'000, {1000});
  const auto before = folder_bytes(folder_.path());
  options.memory = kMinBuildMemory;
  try {
    reorder_index(options, {});
    ADD_FAILURE() << "was reordered";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("2500000 documents needs more memory; allow "));
  }
  EXPECT_EQ(folder_bytes(folder_.path()), before);
}

TEST_F(Reorder, RefusesWhatItCannotDo) {
  const fs::path index = build("index", {{"a", "some text"}, {"b", "other text"}});
  const auto before = folder_bytes(folder_.path());
  EXPECT_THROW(reorder_index(rewriting(folder_ / "none", folder_ / "to"), {}), IoError);
  EXPECT_THROW(reorder_index(rewriting(index, ""), {}), UsageError);
  EXPECT_THROW(reorder_index(rewriting(index, index / "deep" / "to"), {}), UsageError);
  EXPECT_THROW(reorder_index(rewriting(index, folder_.path()), {}), UsageError);
  for (const OrderSettings& settings :
       {OrderSettings{1, 16, 20}, OrderSettings{2, 0, 20}, OrderSettings{2, 16, 0}}) {
    EXPECT_THROW(reorder_index(rewriting(index, folder_ / "to"), settings), UsageError);
  }
  RewriteOptions options = rewriting(index, folder_ / "to");
  options.memory = kMinBuildMemory - 1;
  EXPECT_THROW(reorder_index(options, {}), UsageError);
  EXPECT_EQ(folder_bytes(folder_.path()), before);
}

TEST_F(Reorder, CallbacksMayCancelAtAnyStage) {
  struct Cancelled {};
  auto random = generator(546);
  const fs::path index = build("index", random_documents(random, 3000, 4000, 60));
  const auto before = folder_bytes(folder_.path());
  for (const std::string stage : {"checking", "reading lists", "writing"}) {
    RewriteOptions options = rewriting(index, index);
    options.threads = 2;
    options.on_progress = [&](const RewriteProgress& progress) {
      if (progress.stage == stage) throw Cancelled{};
    };
    EXPECT_THROW(reorder_index(options, {}), Cancelled) << stage;
    EXPECT_EQ(folder_bytes(folder_.path()), before);
  }
}

// A build that replaces the index while the writer waits for its turn must not be undone by what
// the reordering read before.
TEST_F(Reorder, WhatReplacedTheIndexMeanwhileIsNotLost) {
  const fs::path index = build("index", {{"a", "some text"}, {"b", "other text"}});
  const IndexWriter other(index, {});  // another build is under way
  EXPECT_THROW(reorder_index(rewriting(index, index), {}), IoError);
}

}  // namespace
}  // namespace warpdex::test
