// The index format: what the writer wrote is what the reader reads, for every form of list.
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>

#include "format/lexicon.hpp"
#include "format/manifest.hpp"
#include "format/varint.hpp"
#include "tests/support.hpp"
#include "warpdex/core/checksum.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/indexer/format/index.hpp"
#include "warpdex/indexer/format/postings.hpp"
#include "warpdex/indexer/format/verify.hpp"

namespace warpdex {
namespace {

const PositionedTexts kNoPositions;

namespace fs = std::filesystem;

struct Collection {
  std::vector<std::uint32_t> lengths;
  std::map<std::string, Postings> lists;
};

/// Lists of ugly sizes up to `documents`, some of them dense, with long and short common prefixes.
Collection make_collection(std::uint32_t documents, std::uint64_t stream) {
  auto random = test::generator(stream);
  Collection collection;
  collection.lengths.assign(documents, 0);
  int number = 0;
  for (const std::uint32_t wanted :
       {1U, 1U, 2U, 3U, 31U, 32U, 33U, 127U, 128U, 129U, 255U, 256U, 257U, 4096U, 4097U, 9000U}) {
    if (wanted > documents) continue;
    for (const bool is_dense : {false, true}) {
      Postings postings;
      const std::uint32_t range =
          is_dense ? std::min(documents, wanted + wanted / 3 + 1) : documents;
      std::vector<std::uint32_t> all(range);
      for (std::uint32_t i = 0; i < range; ++i) all[i] = i + (documents - range);
      std::sample(all.begin(), all.end(), std::back_inserter(postings.docids), wanted, random);
      for (const std::uint32_t docid : postings.docids) {
        const bool is_huge = random() % 1000 == 0;
        postings.frequencies.push_back(
            static_cast<std::uint32_t>(is_huge ? 1 + random() % 5000000 : 1 + random() % 4));
        collection.lengths[docid] += postings.frequencies.back();
      }
      const std::string prefix = number % 3 == 0 ? std::string(random() % 300, 'x') : "t";
      collection.lists[prefix + std::to_string(number++)] = postings;
    }
  }
  return collection;
}

void write(const Collection& collection, const CodecSettings& codec, const fs::path& target) {
  IndexWriter writer(target, {codec, "whitespace", "contents", false});
  for (std::size_t i = 0; i < collection.lengths.size(); ++i) {
    writer.add_document("name-" + std::to_string(i), collection.lengths[i]);
  }
  for (const auto& [term, postings] : collection.lists) {
    writer.add_list(
        term, encode_postings(codec, postings.docids, postings.frequencies, writer.lengths()));
  }
  writer.commit();
}

/// Reads the list, and on the way each frequency by itself.
Postings read(const Index& index, const PostingsEntry& entry) {
  const Postings postings = read_postings(index, entry);
  if (entry.is_short()) return postings;
  const PostingsView view(index.settings().codec, index.sections(), entry,
                          index.counts().documents);
  for (std::uint32_t i = 0; i < entry.document_frequency; ++i) {
    EXPECT_EQ(view.frequency(i / kBlockSize, i % kBlockSize), postings.frequencies[i]);
  }
  for (std::uint32_t block = 0; block < view.blocks(); ++block) {
    EXPECT_EQ(view.last_docids()[block],
              postings.docids[block * kBlockSize + view.block_count(block) - 1]);
  }
  return postings;
}

std::vector<CodecSettings> all_codecs() {
  std::vector<CodecSettings> codecs{
      {CodecKind::kBitpack, 1}, {CodecKind::kPforBlock, 1}, {CodecKind::kRice, 1}};
  for (std::uint8_t levels = 0; levels <= kMaxPforLevels; ++levels) {
    codecs.push_back({CodecKind::kPfor, levels});
  }
  return codecs;
}

TEST(Format, EveryListComesBackInEveryCodec) {
  const test::TemporaryFolder folder;
  for (const std::uint32_t documents : {1U, 33U, 128U, 129U, 10000U}) {
    const Collection collection = make_collection(documents, documents);
    for (const CodecSettings& codec : all_codecs()) {
      const std::string config = std::string(codec_name(codec.kind)) + " levels " +
                                 std::to_string(codec.pfor_levels) + " documents " +
                                 std::to_string(documents);
      write(collection, codec, folder / "index");
      const Index index = Index::open(folder / "index");
      EXPECT_EQ(index.settings().codec, codec) << config;
      EXPECT_EQ(index.counts().documents, documents) << config;
      EXPECT_EQ(index.counts().terms, collection.lists.size()) << config;
      for (const auto& [term, postings] : collection.lists) {
        const auto entry = index.find(term);
        ASSERT_TRUE(entry) << config << " term " << term;
        const Postings found = read(index, *entry);
        ASSERT_EQ(found.docids, postings.docids) << config << " term " << term;
        ASSERT_EQ(found.frequencies, postings.frequencies) << config << " term " << term;
      }
      EXPECT_FALSE(index.find("")) << config;
      EXPECT_FALSE(index.find("t")) << config;
      EXPECT_FALSE(index.find("zzz")) << config;
      EXPECT_EQ(index.document_name(documents - 1), "name-" + std::to_string(documents - 1));
      EXPECT_THROW(index.document_name(documents), UsageError);
      const VerifyReport report = verify_index(folder / "index");
      EXPECT_TRUE(report.ok()) << config << ": " << report.problems.front();
      EXPECT_EQ(report.terms, collection.lists.size());
    }
  }
}

TEST(Format, ManyTermsAreFoundAcrossLexiconGroups) {
  const test::TemporaryFolder folder;
  const CodecSettings codec;
  std::vector<std::string> terms;
  for (int i = 0; i < 1000; ++i) terms.push_back("term" + std::to_string(i * 7));
  std::sort(terms.begin(), terms.end());
  IndexWriter writer(folder / "index", {codec, "whitespace", "", false});
  for (int i = 0; i < 1000; ++i) writer.add_document("", 1000000);
  for (std::uint32_t i = 0; i < 1000; ++i) {
    // Frequencies around what one number of the lexicon holds, and far above.
    const std::uint32_t frequency = i < 10 ? i + 1 : i * 999;
    writer.add_list(
        terms[i], encode_postings(codec, std::vector{i}, std::vector{frequency}, writer.lengths()));
  }
  writer.commit();
  const Index index = Index::open(folder / "index");
  for (std::uint32_t i = 0; i < 1000; ++i) {
    const auto entry = index.find(terms[i]);
    ASSERT_TRUE(entry) << terms[i];
    EXPECT_EQ(entry->single_document, i);
    EXPECT_EQ(entry->single_frequency, i < 10 ? i + 1 : i * 999);
    EXPECT_FALSE(index.find(terms[i] + "x"));
  }
  std::vector<std::string> visited;
  index.for_each_term(
      [&](std::string_view term, const PostingsEntry&) { visited.emplace_back(term); });
  EXPECT_EQ(visited, terms);
}

TEST(Format, AnEmptyIndexOpens) {
  const test::TemporaryFolder folder;
  IndexWriter writer(folder / "index", {});
  writer.commit();
  const Index index = Index::open(folder / "index");
  EXPECT_EQ(index.counts().documents, 0U);
  EXPECT_FALSE(index.find("anything"));
  EXPECT_TRUE(verify_index(folder / "index").ok());
}

TEST(Format, StaticScoresKeepTheLargestOfEachWindow) {
  const test::TemporaryFolder folder;
  IndexWriter writer(folder / "index", {{}, "whitespace", "", true});
  auto random = test::generator(5);
  std::vector<float> scores;
  for (std::uint32_t i = 0; i < 2 * kStaticWindow + 17; ++i) {
    scores.push_back(static_cast<float>(random() % 1000) / 10.0F);
    writer.add_document("", 0, scores.back());
  }
  EXPECT_THROW(writer.add_document("", 0, -1.0F), UsageError);
  writer.commit();
  const Index index = Index::open(folder / "index");
  ASSERT_TRUE(std::ranges::equal(index.sections().static_scores, scores));
  ASSERT_EQ(index.sections().static_bounds.size(), 3U);
  for (std::size_t window = 0; window < 3; ++window) {
    const std::size_t begin = window * kStaticWindow;
    const std::size_t end = std::min<std::size_t>(scores.size(), begin + kStaticWindow);
    EXPECT_EQ(index.sections().static_bounds[window],
              *std::max_element(scores.begin() + static_cast<std::ptrdiff_t>(begin),
                                scores.begin() + static_cast<std::ptrdiff_t>(end)));
  }
}

TEST(Format, VerifyNamesTheSectionOfEveryFlippedByte) {
  const test::TemporaryFolder folder;
  write(make_collection(300, 7), {CodecKind::kPfor, 2}, folder / "index");
  auto random = test::generator(6);
  for (const auto& file : fs::recursive_directory_iterator(folder / "index")) {
    if (!file.is_regular_file()) continue;
    const std::string bytes = test::read_file(file.path());
    for (int round = 0; round < 40; ++round) {
      std::string damaged = bytes;
      const std::size_t place = random() % damaged.size();
      damaged[place] = static_cast<char>(damaged[place] ^ (1 << random() % 8));
      test::write_file(file.path(), damaged);
      const VerifyReport report = verify_index(folder / "index");
      ASSERT_FALSE(report.ok()) << file.path() << " byte " << place;
      EXPECT_NE(report.problems[0].find(file.path().filename().string()), std::string::npos)
          << report.problems[0];
    }
    test::write_file(file.path(), bytes.substr(0, bytes.size() - 1 - random() % 32));
    EXPECT_THROW(Index::open(folder / "index"), FormatError) << file.path();
    test::write_file(file.path(), bytes);
  }
  EXPECT_TRUE(verify_index(folder / "index").ok());
}

TEST(Format, LexiconOffsetsThatWrapAroundAreRefused) {
  // A group whose short lists start 2^31 bytes before 2^64, and a short list of 2^31 bytes.
  std::vector<std::uint8_t> lexicon;
  append_varint(lexicon, 0xFFFFFFFF80000000);
  for (int i = 0; i < 5; ++i) append_varint(lexicon, 0);
  lexicon.insert(lexicon.end(), {0x10, 'a'});
  append_varint(lexicon, 2 << 1);
  append_varint(lexicon, 0x80000000);
  const std::vector<std::uint64_t> lexicon_index{0};
  const std::vector<std::uint8_t> short_lists(16);
  IndexSections sections;
  sections.lexicon = lexicon;
  sections.lexicon_index = lexicon_index;
  sections.short_lists = short_lists;
  GroupKeys keys(1);
  EXPECT_THROW(LexiconView(sections, 10, {}, kNoPositions, keys).find("a"), FormatError);
}

TEST(Format, RefusesListsWhoseSizesOverflow) {
  // The lists before one that is looked for are passed over.
  for (const std::uint64_t size :
       {std::uint64_t{0xFFFFFFFF}, std::uint64_t{1} << 32, ~std::uint64_t{}}) {
    std::vector<std::uint8_t> lexicon(6, 0);
    for (const char term : {'a', 'b', 'c'}) {
      lexicon.insert(lexicon.end(), {0x10, static_cast<std::uint8_t>(term)});
      append_varint(lexicon, 2 << 1);
      append_varint(lexicon, term == 'c' ? 8 : size);
    }
    const std::vector<std::uint64_t> lexicon_index{0};
    const std::vector<std::uint8_t> short_lists(16);
    IndexSections sections;
    sections.lexicon = lexicon;
    sections.lexicon_index = lexicon_index;
    sections.short_lists = short_lists;
    GroupKeys keys(1);
    EXPECT_THROW(LexiconView(sections, 10, {}, kNoPositions, keys).find("c"), FormatError) << size;
  }
}

TEST(Format, RefusesDocumentsLongerThanItCanCount) {
  const test::TemporaryFolder folder;
  IndexWriter writer(folder / "index", {});
  writer.add_document("longest", 0x7FFFFFFF);
  EXPECT_THROW(writer.add_document("longer", 0x80000000), InputError);
}

TEST(Format, ADeeplyNestedManifestIsRefusedWithoutRecursion) {
  const test::TemporaryFolder folder;
  test::write_file(folder / "manifest.json", std::string(5'000'000, '['));
  EXPECT_THROW(Index::open(folder.path()), FormatError);
}

/// Writes a section of an index anew, so that all sizes and checksums fit.
void replace_section(const fs::path& folder, std::string_view name, const std::string& bytes) {
  Manifest manifest = manifest_from_json(test::read_file(folder / kManifestName));
  SegmentInfo& segment = manifest.stored.segments.at(0);
  const auto section = std::ranges::find(segment.sections, name, &SectionInfo::name);
  SectionWriter writer(folder / segment.place, name);
  writer.append({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
  *section = writer.finish();
  test::write_file(folder / kManifestName, manifest_to_json(manifest));
}

/// The bytes of an array.
template <class T>
std::string bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

TEST(Format, VerifyFindsWhatIsWrongBehindRightChecksums) {
  const test::TemporaryFolder folder;
  const fs::path index = folder / "index";
  const auto problem = [&](std::string_view name, const std::string& bytes) {
    IndexWriter writer(index, {{}, "whitespace", "", true});
    for (const std::uint32_t length : {3U, 4U}) writer.add_document("", length, 2.5F);
    for (const char* term : {"apple", "berry"}) {
      writer.add_list(
          term, encode_postings({}, std::vector{0U, 1U}, std::vector{1U, 2U}, writer.lengths()));
    }
    writer.commit();
    EXPECT_TRUE(verify_index(index).ok());
    replace_section(index, name, bytes);
    const VerifyReport report = verify_index(index);
    return report.ok() ? "none" : report.problems[0];
  };
  using testing::HasSubstr;
  // A bound may be higher than it need be.
  EXPECT_EQ(problem("static_bounds", bytes_of(std::vector{3.0F})), "none");
  EXPECT_THAT(problem("static_bounds", bytes_of(std::vector{2.0F})), HasSubstr("bound of static"));
  EXPECT_THAT(problem("static_bounds", bytes_of(std::vector{std::nanf("")})),
              HasSubstr("bound of static"));
  EXPECT_THAT(problem("static_scores", bytes_of(std::vector{std::nanf(""), 2.5F})),
              HasSubstr("finite"));
  EXPECT_THAT(problem("static_scores", bytes_of(std::vector{2.5F, -1.0F})), HasSubstr("finite"));
  EXPECT_THAT(problem("document_lengths", bytes_of(std::vector{5U, 4U})), HasSubstr("tokens"));
  std::string lexicon = test::read_file(index / "segment-0" / "lexicon");
  lexicon = lexicon.substr(64, lexicon.size() - 64 - 96);  // without header, slack and footer
  lexicon.replace(lexicon.find("apple"), 5, "cherr");
  EXPECT_THAT(problem("lexicon", lexicon), HasSubstr("ascend"));
}

TEST(Format, AManifestWithAnUnknownCodecIsDamagedAlsoForVerify) {
  const test::TemporaryFolder folder;
  write(make_collection(10, 8), {CodecKind::kPforBlock, 1}, folder / "index");
  std::string manifest = test::read_file(folder / "index" / kManifestName);
  manifest.replace(manifest.find("pfor-block"), 10, "qfor-block");
  const std::size_t end = manifest.rfind(",\n  \"checksum\": \"");
  const std::vector<std::uint8_t> text(manifest.begin(),
                                       manifest.begin() + static_cast<std::ptrdiff_t>(end));
  std::array<char, 17> digits{};
  std::snprintf(digits.data(), digits.size(), "%016llx",
                static_cast<unsigned long long>(checksum(text)));
  manifest.replace(manifest.size() - 20, 16, digits.data());
  test::write_file(folder / "index" / kManifestName, manifest);
  EXPECT_THROW(Index::open(folder / "index"), FormatError);
  const VerifyReport report = verify_index(folder / "index");
  ASSERT_EQ(report.problems.size(), 1U);
  EXPECT_NE(report.problems[0].find("codec"), std::string::npos) << report.problems[0];
}

TEST(Format, LongHolesBetweenDenseRunsComeBackInEveryCodec) {
  const test::TemporaryFolder folder;
  for (const std::uint32_t hole : {4000U, 4500U, 5200U, 10000U, 60000U, 600000U}) {
    Collection collection;
    Postings& list = collection.lists["list"];
    for (std::uint32_t i = 0; i < 200'000; ++i) {
      list.docids.push_back(i < 100'000 ? i : i + hole);
    }
    list.frequencies.assign(list.docids.size(), 1);
    collection.lengths.assign(list.docids.back() + 1, 1);
    for (std::uint32_t i = 0; i < hole; ++i) collection.lengths[100'000 + i] = 0;
    for (const CodecSettings& codec : all_codecs()) {
      const std::string config = std::string(codec_name(codec.kind)) + " levels " +
                                 std::to_string(codec.pfor_levels) + " hole " +
                                 std::to_string(hole);
      const EncodedPostings encoded =
          encode_postings(codec, list.docids, list.frequencies, collection.lengths);
      IndexWriter writer(folder / "index", {codec, "whitespace", "", false});
      for (const std::uint32_t length : collection.lengths) writer.add_document("", length);
      writer.add_list("list", encoded);
      writer.commit();
      const Index index = Index::open(folder / "index");
      const PostingsEntry entry = index.find("list").value();
      ASSERT_EQ(read_postings(index, entry).docids, list.docids) << config;
      const PostingsView view(codec, index.sections(), entry, index.counts().documents);
      for (std::uint32_t block = 0; block < view.blocks(); ++block) {
        if (!view.is_dense(block)) continue;
        ASSERT_NE(view.dense_bytes(block), nullptr) << config;
      }
    }
  }
}

TEST(ScoreBound, BoundsEveryPostingForAnyLengthsAndFrequencies) {
  auto random = test::generator(9);
  for (int round = 0; round < 2000; ++round) {
    const std::size_t count = 1 + random() % kBlockSize;
    std::vector<std::uint32_t> frequencies;
    std::vector<std::uint32_t> lengths;
    for (std::size_t i = 0; i < count; ++i) {
      frequencies.push_back(static_cast<std::uint32_t>(1 + (random() >> (32 + random() % 32))));
      lengths.push_back(static_cast<std::uint32_t>(random() >> (32 + random() % 32)));
    }
    const ScoreBound bound = make_score_bound(frequencies, lengths, 100.0);
    for (std::size_t i = 0; i < count; ++i) {
      bool is_bounded = false;
      for (std::size_t pair = 0; pair < kBoundPairs; ++pair) {
        is_bounded |= rounded_value(bound.frequencies[pair]) >= frequencies[i] &&
                      rounded_value(bound.lengths[pair]) <= lengths[i];
      }
      ASSERT_TRUE(is_bounded) << "frequency " << frequencies[i] << " length " << lengths[i];
    }
  }
}

TEST(ScoreBound, RoundedCodesKeepOrderAndAreExactBelow16) {
  for (std::uint32_t value = 0; value < 16; ++value) {
    EXPECT_EQ(decode_rounded(encode_rounded_down(value)), static_cast<float>(value));
    EXPECT_EQ(decode_rounded(encode_rounded_up(value)), static_cast<float>(value));
  }
  for (int code = 1; code < 240; ++code) {
    EXPECT_LT(decode_rounded(static_cast<std::uint8_t>(code - 1)),
              decode_rounded(static_cast<std::uint8_t>(code)));
    EXPECT_EQ(encode_rounded_down(
                  static_cast<std::uint32_t>(rounded_value(static_cast<std::uint8_t>(code)))),
              code);
  }
  EXPECT_GE(rounded_value(encode_rounded_up(0xFFFFFFFF)), 0xFFFFFFFFU);
}

}  // namespace
}  // namespace warpdex
