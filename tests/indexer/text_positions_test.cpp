// Positions of some text fields and not of others, against a loop over the texts.
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "tests/indexer/build_support.hpp"
#include "tests/support.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/indexer/format/positions.hpp"
#include "warpdex/indexer/format/postings.hpp"
#include "warpdex/indexer/format/section_names.hpp"
#include "warpdex/indexer/format/text_fields.hpp"
#include "warpdex/indexer/format/verify.hpp"
#include "warpdex/indexer/rewrite/rewrite.hpp"

namespace warpdex::test {
namespace {

using testing::IsEmpty;

/// Of each term with its field's mark, its frequency in each document and, where its field has
/// them, its positions there.
struct PlacesInDocument {
  std::uint32_t frequency = 0;
  std::vector<std::uint32_t> positions;
  bool operator==(const PlacesInDocument&) const = default;
};
using TextPlaces = std::map<std::string, std::map<std::uint32_t, PlacesInDocument>>;

TextPlaces places_in_texts(const std::vector<Document>& documents, const std::vector<bool>& has) {
  TextPlaces places;
  for (std::uint32_t docid = 0; docid < documents.size(); ++docid) {
    for (std::size_t text = 0; text < has.size(); ++text) {
      std::istringstream words(documents[docid].texts[text]);
      std::uint32_t position = 0;
      for (std::string word; words >> word; ++position) {
        PlacesInDocument& here = places[field_mark(text) + word][docid];
        ++here.frequency;
        if (has[text]) here.positions.push_back(position);
      }
    }
  }
  return places;
}

/// What an index holds.
TextPlaces places_in_index(const std::filesystem::path& folder) {
  const Index index = Index::open(folder);
  const PositionedTexts positioned(index.settings());
  TextPlaces places;
  index.for_each_term([&](std::string_view term, const PostingsEntry& entry) {
    const Postings list = read_postings(index, entry);
    const bool has = positioned.has(entry.field);
    std::vector<std::uint32_t> steps;
    if (has) steps = read_steps(index, entry, list.frequencies);
    auto step = steps.cbegin();
    for (std::size_t i = 0; i < list.docids.size(); ++i) {
      PlacesInDocument& here = places[std::string(term)][list.docids[i]];
      here.frequency = list.frequencies[i];
      if (!has) continue;
      here.positions.resize(here.frequency);
      std::partial_sum(step, step + here.frequency, here.positions.begin());
      step += here.frequency;
    }
  });
  return places;
}

/// Whether lookups of terms find the positions that a walk does.
void expect_lookups(const std::filesystem::path& folder) {
  const Index index = Index::open(folder);
  index.for_each_term([&](std::string_view term, const PostingsEntry& walked) {
    const PostingsEntry entry = index.find(term).value();
    EXPECT_EQ(entry.first_position_start, walked.first_position_start);
    EXPECT_EQ(entry.first_position_block, walked.first_position_block);
    EXPECT_EQ(entry.first_position_base, walked.first_position_base);
    EXPECT_EQ(entry.position_offset, walked.position_offset);
    EXPECT_EQ(entry.single_position, walked.single_position);
  });
}

/// Texts of rare words, and of words whose lists have lengths around those where their form
/// changes.
std::vector<Document> documents_of_texts(std::mt19937_64& random, std::size_t count,
                                         std::size_t texts) {
  std::vector<Document> documents(count);
  for (std::size_t i = 0; i < count; ++i) {
    documents[i].id = "d" + std::to_string(i);
    for (std::size_t text = 0; text < texts; ++text) {
      std::vector<std::string> words;
      for (std::size_t length : {1, 2, 31, 32, 33, 127, 128, 129, 256, 257, 4'097}) {
        const bool is_often = random() % 50 == 0;
        for (std::size_t times = 1 + random() % (is_often ? 200 : 2); i < length && times > 0;
             --times) {
          words.push_back("n" + std::to_string(length));
        }
      }
      for (std::size_t more = random() % 5; more > 0; --more) {
        words.push_back("w" + std::to_string(random() % 300));
      }
      std::ranges::shuffle(words, random);
      documents[i].texts.emplace_back();
      for (const std::string& word : words) documents[i].texts.back() += word + " ";
    }
  }
  return documents;
}

Schema schema_with(const std::vector<bool>& positions) {
  Schema schema;
  for (std::size_t i = 0; i < positions.size(); ++i) {
    schema.fields.push_back({.name = "f" + std::to_string(i), .positions = positions[i]});
  }
  return schema;
}

class TextPositions : public testing::Test {
 protected:
  BuildReport build(const std::vector<Document>& documents, const std::vector<bool>& positions,
                    const std::filesystem::path& output, CodecKind codec = CodecKind::kBitpack,
                    std::size_t threads = 2, std::uint64_t memory = std::uint64_t{1} << 30) const {
    BuildOptions options = options_for(output);
    options.schema = schema_with(positions);
    options.codec.kind = codec;
    options.threads = threads;
    options.memory = memory;
    return build_from_memory(documents, options);
  }

  const TemporaryFolder folder_{place_in_memory()};
  const std::filesystem::path index_ = folder_ / "index";
  int next_ = 0;  ///< the name of another one
};

TEST_F(TextPositions, AreThoseOfTheirFieldsAlone) {
  auto random = generator(5721);
  for (const std::size_t count : {0, 1, 32, 129, 4'200}) {
    const std::vector<std::vector<bool>> all{
        {true, false}, {false, true}, {false, true, false}, {true, false, false, true}};
    for (const std::vector<bool>& positions : all) {
      const auto documents = documents_of_texts(random, count, positions.size());
      const CodecKind codec = random() % 2 == 0 ? CodecKind::kPfor : CodecKind::kRice;
      const auto folder = folder_ / std::to_string(next_++);
      build(documents, positions, folder, codec);
      ASSERT_EQ(places_in_index(folder), places_in_texts(documents, positions));
      expect_lookups(folder);
      EXPECT_THAT(verify_index(folder).problems, IsEmpty());
    }
  }
}

TEST_F(TextPositions, CostNothingInOtherFields) {
  auto random = generator(5722);
  const auto documents = documents_of_texts(random, 2'000, 3);
  std::vector<Document> alone;
  for (const Document& one : documents) alone.push_back({.id = one.id, .text = one.texts[1]});
  build(documents, {false, true, false}, index_);
  BuildOptions options = options_for(folder_ / "alone");
  options.positions = true;
  build_from_memory(alone, options);
  const Index some = Index::open(index_);
  const Index one = Index::open(folder_ / "alone");
  for (const auto name :
       {section::kShortPositions, section::kPositionStarts, section::kPositionBases,
        section::kPositionOffsets, section::kPositionCodes, section::kPositions}) {
    const auto own = std::ranges::find(some.section_infos(), name, &SectionInfo::name);
    const auto wanted = std::ranges::find(one.section_infos(), name, &SectionInfo::name);
    EXPECT_GT(own->bytes, 0U) << name;
    EXPECT_EQ(own->checksum, wanted->checksum) << name;
  }
  // Of the lexicon, each group begins with five more numbers; entries of other fields have nothing.
  const auto lexicon_bytes = [](const Index& index) { return index.sections().lexicon.size(); };
  build(documents, {false, false, false}, folder_ / "none");
  options.positions = false;
  options.output = folder_ / "plain";
  build_from_memory(alone, options);
  const std::uint64_t more = lexicon_bytes(some) - lexicon_bytes(Index::open(folder_ / "none"));
  const std::uint64_t entries = lexicon_bytes(one) - lexicon_bytes(Index::open(folder_ / "plain"));
  const std::uint64_t numbers = 5 * 5 * some.term_groups();
  EXPECT_LT(numbers, some.counts().terms - one.counts().terms);  // so a byte an entry would show
  EXPECT_LE(more, entries + numbers);
}

TEST_F(TextPositions, HaveTheSameBytesWhateverTheThreadsAndMemory) {
  auto random = generator(5723);
  const std::vector<bool> positions{false, true, false};
  auto documents = documents_of_texts(random, 8'000, 3);
  // Long words fill the memory, so that there are runs.
  for (Document& document : documents) {
    for (std::string& text : document.texts) text += document.id + std::string(3'000, 'w');
  }
  build(documents, positions, index_, CodecKind::kBitpack, 1);
  EXPECT_GT(build(documents, positions, folder_ / "small", CodecKind::kBitpack, 3, kMinBuildMemory)
                .runs_spilled,
            0U);
  EXPECT_EQ(checksums(folder_ / "small"), checksums(index_));
  EXPECT_EQ(places_in_index(folder_ / "small"), places_in_texts(documents, positions));
}

TEST_F(TextPositions, FollowTheirDocumentsIntoOtherIndexes) {
  auto random = generator(5724);
  const std::vector<bool> positions{true, false, true};
  const auto documents = documents_of_texts(random, 1'000, 3);
  build(documents, positions, index_);
  for (const CodecKind kind : {CodecKind::kRice, CodecKind::kPfor, CodecKind::kPforBlock}) {
    ConvertOptions convert;
    convert.rewrite = {
        .input = index_, .output = folder_ / "converted", .threads = 2, .on_progress = {}};
    convert.codec.kind = kind;
    convert_index(convert);
    build(documents, positions, folder_ / "built", kind);
    EXPECT_EQ(folder_bytes(folder_ / "converted"), folder_bytes(folder_ / "built"));
  }
  reorder_index({.input = index_, .output = folder_ / "reordered", .threads = 2, .on_progress = {}},
                {});
  const Index index = Index::open(folder_ / "reordered");
  std::vector<Document> ordered;
  for (std::uint32_t i = 0; i < documents.size(); ++i) {
    const std::string name(index.document_name(i));
    ordered.push_back(*std::ranges::find(documents, name, &Document::id));
  }
  EXPECT_EQ(places_in_index(folder_ / "reordered"), places_in_texts(ordered, positions));
  EXPECT_THAT(verify_index(folder_ / "reordered").problems, IsEmpty());
  const SplitReport split = split_index(
      {.input = index_, .output = folder_ / "parts", .threads = 2, .on_progress = {}}, 3);
  auto next = documents.begin();
  for (const SplitPart& part : split.parts) {
    const std::vector<Document> own(next, next + static_cast<std::ptrdiff_t>(part.documents));
    next += static_cast<std::ptrdiff_t>(part.documents);
    EXPECT_EQ(places_in_index(part.folder), places_in_texts(own, positions));
  }
}

/// Opening does not check sections' checksums: a reader must survive any bytes in them.
TEST_F(TextPositions, OfDamagedIndexesAreRefusedOrRead) {
  auto random = generator(5726);
  build(documents_of_texts(random, 400, 3), {false, true, false}, index_);
  std::size_t refused = 0;
  for (int round = 0; round < 200; ++round) {
    const std::array<std::string, 3> names{"lexicon", "lexicon_index", "position_starts"};
    const auto file = index_ / "segment-0" / names[random() % 3];
    const std::string whole = read_file(file);
    std::string damaged = whole;
    constexpr std::size_t kHeader = 64;
    constexpr std::size_t kBehind = 96;
    for (std::size_t edits = 1 + random() % 4; edits > 0; --edits) {
      damaged[kHeader + random() % (whole.size() - kHeader - kBehind)] =
          static_cast<char>(random());
    }
    write_file(file, damaged);
    try {
      const Index index = Index::open(index_);
      for (int i = 0; i < 5; ++i) index.find(field_mark(i % 3) + "w" + std::to_string(i));
      places_in_index(index_);
    } catch (const FormatError&) {
      ++refused;
    }
    EXPECT_EQ(verify_index(index_).problems.empty(), damaged == whole);
    write_file(file, whole);
  }
  EXPECT_GT(refused, 30U);
}

TEST_F(TextPositions, OfAllFieldsAreThoseOfTheWholeIndex) {
  auto random = generator(5725);
  const auto documents = documents_of_texts(random, 300, 2);
  build(documents, {true, true}, index_);
  EXPECT_FALSE(Index::open(index_).settings().positions_by_field);
  BuildOptions options = options_for(folder_ / "whole");
  options.positions = true;
  options.schema = schema_with({false, true});
  build_from_memory(documents, options);
  EXPECT_FALSE(Index::open(folder_ / "whole").settings().positions_by_field);
  EXPECT_EQ(checksums(folder_ / "whole"), checksums(index_));
  options.positions = false;
  build_from_memory(documents, options);
  EXPECT_TRUE(Index::open(folder_ / "whole").settings().positions_by_field);
  EXPECT_NE(checksums(folder_ / "whole"), checksums(index_));
}

}  // namespace
}  // namespace warpdex::test
