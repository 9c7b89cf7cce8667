// Documents that are longer than the limit: bad documents of every format, which no memory is taken
// for, and after which reading goes on. Packed inputs that need more memory than the limit.
#include <lzma.h>
#include <zstd.h>

#include <array>
#include <memory>

#include "build_support.hpp"
#include "tests/indexer/reader_support.hpp"
#include "warpdex/indexer/build/index_builder.hpp"
#include "warpdex/indexer/readers/input_stream.hpp"

namespace warpdex::test::reading {
namespace {

constexpr std::size_t kMaxBytes = 1'000;
const std::string kLong(5'000, 'x');

ReaderOptions options_of(DocumentFormat format) {
  ReaderOptions options;
  options.format = format;
  options.max_document_bytes = kMaxBytes;
  return options;
}

/// Line numbers of the bad documents, all of them too long.
std::vector<std::uint64_t> lines_of_long_ones(const Collection& collection) {
  std::vector<std::uint64_t> lines;
  for (const std::string& message : collection.bad) {
    const std::string sentence = ": the document has more than 1000 bytes; split it";
    const std::size_t at = message.find(sentence);
    EXPECT_NE(at, std::string::npos) << message;
    lines.push_back(std::stoull(message.substr(message.rfind(':', at - 1) + 1)));
  }
  return lines;
}

using LineNumbers = std::vector<std::uint64_t>;

TEST(ReaderLimits, LinesOfJsonTsvAndVectors) {
  const TemporaryFolder folder;
  const auto json = [](const std::string& id, const std::string& text) {
    return "{\"id\": \"" + id + "\", \"contents\": \"" + text + "\"}\n";
  };
  Collection got =
      read_bytes(folder, "a", json("1", "a") + json("2", kLong) + "\n" + json("3", "c") + kLong,
                 options_of(DocumentFormat::kJsonl));
  EXPECT_EQ(got.documents.size(), 2U);
  EXPECT_EQ(lines_of_long_ones(got), LineNumbers({2, 5}));
  got = read_bytes(folder, "a", "1\ta\n2\t" + kLong + "\n3\tc\n", options_of(DocumentFormat::kTsv));
  EXPECT_EQ(got.documents.size(), 2U);
  EXPECT_EQ(lines_of_long_ones(got), LineNumbers({2}));
  got = read_bytes(
      folder, "a",
      "{\"id\": 1, \"vector\": {\"" + kLong + "\": 1}}\n" + "{\"id\": 2, \"vector\": {\"a\": 1}}",
      options_of(DocumentFormat::kSparse));
  EXPECT_EQ(got.documents.size(), 1U);
  EXPECT_EQ(lines_of_long_ones(got), LineNumbers({1}));
}

TEST(ReaderLimits, TrecDocumentsOfOneLineOrMany) {
  const TemporaryFolder folder;
  const auto read = [&](const std::string& bytes) {
    return read_bytes(folder, "a", bytes, options_of(DocumentFormat::kTrec));
  };
  const auto document = [](const std::string& id, const std::string& text) {
    return "<DOC><DOCNO>" + id + "</DOCNO>" + text + "</DOC>\n";
  };
  std::string many_lines;
  for (int i = 0; i < 200; ++i) many_lines += "ten bytes\n";
  // In one line; over many; without an end; with an end behind which the next one begins.
  for (const std::string& text : {kLong, many_lines, many_lines + kLong + "\n" + many_lines}) {
    const Collection got = read(document("1", "a") + document("2", text) + document("3", "c"));
    ASSERT_EQ(got.documents.size(), 2U);
    EXPECT_EQ(got.documents[1].id, "3");
    EXPECT_EQ(lines_of_long_ones(got), LineNumbers({2}));
  }
  Collection got = read("<DOC><DOCNO>1</DOCNO>\n" + many_lines + document("2", "b"));
  ASSERT_EQ(got.documents.size(), 1U);
  EXPECT_EQ(got.documents[0].id, "2");
  EXPECT_EQ(lines_of_long_ones(got), LineNumbers({1}));
  got = read("<DOC><DOCNO>1</DOCNO>\n" + many_lines + "</DOC>" + document("2", "b"));
  ASSERT_EQ(got.documents.size(), 1U);
  EXPECT_EQ(got.documents[0].id, "2");
  // A line outside of documents.
  got = read(document("1", "a") + kLong + "\n" + document("2", "b"));
  EXPECT_EQ(got.documents.size(), 2U);
  EXPECT_EQ(lines_of_long_ones(got), LineNumbers({2}));
}

TEST(ReaderLimits, TextFiles) {
  const TemporaryFolder folder;
  Collection got =
      read_bytes(folder, "a", std::string(kMaxBytes, 'x'), options_of(DocumentFormat::kText));
  EXPECT_EQ(got.documents.size(), 1U);
  got = read_bytes(folder, "a", std::string(kMaxBytes + 1, 'x'), options_of(DocumentFormat::kText));
  EXPECT_EQ(lines_of_long_ones(got), LineNumbers({1}));
}

// The input has no end, so a build that waited for it would not end either.
TEST(ReaderLimits, ABuildEndsAtADocumentWithoutAnEnd) {
  const TemporaryFolder folder;
  for (const DocumentFormat format :
       {DocumentFormat::kJsonl, DocumentFormat::kTsv, DocumentFormat::kTrec, DocumentFormat::kText,
        DocumentFormat::kCsv, DocumentFormat::kHtml}) {
    ReaderOptions options = options_of(format);
    options.inputs = {"/dev/zero"};
    const std::unique_ptr<DocumentReader> reader = open_documents(options);
    BuildOptions build;
    build.output = folder / "index";
    const std::string message = message_of<BadDocument>([&] { build_index(*reader, build); });
    EXPECT_EQ(message,
              "/dev/zero:1: the document has more than 1000 bytes; split it, or check its "
              "end");
  }
}

TEST(ReaderLimits, ABuildCanSkipThem) {
  const TemporaryFolder folder;
  write_file(folder / "docs", "1\ta\n2\t" + kLong + "\n3\tc\n");
  ReaderOptions options = options_of(DocumentFormat::kTsv);
  options.inputs = {(folder / "docs").string()};
  const std::unique_ptr<DocumentReader> reader = open_documents(options);
  BuildOptions build;
  build.output = folder / "index";
  build.on_bad_document = OnBadDocument::kSkip;
  const BuildReport report = build_index(*reader, build);
  EXPECT_EQ(report.documents, 2U);
  EXPECT_EQ(report.skipped_documents, 1U);
}

/// `bytes` as zstd packs them with a window of 2^log.
std::string pack_with_window(const std::string& bytes, int log) {
  const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context(ZSTD_createCCtx(),
                                                                     ZSTD_freeCCtx);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_windowLog, log);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_contentSizeFlag, 0);
  std::string packed(ZSTD_compressBound(bytes.size()) + 100, '\0');
  ZSTD_inBuffer input{bytes.data(), bytes.size(), 0};
  ZSTD_outBuffer output{packed.data(), packed.size(), 0};
  // Flushed first: a frame that is all there at once gets a smaller window.
  EXPECT_EQ(ZSTD_compressStream2(context.get(), &output, &input, ZSTD_e_flush), 0U);
  EXPECT_EQ(ZSTD_compressStream2(context.get(), &output, &input, ZSTD_e_end), 0U);
  packed.resize(output.pos);
  return packed;
}

std::string pack_with_xz_dictionary(const std::string& bytes, std::uint32_t dictionary) {
  lzma_options_lzma options;
  EXPECT_FALSE(lzma_lzma_preset(&options, 0));
  options.dict_size = dictionary;
  const std::array<lzma_filter, 2> filters{
      {{LZMA_FILTER_LZMA2, &options}, {LZMA_VLI_UNKNOWN, nullptr}}};
  std::string packed(bytes.size() + 1000, '\0');
  std::size_t size = 0;
  EXPECT_EQ(lzma_stream_buffer_encode(const_cast<lzma_filter*>(filters.data()), LZMA_CHECK_CRC32,
                                      nullptr, reinterpret_cast<const std::uint8_t*>(bytes.data()),
                                      bytes.size(), reinterpret_cast<std::uint8_t*>(packed.data()),
                                      &size, packed.size()),
            LZMA_OK);
  packed.resize(size);
  return packed;
}

std::string read_within(const std::filesystem::path& file, const UnpackLimit& limit) {
  InputStream stream(file, {}, limit);
  std::string bytes(1000, '\0');
  bytes.resize(stream.read(bytes.data(), bytes.size()));
  return bytes;
}

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

TEST(UnpackLimits, WindowsOfZstd) {
  const TemporaryFolder folder;
  const auto file = folder / "a.zst";
  const std::string bytes = "some words";
  for (const int log : {20, 27, 30, 31}) {
    write_file(file, pack_with_window(bytes, log));
    const std::uint64_t window = std::uint64_t{1} << log;
    EXPECT_EQ(read_within(file, {window}), bytes) << log;
    EXPECT_EQ(message_of<InputError>([&] { read_within(file, {window - 1}); }),
              file.string() + " needs " + std::to_string(window / kMiB) +
                  " MiB of memory to be unpacked as zstd, and " + std::to_string(window / kMiB) +
                  " MiB are allowed; pack it again with a smaller window");
    EXPECT_EQ(message_of<InputError>([&] { read_within(file, unpack_limit_of(window)); }),
              file.string() + " needs " + std::to_string(window / kMiB) +
                  " MiB of memory to be unpacked as zstd, which may take half of --memory; give "
                  "--memory " +
                  std::to_string(2 * window / kMiB) + "M, or pack it again with a smaller window");
    EXPECT_EQ(read_within(file, unpack_limit_of(2 * window)), bytes) << log;
  }
  // A second frame, of which no more than its window is known.
  write_file(file, pack_with_window("first", 20) + pack_with_window("second", 28));
  InputStream stream(file, {}, {8 * kMiB});
  std::string out(100, '\0');
  EXPECT_EQ(stream.read(out.data(), out.size()), 5U);
  EXPECT_LT(stream.unpacking_memory(), 8 * kMiB);
  EXPECT_NE(message_of<InputError>([&] {
              stream.read(out.data(), out.size());
            }).find("needs 256 MiB of memory"),
            std::string::npos);
}

TEST(UnpackLimits, DictionariesOfXz) {
  const TemporaryFolder folder;
  const auto file = folder / "a.xz";
  write_file(file, pack_with_xz_dictionary("some words", 64 * kMiB));
  EXPECT_EQ(read_within(file, {66 * kMiB}), "some words");
  EXPECT_NE(message_of<InputError>([&] {
              read_within(file, {60 * kMiB});
            }).find("needs 65 MiB of memory to be unpacked as xz, and 60 MiB are allowed"),
            std::string::npos);
  EXPECT_NE(message_of<InputError>([&] {
              read_within(file, unpack_limit_of(64 * kMiB));
            }).find("give --memory 129M"),
            std::string::npos);
  EXPECT_EQ(read_within(file, unpack_limit_of(129 * kMiB)), "some words");
}

// The window of an input that is being read, and nothing once it was.
TEST(UnpackLimits, AreToldToTheBuild) {
  const TemporaryFolder folder;
  write_file(folder / "docs.zst", pack_with_window("1\ta\n2\tb\n", 24));
  ReaderOptions options;
  options.format = DocumentFormat::kTsv;
  options.inputs = {(folder / "docs.zst").string()};
  const std::unique_ptr<DocumentReader> reader = open_documents(options);
  EXPECT_EQ(reader->unpacking_memory(), 0U);
  RawRecord record;
  ASSERT_TRUE(reader->next(record));
  EXPECT_GE(reader->unpacking_memory(), 16 * kMiB);
  ASSERT_TRUE(reader->next(record));
  ASSERT_FALSE(reader->next(record));
  EXPECT_EQ(reader->unpacking_memory(), 0U);
  options.memory = 31 * kMiB;
  EXPECT_NE(message_of<InputError>([&] {
              open_documents(options)->next(record);
            }).find("give --memory 32M"),
            std::string::npos);
}

}  // namespace
}  // namespace warpdex::test::reading
