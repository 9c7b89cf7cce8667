// Exports, read byte by byte and compared with the collection that was indexed; and round trips.
#include "warpdex/indexer/exchange/exchange.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "foreign_bytes.hpp"
#include "tests/indexer/reader_support.hpp"
#include "tests/support.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/indexer/format/index.hpp"
#include "warpdex/indexer/format/index_writer.hpp"

namespace warpdex::test {
namespace {

std::string ciff_bytes(const Index& index) {
  std::ostringstream out;
  exchange::export_ciff(index.folder(), "for a test", out);
  return out.str();
}

foreign::Ds2i ds2i_bytes(const Index& index) {
  std::ostringstream docs;
  std::ostringstream freqs;
  std::ostringstream sizes;
  std::ostringstream terms;
  std::ostringstream documents;
  exchange::export_ds2i(index.folder(), {docs, freqs, sizes, terms, documents});
  return {{"docs", docs.str()},
          {"freqs", freqs.str()},
          {"sizes", sizes.str()},
          {"terms", terms.str()},
          {"documents", documents.str()}};
}

TEST(Export, HoldsTheCollection) {
  auto random = generator(65);
  const TemporaryFolder folder(place_in_memory());
  for (const std::size_t count : {0, 1, 2, 31, 32, 33, 127, 128, 129, 1500}) {
    const std::vector<Document> documents = random_documents(random, count, 2000, 100);
    const Collection expected = invert(documents);
    std::filesystem::remove_all(folder / "index");
    build_from_memory(documents, options_for(folder / "index"));
    const Index index = Index::open(folder / "index");

    const foreign::ParsedCiff ciff = foreign::parse_ciff(ciff_bytes(index));
    EXPECT_EQ(ciff.collection, expected);
    EXPECT_TRUE(std::is_sorted(ciff.terms.begin(), ciff.terms.end()));
    std::uint64_t tokens = 0;
    for (const std::uint32_t length : expected.lengths) tokens += length;
    EXPECT_EQ(ciff.header.value(1), 1U);
    EXPECT_EQ(ciff.header.value(4), expected.lists.size());
    EXPECT_EQ(ciff.header.value(5), count);
    EXPECT_EQ(ciff.header.value(6), tokens);
    const std::uint64_t bits = ciff.header.value(7);
    double average = 0;
    std::memcpy(&average, &bits, sizeof average);
    EXPECT_DOUBLE_EQ(average,
                     count == 0 ? 0 : static_cast<double>(tokens) / static_cast<double>(count));
    EXPECT_EQ(ciff.header.text_of(8), "for a test");
    for (std::size_t i = 0; i < ciff.terms.size(); ++i) {
      std::uint64_t occurrences = 0;
      for (const auto& [docid, tf] : expected.lists.at(ciff.terms[i])) occurrences += tf;
      EXPECT_EQ(ciff.dfs[i], expected.lists.at(ciff.terms[i]).size());
      EXPECT_EQ(ciff.cfs[i], occurrences);
    }
    EXPECT_EQ(ds2i_bytes(index), foreign::ds2i_of(expected));
  }
}

TEST(Export, AnIndexThatComesBackHasTheSameBytes) {
  auto random = generator(66);
  const TemporaryFolder folder(place_in_memory());
  for (const auto kind :
       {CodecKind::kBitpack, CodecKind::kPfor, CodecKind::kPforBlock, CodecKind::kRice}) {
    BuildOptions built = options_for(folder / "index");
    built.codec.kind = kind;
    build_from_memory(random_documents(random, 900, 500, 200), built);
    const Index index = Index::open(built.output);
    exchange::ImportOptions options;
    options.output = folder / "back";
    options.codec = built.codec;
    options.memory = kMinBuildMemory;
    write_file(folder / "out.ciff", ciff_bytes(index));
    exchange::import_ciff(folder / "out.ciff", options);
    EXPECT_EQ(checksums(options.output), checksums(built.output)) << codec_name(kind);
    foreign::write_ds2i(ds2i_bytes(index), folder / "out");
    exchange::import_ds2i({folder / "out", {}, {}}, options);
    EXPECT_EQ(checksums(options.output), checksums(built.output)) << codec_name(kind);
  }
}

TEST(Export, ImpactsGoInThePlaceOfFrequencies) {
  auto random = generator(67);
  const TemporaryFolder folder(place_in_memory());
  BuildOptions built = options_for(folder / "index");
  built.impacts = ImpactSettings{};
  build_from_memory(random_documents(random, 300, 100, 60), built);
  const foreign::ParsedCiff ciff = foreign::parse_ciff(ciff_bytes(Index::open(built.output)));
  EXPECT_EQ(ciff.collection, read_index(built.output));
}

TEST(Export, ValuesOfEverySize) {
  // Gaps and frequencies around the borders of varints, written without the builder.
  const TemporaryFolder folder(place_in_memory());
  Collection expected;
  const std::vector<std::uint32_t> values{
      1, 127, 128, 16'383, 16'384, 2'097'151, 2'097'152, 268'435'455, 268'435'456, 2'147'483'647};
  for (std::uint32_t i = 0; i < 40'000; ++i) {
    expected.names.push_back("n" + std::to_string(i));
    expected.lengths.push_back(i < values.size() ? values[i] : 1);
  }
  for (std::uint32_t i = 0; i < values.size(); ++i) expected.lists["all"][i] = values[i];
  for (const std::uint32_t docid : {10U, 137U, 264U, 392U, 16'776U, 33'160U, 39'999U}) {
    expected.lists["gaps"][docid] = 1;
  }
  IndexWriter writer(folder / "index", {});
  for (std::size_t i = 0; i < expected.names.size(); ++i) {
    writer.add_document(expected.names[i], expected.lengths[i]);
  }
  for (const auto& [term, list] : expected.lists) {
    std::vector<std::uint32_t> docids;
    std::vector<std::uint32_t> tfs;
    for (const auto& [docid, tf] : list) {
      docids.push_back(docid);
      tfs.push_back(tf);
    }
    writer.add_list(term, encode_postings({}, docids, tfs, writer.lengths()));
  }
  writer.commit();
  const std::string bytes = ciff_bytes(Index::open(folder / "index"));
  EXPECT_EQ(foreign::parse_ciff(bytes).collection, expected);
  write_file(folder / "out.ciff", bytes);
  exchange::ImportOptions options;
  options.output = folder / "back";
  exchange::import_ciff(folder / "out.ciff", options);
  EXPECT_EQ(read_index(options.output), expected);
}

/// An index of one document and one list.
Index tiny_index(const std::filesystem::path& folder, const std::string& name,
                 const std::string& term) {
  IndexWriter writer(folder, {});
  writer.add_document(name, 1);
  const std::vector<std::uint32_t> docids{0};
  const std::vector<std::uint32_t> tfs{1};
  writer.add_list(term, encode_postings({}, docids, tfs, writer.lengths()));
  writer.commit();
  return Index::open(folder);
}

TEST(Export, RefusesWhatAFormatCannotHold) {
  const TemporaryFolder folder;
  const auto said_of = [&](const std::string& name, const std::string& term, bool as_ciff) {
    const Index index = tiny_index(folder / "index", name, term);
    return reading::message_of<InputError>(
        [&] { as_ciff ? void(ciff_bytes(index)) : void(ds2i_bytes(index)); });
  };
  EXPECT_NE(said_of("d", "a\nb", false).find("the term 'a?b' holds a line feed"),
            std::string::npos);
  EXPECT_NE(said_of("d\ne", "a", false).find("holds a line feed"), std::string::npos);
  EXPECT_NE(said_of("d", "caf\xE9", true).find("the term 'caf...' is not UTF-8"),
            std::string::npos);
  EXPECT_NE(said_of("\xFF", "a", true).find("is not UTF-8"), std::string::npos);
}

// Other programs could not tell damage, and an import would make it look whole.
TEST(Export, DamageIsNotPassedOn) {
  auto random = generator(67);
  const TemporaryFolder folder(place_in_memory());
  build_from_memory(random_documents(random, 300, 400, 50), options_for(folder / "index"));
  const Index index = Index::open(folder / "index");
  int sections = 0;
  for (const SectionInfo& section : index.section_infos()) {
    const std::filesystem::path file = folder / "index" / "segment-0" / section.name;
    if (!std::filesystem::exists(file) || section.bytes == 0) continue;
    const std::string bytes = read_file(file);
    std::string damaged = bytes;
    damaged[64] = static_cast<char>(damaged[64] ^ 1);  // behind a header of at most 64 bytes
    write_file(file, damaged);
    const Index opened = Index::open(folder / "index");
    const std::string named = "is damaged (section '" + section.name + "')";
    EXPECT_NE(reading::message_of<FormatError>([&] { ciff_bytes(opened); }).find(named),
              std::string::npos);
    EXPECT_NE(reading::message_of<FormatError>([&] { ds2i_bytes(opened); }).find(named),
              std::string::npos);
    write_file(file, bytes);
    ++sections;
  }
  EXPECT_GE(sections, 10);
}

TEST(Export, AFullDiskIsAnError) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  const TemporaryFolder folder;
  build_from_memory({{"a", std::string(60'000, 'x')}}, options_for(folder / "long"));
  const Index index = Index::open(folder / "long");
  std::ofstream full("/dev/full", std::ios::binary);
  EXPECT_THROW(exchange::export_ciff(index.folder(), "", full), IoError);
}

TEST(Export, ProgressCanEndIt) {
  const TemporaryFolder folder;
  build_from_memory({{"a", "b c"}}, options_for(folder / "index"));
  std::ostringstream out;
  EXPECT_THROW(exchange::export_ciff(
                   folder / "index", "", out,
                   [](const exchange::ExportProgress&) { throw IoError("stopped from outside"); }),
               IoError);
}

}  // namespace
}  // namespace warpdex::test
