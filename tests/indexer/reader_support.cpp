#include "tests/indexer/reader_support.hpp"

#include <fcntl.h>
#include <lzma.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <csignal>
#include <stdexcept>

namespace warpdex::test::reading {
namespace {

std::string pack_gzip(const std::string& bytes) {
  z_stream stream{};
  if (deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::runtime_error("cannot start zlib");
  }
  std::string packed(deflateBound(&stream, bytes.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  const int status = deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  if (status != Z_STREAM_END) throw std::runtime_error("cannot pack with zlib");
  return packed;
}

std::string pack_zstd(const std::string& bytes) {
  std::string packed(ZSTD_compressBound(bytes.size()), '\0');
  const std::size_t size =
      ZSTD_compress(packed.data(), packed.size(), bytes.data(), bytes.size(), 1);
  if (ZSTD_isError(size)) throw std::runtime_error("cannot pack with zstd");
  packed.resize(size);
  return packed;
}

std::string pack_xz(const std::string& bytes) {
  std::string packed(lzma_stream_buffer_bound(bytes.size()), '\0');
  std::size_t size = 0;
  const lzma_ret status = lzma_easy_buffer_encode(
      0, LZMA_CHECK_CRC64, nullptr, reinterpret_cast<const std::uint8_t*>(bytes.data()),
      bytes.size(), reinterpret_cast<std::uint8_t*>(packed.data()), &size, packed.size());
  if (status != LZMA_OK) throw std::runtime_error("cannot pack with xz");
  packed.resize(size);
  return packed;
}

void write_pieces(const std::string& path, const std::string& bytes, std::size_t piece) {
  const int file = ::open(path.c_str(), O_WRONLY);
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    const std::size_t size = std::min(piece, bytes.size() - at);
    if (::write(file, bytes.data() + at, size) != static_cast<ssize_t>(size)) break;
  }
  ::close(file);
}

}  // namespace

const std::vector<std::string> kSuffixes{"", ".gz", ".zst", ".xz"};

std::string pack(const std::string& bytes, const std::string& suffix) {
  if (suffix == ".gz") return pack_gzip(bytes);
  if (suffix == ".zst") return pack_zstd(bytes);
  if (suffix == ".xz") return pack_xz(bytes);
  return bytes;
}

PipeWriter::PipeWriter(std::string path, std::string bytes, std::size_t piece) {
  std::signal(SIGPIPE, SIG_IGN);  // where a reader gives up early
  if (::mkfifo(path.c_str(), 0600) != 0) throw std::runtime_error("mkfifo failed: " + path);
  thread_ = std::thread([path = std::move(path), bytes = std::move(bytes), piece] {
    write_pieces(path, bytes, piece);
  });
}

PipeWriter::~PipeWriter() { thread_.join(); }

Collection read_collection(const ReaderOptions& options) {
  Collection collection;
  const std::unique_ptr<DocumentReader> reader = open_documents(options);
  RawRecord record;
  while (reader->next(record)) {
    if (!record.problem.empty()) {  // as the build does
      EXPECT_EQ(record.bytes.capacity(), std::string().capacity());
      collection.bad.push_back(record.location.to_string() + ": " + record.problem);
      continue;
    }
    try {
      collection.documents.push_back(reader->parse(record));
      collection.locations.push_back(record.location);
    } catch (const BadDocument& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with(record.location.to_string() + ": "))
          << error.what();
      collection.bad.emplace_back(error.what());
    }
  }
  EXPECT_FALSE(reader->next(record));
  if (reader->bytes_total() > 0) {
    EXPECT_EQ(reader->bytes_consumed(), reader->bytes_total());
  }
  return collection;
}

Collection read_bytes(const TemporaryFolder& folder, const std::string& name,
                      const std::string& bytes, ReaderOptions options) {
  write_file(folder / name, bytes);
  options.inputs = {(folder / name).string()};
  return read_collection(options);
}

void expect_documents(const Collection& collection, const std::vector<Document>& expected) {
  EXPECT_TRUE(collection.bad.empty()) << collection.bad.front();
  ASSERT_EQ(collection.documents.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ASSERT_EQ(collection.documents[i].id, expected[i].id) << "document " << i;
    ASSERT_EQ(collection.documents[i].text, expected[i].text) << "document " << i;
  }
}

std::string random_character(std::mt19937_64& random) {
  static const std::vector<std::string> kRare{"\t",
                                              "\n",
                                              "\"",
                                              "\\",
                                              "/",
                                              "<",
                                              ">",
                                              "&",
                                              "\xC2\x80",
                                              "\xC3\xA9",
                                              "\xDF\xBF",
                                              "\xE0\xA0\x80",
                                              "\xED\x9F\xBF",
                                              "\xEE\x80\x80",
                                              "\xEF\xBB\xBF",
                                              "\xEF\xBF\xBF",
                                              "\xF0\x90\x80\x80",
                                              "\xF0\x9F\x98\x80",
                                              "\xF4\x8F\xBF\xBF"};
  if (random() % 8 == 0) return kRare[random() % kRare.size()];
  return std::string(1, static_cast<char>(' ' + random() % 95));
}

std::string random_text(std::mt19937_64& random, std::size_t characters) {
  std::string text;
  for (std::size_t i = 0; i < characters; ++i) text += random_character(random);
  return text;
}

}  // namespace warpdex::test::reading
