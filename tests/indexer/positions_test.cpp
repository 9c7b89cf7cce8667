// Positions of words as an index holds them, against a loop over the texts.
#include "warpdex/indexer/format/positions.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <sstream>

#include "tests/indexer/build_support.hpp"
#include "tests/indexer/living/living_fixture.hpp"
#include "tests/support.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/indexer/format/postings.hpp"
#include "warpdex/indexer/format/verify.hpp"
#include "warpdex/indexer/rewrite/rewrite.hpp"

namespace warpdex::test {
namespace {

/// Of each term, its positions in each document.
using Places = std::map<std::string, std::map<std::uint32_t, std::vector<std::uint32_t>>>;

Places places_of(const std::vector<Document>& documents) {
  Places places;
  for (std::uint32_t docid = 0; docid < documents.size(); ++docid) {
    std::istringstream words(documents[docid].text);
    std::uint32_t position = 0;
    for (std::string word; words >> word;) places[word][docid].push_back(position++);
  }
  return places;
}

Places read_places(const std::filesystem::path& folder) {
  const Index index = Index::open(folder);
  Places places;
  index.for_each_term([&](std::string_view term, const PostingsEntry& entry) {
    const Postings list = read_postings(index, entry);
    std::uint64_t occurrences = 0;
    for (const std::uint32_t frequency : list.frequencies) occurrences += frequency;
    PositionReader reader(index.sections(), entry, occurrences);
    std::uint64_t begin = 0;
    for (std::size_t i = 0; i < list.docids.size(); ++i) {
      if (!entry.is_short() && i % kBlockSize == 0) {
        EXPECT_EQ(reader.start_of_block(static_cast<std::uint32_t>(i / kBlockSize)), begin);
      }
      reader.read(begin, list.frequencies[i], places[std::string(term)][list.docids[i]]);
      begin += list.frequencies[i];
    }
  });
  return places;
}

/// The texts of the lexicon; all that begin as one before did, with `passed` bytes, left out.
std::vector<std::string> read_texts(const Index& index, std::size_t passed) {
  std::vector<std::string> texts;
  for (std::uint64_t group = 0; group < index.term_groups(); ++group) {
    index.pass_terms_of_group(group, [&](std::string_view term) {
      const std::string beginning(term.substr(0, passed));
      if (passed == 0 || texts.empty() || !texts.back().starts_with(beginning)) {
        texts.emplace_back(term);
      }
      return passed;
    });
  }
  return texts;
}

void expect_texts(const Index& index) {
  std::vector<std::string> all;
  std::vector<std::string> first;
  index.for_each_term([&](std::string_view term, const PostingsEntry&) {
    all.emplace_back(term);
    if (first.empty() || first.back().substr(0, 3) != term.substr(0, 3)) first.emplace_back(term);
  });
  EXPECT_EQ(read_texts(index, 0), all);
  EXPECT_EQ(read_texts(index, 3), first);
}

BuildOptions with_positions(const std::filesystem::path& output, std::size_t threads = 1) {
  BuildOptions options = options_for(output);
  options.positions = true;
  options.threads = threads;
  return options;
}

class Positions : public testing::Test {
 protected:
  void expect_kept(const std::vector<Document>& documents) {
    build_from_memory(documents, with_positions(index_));
    EXPECT_EQ(read_places(index_), places_of(documents));
    expect_texts(Index::open(index_));
    EXPECT_THAT(verify_index(index_).problems, testing::IsEmpty());
  }

  const TemporaryFolder folder_{place_in_memory()};
  const std::filesystem::path index_ = folder_ / "index";
};

std::string repeated(const std::string& word, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += word + ' ';
  return text;
}

TEST_F(Positions, AreThoseOfRandomTexts) {
  auto random = generator(571);
  for (const std::size_t count : {1, 40, 700}) {
    expect_kept(random_documents(random, count, 3 + count / 4, 40));
  }
}

// Each word in that many documents, once in each or more often.
TEST_F(Positions, AreThoseOfListsOfAnyLength) {
  std::vector<Document> documents(4'200);
  for (std::size_t i = 0; i < documents.size(); ++i) documents[i].id = std::to_string(i);
  for (const std::size_t length : {1, 2, 63, 64, 65, 126, 127, 128, 129, 255, 256, 257, 4'200}) {
    for (std::size_t i = 0; i < length; ++i) {
      const std::string name = std::to_string(length);
      documents[i].text += "once" + name + ' ' + repeated("twice" + name, 2);
      if (i + 1 == length) documents[i].text += repeated("last" + name, length);
    }
  }
  expect_kept(documents);
}

// More than 32 blocks of positions in one document; steps of more than 16 bits.
TEST_F(Positions, AreThoseOfHugeFrequenciesAndLongDocuments) {
  std::vector<Document> documents{{"a", "far "}, {"b", "often"}, {"c", "often far"}};
  documents[0].text += repeated("often", 1'000'000) + "far often far";
  for (int i = 0; i < 130; ++i) documents.push_back({std::to_string(i), "many far"});
  documents.push_back({"z", repeated("many", 5'000) + repeated("one", 128)});
  expect_kept(documents);
}

TEST_F(Positions, AreThoseOfEmptyDocumentsAndIndexes) {
  expect_kept({});
  expect_kept({{"a", ""}, {"b", " \n"}});
  expect_kept({{"a", ""}, {"b", "x"}, {"c", ""}});
}

TEST_F(Positions, LeaveGapsForStopWords) {
  BuildOptions options = with_positions(index_);
  options.analyzer = "english";
  build_from_memory({{"a", "The ships of the sea"}}, options);
  const Places places = read_places(index_);
  EXPECT_EQ(places.at("ship").at(0), std::vector<std::uint32_t>{1});
  EXPECT_EQ(places.at("sea").at(0), std::vector<std::uint32_t>{4});
}

// A text of several pieces of analysis.
TEST_F(Positions, GoOnFromPieceToPiece) {
  BuildOptions options = with_positions(index_);
  options.analyzer = "english";
  std::string text;
  for (int i = 0; i < 40'000; ++i) text += "the w" + std::to_string(i) + " ";
  build_from_memory({{"a", text}}, options);
  const Places places = read_places(index_);
  for (std::uint32_t i = 0; i < 40'000; i += 13) {
    ASSERT_EQ(places.at("w" + std::to_string(i)).at(0), std::vector<std::uint32_t>{2 * i + 1});
  }
}

TEST_F(Positions, HaveTheSameBytesWhateverTheThreadsAndMemory) {
  auto random = generator(572);
  std::vector<Document> documents = random_documents(random, 8'000, 500, 100);
  // Long words fill the memory, so that there are runs.
  for (Document& document : documents) document.text += document.id + std::string(8'000, 'w');
  build_from_memory(documents, with_positions(index_));
  BuildOptions small = with_positions(folder_ / "small", 3);
  small.memory = kMinBuildMemory;
  EXPECT_GT(build_from_memory(documents, small).runs_spilled, 0U);
  EXPECT_EQ(checksums(folder_ / "small"), checksums(index_));
  EXPECT_EQ(read_places(folder_ / "small"), places_of(documents));
}

TEST_F(Positions, FollowTheirDocumentsIntoOtherIndexes) {
  auto random = generator(573);
  const std::vector<Document> documents = random_documents(random, 2'000, 200, 60);
  build_from_memory(documents, with_positions(index_));
  for (const CodecKind kind : {CodecKind::kRice, CodecKind::kPfor, CodecKind::kPforBlock}) {
    ConvertOptions convert;
    convert.rewrite = {
        .input = index_, .output = folder_ / "converted", .threads = 2, .on_progress = {}};
    convert.codec.kind = kind;
    convert_index(convert);
    BuildOptions options = with_positions(folder_ / "built");
    options.codec.kind = kind;
    build_from_memory(documents, options);
    EXPECT_EQ(folder_bytes(folder_ / "converted"), folder_bytes(folder_ / "built"));
    EXPECT_EQ(read_places(folder_ / "converted"), places_of(documents));
  }
  reorder_index({.input = index_, .output = folder_ / "reordered", .threads = 2, .on_progress = {}},
                {});
  const Index index = Index::open(folder_ / "reordered");
  std::vector<Document> ordered;
  for (std::uint32_t i = 0; i < documents.size(); ++i) {
    const std::string name(index.document_name(i));
    ordered.push_back(*std::ranges::find(documents, name, &Document::id));
  }
  EXPECT_EQ(read_places(folder_ / "reordered"), places_of(ordered));
  EXPECT_THAT(verify_index(folder_ / "reordered").problems, testing::IsEmpty());
}

TEST_F(Positions, AreNotThoseOfImpactsOrSparseVectors) {
  BuildOptions options = with_positions(index_);
  options.impacts = ImpactSettings{};
  EXPECT_THROW(build_from_memory({{"a", "x"}}, options), UsageError);
  build_from_memory({{"a", "x"}}, with_positions(index_));
  ConvertOptions convert;
  convert.rewrite = {.input = index_, .output = folder_ / "converted", .on_progress = {}};
  convert.impacts = ImpactSettings{};
  EXPECT_THROW(convert_index(convert), UsageError);
}

TEST_F(Positions, AreCheckedByVerify) {
  IndexSettings settings;
  settings.analyzer = "whitespace";
  settings.has_positions = true;
  IndexWriter writer(index_, settings);
  std::vector<std::uint32_t> docids;
  for (std::uint32_t i = 0; i < 300; ++i) {
    writer.add_document(std::to_string(i), 1);
    docids.push_back(i);
  }
  const std::vector<std::uint32_t> ones(300, 1);
  const std::vector<std::uint32_t> steps(300, 0);
  const ListEncoder encoder(settings, writer.lengths());
  EXPECT_THROW(encoder.encode(docids, ones, std::span(steps).first(299)), UsageError);
  EncodedPostings list = encoder.encode(docids, ones, steps);
  list.data().position_starts[1] = 127;
  writer.add_list("w", list);
  writer.commit();
  EXPECT_THAT(verify_index(index_).problems,
              testing::Contains(testing::HasSubstr("positions start elsewhere")));
}

using LivingPositions = LivingIndexTest;

// What grew and was merged has the bytes of an index that was built at once.
TEST_F(LivingPositions, HaveTheBytesOfABuildAtOnce) {
  auto random = generator(574);
  const std::vector<Document> documents = random_documents(random, 900, 150, 50);
  const auto texts = [&](std::size_t begin, std::size_t end) {
    Texts some;
    for (std::size_t i = begin; i < end; ++i) {
      some.emplace_back(documents[i].id, documents[i].text);
    }
    return some;
  };
  const auto positions = [](BuildOptions& options) { options.positions = true; };
  build(texts(0, 300), positions);
  LivingIndex index(index_);
  index.add(*reader_of(texts(300, 600)), one_thread());
  index.commit();
  for (std::size_t i = 0; i < 600; i += 7) index.remove(documents[i].id);
  index.add(*reader_of(texts(600, 900)), one_thread());
  index.commit();
  EXPECT_THAT(verify_index(index_).problems, testing::IsEmpty());
  index.merge({.all = true, .memory = kMinBuildMemory, .threads = 2});
  index.commit();
  std::vector<Document> live;
  for (std::size_t i = 0; i < documents.size(); ++i) {
    if (i >= 600 || i % 7 != 0) live.push_back(documents[i]);
  }
  EXPECT_EQ(read_places(index_), places_of(live));
  build_from_memory(live, with_positions(folder_ / "at-once"));
  EXPECT_EQ(checksums(index_), checksums(folder_ / "at-once"));
}

}  // namespace
}  // namespace warpdex::test
