// Imports, whose files are written byte by byte, read back and compared with what was written.
#include "warpdex/indexer/exchange/exchange.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "foreign_bytes.hpp"
#include "tests/indexer/reader_support.hpp"
#include "tests/support.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/indexer/format/index.hpp"
#include "warpdex/indexer/format/verify.hpp"

namespace warpdex::test {
namespace {

using exchange::ImportOptions;
using exchange::ImportReport;

ImportOptions import_options(const std::filesystem::path& output) {
  ImportOptions options;
  options.output = output;
  options.memory = kMinBuildMemory;
  options.threads = 2;
  return options;
}

Collection random_collection(std::mt19937_64& random, std::size_t documents) {
  return invert(random_documents(random, documents, 2000, 90));
}

class Import : public ::testing::Test {
 protected:
  ImportReport ciff(const std::string& bytes) { return ciff(bytes, import_options(output_)); }
  ImportReport ciff(const std::string& bytes, const ImportOptions& options) {
    write_file(folder_ / "in.ciff", bytes);
    return exchange::import_ciff(folder_ / "in.ciff", options);
  }
  ImportReport ds2i(const foreign::Ds2i& files) {
    for (const char* ending : {"terms", "documents"}) {
      std::filesystem::remove(folder_ / (std::string("in.") + ending));
    }
    foreign::write_ds2i(files, folder_ / "in");
    return exchange::import_ds2i({folder_ / "in", {}, {}}, import_options(output_));
  }

  void expect_whole() const {
    const VerifyReport report = verify_index(output_);
    EXPECT_TRUE(report.ok()) << report.problems.front();
  }

  TemporaryFolder folder_{place_in_memory()};
  std::filesystem::path output_ = folder_ / "index";
};

TEST_F(Import, EqualsWhatTheFilesSay) {
  auto random = generator(60);
  for (const std::size_t count : {0, 1, 2, 31, 32, 33, 127, 128, 129, 1500}) {
    const Collection expected = random_collection(random, count);
    std::uint64_t postings = 0;
    for (const auto& [term, list] : expected.lists) postings += list.size();
    for (const bool as_ciff : {true, false}) {
      std::filesystem::remove_all(output_);
      const ImportReport report =
          as_ciff ? ciff(foreign::ciff_of(expected).bytes()) : ds2i(foreign::ds2i_of(expected));
      EXPECT_EQ(read_index(output_), expected) << count;
      EXPECT_EQ(report.documents, count);
      EXPECT_EQ(report.terms, expected.lists.size());
      EXPECT_EQ(report.postings, postings);
      EXPECT_TRUE(report.notes.empty());
      expect_whole();
    }
  }
}

TEST_F(Import, CiffMessagesMayComeInAnyOrderAndFormThatProtobufAllows) {
  auto random = generator(61);
  const Collection expected = random_collection(random, 200);
  foreign::Ciff file = foreign::ciff_of(expected);
  std::shuffle(file.lists.begin(), file.lists.end(), random);
  std::shuffle(file.documents.begin(), file.documents.end(), random);
  for (std::size_t i = 0; i < file.lists.size(); ++i) {
    // The postings first, and fields that are not CIFF's, of each wire type.
    const foreign::Message list = foreign::parse(file.lists[i]);
    std::string postings;
    for (const auto& field : list.fields) {
      if (field.field == 4) postings += foreign::text(4, field.text + foreign::number(9, 5));
    }
    const std::string more = foreign::number(20, -1) + foreign::real(21, 0.5) +
                             foreign::text(22, "other") + foreign::varint(23 * 8 + 5) + "abcd";
    file.lists[i] = postings + more + foreign::number(3, list.value(3)) +
                    foreign::number(2, list.value(2)) + foreign::text(1, list.text_of(1));
  }
  ciff(file.bytes());
  EXPECT_EQ(read_index(output_), expected);
}

TEST_F(Import, ZerosMayBeWrittenOrLeftOut) {
  const std::string spelt = foreign::text(4, foreign::number(1, 0) + foreign::number(2, 3));
  foreign::Ciff file;
  file.header.lists = file.header.documents = 1;
  file.header.tokens = 3;
  file.lists = {foreign::list("a", 1, 3, spelt)};
  file.documents = {foreign::number(1, 0) + foreign::document(0, "only", 3)};
  ciff(file.bytes());
  const Collection expected{{"only"}, {3}, {}, {{"a", {{0, 3}}}}};
  EXPECT_EQ(read_index(output_), expected);
}

TEST_F(Import, PackedFilesAreUnpacked) {
  auto random = generator(62);
  const Collection expected = random_collection(random, 300);
  const std::string bytes = foreign::ciff_of(expected).bytes();
  for (const std::string& suffix : reading::kSuffixes) {
    const std::filesystem::path file = folder_ / ("packed.ciff" + suffix);
    write_file(file, reading::pack(bytes, suffix));
    exchange::import_ciff(file, import_options(output_));
    EXPECT_EQ(read_index(output_), expected) << suffix;
  }
}

TEST_F(Import, MakesTheBytesOfABuildForAnyThreadsMemoryAndCodec) {
  auto random = generator(63);
  const std::vector<Document> documents = random_documents(random, 1200, 1000, 80);
  const std::string bytes = foreign::ciff_of(invert(documents)).bytes();
  for (const auto kind :
       {CodecKind::kBitpack, CodecKind::kPfor, CodecKind::kPforBlock, CodecKind::kRice}) {
    for (const bool impacts : {false, true}) {
      BuildOptions built = options_for(folder_ / "built");
      built.codec.kind = kind;
      if (impacts) built.impacts = ImpactSettings{1.1, 0.6};
      build_from_memory(documents, built);
      for (const std::size_t threads : {1, 5}) {
        ImportOptions options = import_options(output_);
        options.codec = built.codec;
        options.impacts = built.impacts;
        options.threads = threads;
        options.memory = threads * kMinBuildMemory;
        ciff(bytes, options);
        EXPECT_EQ(checksums(output_), checksums(folder_ / "built")) << codec_name(kind);
        const IndexSettings settings = Index::open(output_).settings();
        EXPECT_EQ(settings.impacts, Index::open(folder_ / "built").settings().impacts);
        EXPECT_EQ(settings.analyzer, "whitespace");
      }
    }
  }
}

TEST_F(Import, LearnedWeightsPast255BecomeSteps) {
  constexpr std::uint32_t kLargest = 997;  // a prime: no weight lies between two steps
  auto random = generator(64);
  std::uniform_int_distribution<std::uint32_t> weight(1, kLargest);
  for (const std::uint32_t largest : {255U, kLargest}) {
    Collection collection = random_collection(random, 300);
    for (auto& [term, list] : collection.lists) {
      for (auto& [docid, frequency] : list) frequency = 1 + weight(random) % largest;
    }
    collection.lists.begin()->second.begin()->second = largest;
    ImportOptions options = import_options(output_);
    options.impacts = ImpactSettings{.source = ImpactSource::kWholeWeights};
    const ImportReport report = ciff(foreign::ciff_of(collection).bytes(), options);
    const bool whole = largest == 255;
    const ImpactSettings expected{
        .largest = static_cast<double>(largest),
        .source = whole ? ImpactSource::kWholeWeights : ImpactSource::kQuantisedWeights};
    EXPECT_EQ(report.weights, expected);
    EXPECT_EQ(Index::open(output_).settings().impacts, expected);
    EXPECT_TRUE(Index::open(output_).settings().has_forward);  // it takes additions
    for (auto& [term, list] : collection.lists) {
      for (auto& [docid, impact] : list) {
        impact = std::max(1U, (2 * 255 * impact + largest) / (2 * largest));  // to the nearest
      }
    }
    EXPECT_EQ(read_index(output_), collection);
    expect_whole();
  }
}

TEST_F(Import, LengthsComeFromThePostingsIfWished) {
  Collection collection{{"a", "b", "c"}, {9, 1, 0}, {}, {{"x", {{0, 2}, {1, 3}}}, {"y", {{1, 4}}}}};
  const std::string bytes = foreign::ciff_of(collection).bytes();
  const std::string said = reading::message_of<InputError>([&] { ciff(bytes); });
  EXPECT_NE(said.find("the document 'b' has a length of 1, and its postings add up to 7"),
            std::string::npos)
      << said;
  ImportOptions options = import_options(output_);
  options.lengths = exchange::LengthSource::kPostings;
  const ImportReport report = ciff(bytes, options);
  collection.lengths = {2, 7, 0};
  EXPECT_EQ(read_index(output_), collection);
  EXPECT_EQ(report.tokens, 9U);
  ASSERT_EQ(report.notes.size(), 1U);  // the header counts the lengths of the file
  EXPECT_NE(report.notes[0].find("counts 10 tokens"), std::string::npos) << report.notes[0];
  expect_whole();
}

TEST_F(Import, ListsWithoutPostingsAreLeftOutAndCounted) {
  Collection collection{{"a"}, {2}, {}, {{"none", {}}, {"some", {{0, 2}}}, {"zero", {}}}};
  for (const bool as_ciff : {true, false}) {
    const ImportReport report =
        as_ciff ? ciff(foreign::ciff_of(collection).bytes()) : ds2i(foreign::ds2i_of(collection));
    EXPECT_EQ(report.empty_lists, 2U);
    EXPECT_EQ(report.terms, 1U);
    EXPECT_EQ(read_index(output_).lists, (Lists{{"some", {{0, 2}}}}));
  }
}

TEST_F(Import, TermsThatAreTooLongAreLeftOutAndCounted) {
  const std::string longest(65'535, 'x');
  Collection collection{
      {"a", "b"}, {3, 2}, {}, {{longest, {{0, 2}}}, {longest + "x", {{1, 1}}}, {"y", {{1, 1}}}}};
  for (const bool as_ciff : {true, false}) {
    const ImportReport report =
        as_ciff ? ciff(foreign::ciff_of(collection).bytes()) : ds2i(foreign::ds2i_of(collection));
    EXPECT_EQ(report.long_terms, 1U);
    EXPECT_EQ(report.terms, 2U);
    EXPECT_EQ(read_index(output_).lists, (Lists{{longest, {{0, 2}}}, {"y", {{1, 1}}}}));
  }
}

TEST_F(Import, PartsOfACollectionAreTakenAndTold) {
  Collection collection{{"a", "b"}, {20, 30}, {}, {{"x", {{1, 3}}}}};
  foreign::Ciff file = foreign::ciff_of(collection);
  file.header.total_lists = 40;
  file.header.total_documents = 7;
  file.header.tokens = 600;
  file.header.description = "some terms";
  const ImportReport report = ciff(file.bytes());
  EXPECT_EQ(read_index(output_), collection);
  EXPECT_EQ(report.description, "some terms");
  ASSERT_EQ(report.notes.size(), 3U);
  EXPECT_NE(report.notes[0].find("1 of the collection's 40 posting lists"), std::string::npos);
  EXPECT_NE(report.notes[1].find("2 of the collection's 7 documents"), std::string::npos);
  EXPECT_NE(report.notes[2].find("counts 600 tokens"), std::string::npos);
}

TEST_F(Import, BinaryCollectionsNeedNoNames) {
  Collection collection{{"p", "q"}, {6, 7}, {}, {}};
  for (int i = 0; i < 12; ++i) collection.lists["t" + std::string(i + 1, 'x')] = {{i % 2, 1}};
  foreign::Ds2i files = foreign::ds2i_of(collection);
  files.erase("terms");
  files.erase("documents");
  const ImportReport report = ds2i(files);
  EXPECT_EQ(report.notes.size(), 2U);
  Collection expected{{"0", "1"}, {6, 7}, {}, {}};
  for (std::uint32_t i = 0; i < 12; ++i) expected.lists[std::to_string(i)] = {{i % 2, 1}};
  EXPECT_EQ(read_index(output_), expected);  // terms by their bytes: 0, 1, 10, 11, 2, ...
}

TEST_F(Import, NamesMayLieElsewhere) {
  const Collection collection{{"p", "q"}, {5, 6}, {}, {{"t", {{0, 1}}}}};
  foreign::Ds2i files = foreign::ds2i_of(collection);
  files["documents"].pop_back();  // the last line needs no end
  foreign::write_ds2i({{"terms", files["terms"]}, {"documents", files["documents"]}},
                      folder_ / "fwd");
  for (const char* name : {"terms", "documents"}) files.erase(name);
  foreign::write_ds2i(files, folder_ / "inv");
  exchange::import_ds2i({folder_ / "inv", folder_ / "fwd.terms", folder_ / "fwd.documents"},
                        import_options(output_));
  EXPECT_EQ(read_index(output_), collection);
}

TEST_F(Import, TheToyCollectionOfCiffIsKnown) {
  WARPDEX_NEEDS_DATA("peers/toy-complete-20200309.ciff");
  const ImportReport report = exchange::import_ciff(
      data_folder() / "peers/toy-complete-20200309.ciff", import_options(output_));
  const Collection expected{{"WSJ_1", "TREC_DOC_1", "DOC222"},
                            {6, 4, 6},
                            {},
                            {{"01", {{0, 1}}},
                             {"03", {{0, 1}}},
                             {"30", {{0, 1}}},
                             {"content", {{0, 1}}},
                             {"enough", {{2, 1}}},
                             {"head", {{0, 1}, {1, 1}, {2, 1}}},
                             {"simpl", {{1, 1}, {2, 1}}},
                             {"text", {{0, 1}, {1, 1}, {2, 3}}},
                             {"veri", {{1, 1}}}}};
  const Collection found = read_index(output_);
  EXPECT_EQ(found.names, expected.names);
  EXPECT_EQ(found.lengths, expected.lengths);
  EXPECT_EQ(found.lists, expected.lists);
  EXPECT_EQ(report.terms, 9U);
  EXPECT_TRUE(report.notes.empty());
  EXPECT_NE(report.description.find("toy 3-document collection"), std::string::npos);
  expect_whole();
}

TEST_F(Import, PisasTinyCollectionIsTheOneInItsText) {
  WARPDEX_NEEDS_DATA("peers/pisa-tiny/tiny.fwd.terms");
  // Its lists are not kept; they are made here of its text, as PISA does: runs of letters, digits
  // and apostrophes, in lower case.
  const std::filesystem::path peers = data_folder() / "peers/pisa-tiny";
  std::vector<Document> documents;
  std::istringstream lines(read_file(peers / "tiny.plaintext"));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t blank = line.find(' ');
    Document& document = documents.emplace_back();
    document.id = line.substr(0, blank);
    for (const char c : line.substr(blank)) {
      document.text += std::isalnum(static_cast<unsigned char>(c)) != 0
                           ? static_cast<char>(std::tolower(static_cast<unsigned char>(c)))
                           : ' ';
    }
  }
  const Collection expected = invert(documents);
  foreign::Ds2i files = foreign::ds2i_of(expected);
  EXPECT_EQ(files["documents"], read_file(peers / "tiny.fwd.documents"));
  EXPECT_EQ(files["terms"], read_file(peers / "tiny.fwd.terms"));
  for (const char* name : {"terms", "documents"}) files.erase(name);
  foreign::write_ds2i(files, folder_ / "inv");
  const ImportReport report = exchange::import_ds2i(
      {folder_ / "inv", peers / "tiny.fwd.terms", peers / "tiny.fwd.documents"},
      import_options(output_));
  EXPECT_EQ(report.documents, 5U);
  EXPECT_EQ(report.terms, 153U);
  EXPECT_EQ(read_index(output_), expected);
}

}  // namespace
}  // namespace warpdex::test
