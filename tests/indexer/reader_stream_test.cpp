// InputStream and LineReader: packings, cut and damaged files, pipes, line ends.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <functional>
#include <thread>

#include "tests/indexer/reader_support.hpp"
#include "warpdex/indexer/readers/input_stream.hpp"

namespace warpdex::test::reading {
namespace {

std::string read_all(const std::filesystem::path& path, std::size_t step) {
  InputStream stream(path);
  std::string bytes;
  std::string buffer(step, '\0');
  while (const std::size_t size = stream.read(buffer.data(), step)) bytes.append(buffer, 0, size);
  EXPECT_EQ(stream.read(buffer.data(), step), 0U);
  return bytes;
}

std::vector<std::string> read_lines(const std::filesystem::path& path) {
  LineReader reader(path);
  std::vector<std::string> lines;
  std::string line;
  while (reader.next(line)) {
    lines.push_back(line);
    EXPECT_EQ(reader.line_number(), lines.size());
  }
  EXPECT_FALSE(reader.next(line));
  return lines;
}

// Compressible, yet more than a decoder's buffers hold.
std::string sample(std::uint64_t stream, std::size_t size) {
  std::mt19937_64 random = generator(stream);
  std::string bytes;
  while (bytes.size() < size) {
    bytes += std::string(random() % 50, static_cast<char>('a' + random() % 26));
    bytes += std::to_string(random());
  }
  bytes.resize(size);
  return bytes;
}

TEST(InputStream, UnpacksWhatItsNameOrItsFirstBytesSay) {
  const TemporaryFolder folder;
  for (const std::size_t size : {0, 1, 5, 6, 7, 1000, 262143, 262144, 262145, 3000000}) {
    const std::string bytes = sample(size, size);
    for (const std::string& suffix : kSuffixes) {
      const std::string packed = pack(bytes, suffix);
      write_file(folder / ("named" + suffix), packed);
      write_file(folder / "unnamed", packed);
      for (const std::size_t step : {1000, 1 << 20}) {
        EXPECT_TRUE(read_all(folder / ("named" + suffix), step) == bytes) << suffix << size;
        EXPECT_TRUE(read_all(folder / "unnamed", step) == bytes) << suffix << size;
      }
      InputStream stream(folder / "unnamed");
      std::string all(size + 1, '\0');
      std::size_t got = 0;
      while (const std::size_t more = stream.read(all.data() + got, all.size() - got)) got += more;
      EXPECT_EQ(stream.bytes_consumed(), packed.size());
    }
  }
}

TEST(InputStream, JoinsMembersFramesAndStreams) {
  const TemporaryFolder folder;
  const std::vector<std::string> parts{sample(1, 1000), "", sample(2, 300000), "x"};
  for (const std::string& suffix : kSuffixes) {
    std::string packed;
    std::string bytes;
    for (const std::string& part : parts) {
      packed += pack(part, suffix);
      bytes += part;
    }
    write_file(folder / ("file" + suffix), packed);
    EXPECT_TRUE(read_all(folder / ("file" + suffix), 4096) == bytes) << suffix;
  }
}

TEST(InputStream, ReadsPipes) {
  const TemporaryFolder folder;
  const std::string bytes = sample(3, 100000);
  for (const std::string& suffix : kSuffixes) {
    for (const std::size_t piece : {1, 997, 65536}) {
      const std::string path = (folder / ("pipe" + suffix + std::to_string(piece))).string() + "_";
      const PipeWriter writer(path, pack(bytes, suffix), piece);
      EXPECT_TRUE(read_all(path, 5000) == bytes) << suffix << piece;
    }
  }
}

TEST(InputStream, ReadsStandardInput) {
  const TemporaryFolder folder;
  const std::string bytes = sample(4, 5000);
  for (const std::string& suffix : kSuffixes) {
    write_file(folder / "file", pack(bytes, suffix));
    const int saved = ::dup(STDIN_FILENO);
    ASSERT_NE(std::freopen((folder / "file").c_str(), "rb", stdin), nullptr);
    EXPECT_EQ(InputStream("-").name(), "<stdin>");
    ::lseek(STDIN_FILENO, 0, SEEK_SET);
    EXPECT_TRUE(read_all("-", 1000) == bytes) << suffix;
    ::dup2(saved, STDIN_FILENO);
    ::close(saved);
  }
}

TEST(InputStream, NoticesEveryCut) {
  const TemporaryFolder folder;
  const std::string bytes = sample(5, 600);
  for (const std::string suffix : {".gz", ".zst", ".xz"}) {
    const std::string packed = pack(bytes, suffix);
    for (std::size_t size = 0; size < packed.size(); ++size) {
      const std::filesystem::path path = folder / ("file" + suffix);
      write_file(path, packed.substr(0, size));
      const std::string message = message_of<InputError>([&] { read_all(path, 700); });
      EXPECT_NE(message.find(path.string()), std::string::npos) << message;
      EXPECT_NE(message.find("cut short"), std::string::npos) << message << " at " << size;
    }
  }
}

TEST(InputStream, NoticesCutsOfLargeFilesAndOfLaterMembers) {
  const TemporaryFolder folder;
  std::mt19937_64 random = generator(6);
  for (const std::string suffix : {".gz", ".zst", ".xz"}) {
    const std::string member = pack(sample(7, 600000), suffix);
    const std::string packed = member + member;
    for (int i = 0; i < 30; ++i) {
      std::size_t size = random() % packed.size();
      if (size == member.size()) ++size;
      write_file(folder / "file", packed.substr(0, std::max<std::size_t>(size, 6)));
      EXPECT_THROW(read_all(folder / "file", 100000), InputError) << suffix << size;
    }
  }
}

TEST(InputStream, SurvivesDamageAndNamesTheFile) {
  const TemporaryFolder folder;
  std::mt19937_64 random = generator(8);
  const std::string bytes = sample(9, 20000);
  for (const std::string suffix : {".gz", ".zst", ".xz"}) {
    const std::string packed = pack(bytes, suffix);
    const std::filesystem::path path = folder / ("file" + suffix);
    for (int i = 0; i < 100; ++i) {
      std::string damaged = packed;
      damaged[random() % damaged.size()] ^= static_cast<char>(1U << random() % 8);
      write_file(path, damaged);
      try {  // a header's unused bits (time, system) may change without harm
        const std::string unpacked = read_all(path, 4096);
        EXPECT_TRUE(unpacked == bytes || suffix == ".zst");  // pack() gives zstd no checksum
      } catch (const InputError& error) {
        EXPECT_NE(std::string(error.what()).find(path.string()), std::string::npos);
      }
    }
  }
}

TEST(InputStream, RefusesWhatFollowsThePackedData) {
  const TemporaryFolder folder;
  for (const std::string suffix : {".gz", ".zst", ".xz"}) {
    const std::filesystem::path path = folder / ("file" + suffix);
    write_file(path, pack("text", suffix) + "garbage!");
    EXPECT_THROW(read_all(path, 100), InputError) << suffix;
    write_file(path, "not packed at all\n");
    const std::string message = message_of<InputError>([&] { read_all(path, 100); });
    EXPECT_NE(message.find("rename it if it is not packed"), std::string::npos) << message;
  }
  write_file(folder / "padded.gz", pack("text", ".gz") + std::string(700000, '\0'));
  EXPECT_EQ(read_all(folder / "padded.gz", 100), "text");
  write_file(folder / "padded.xz", pack("text", ".xz") + std::string(400, '\0'));
  EXPECT_EQ(read_all(folder / "padded.xz", 100), "text");
}

struct Stop {};

// Throws Stop when it is called for the fourth time.
std::function<void()> fourth_call_stops() {
  return [calls = 0]() mutable {
    if (++calls == 4) throw Stop{};
  };
}

// A pipe, held open for writing or not, into which nobody writes.
TEST(InputStream, CanBeStoppedWhileAPipeIsSilent) {
  const TemporaryFolder folder;
  const std::string pipe = folder / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  for (const bool has_writer : {false, true}) {
    const int writer = has_writer ? ::open(pipe.c_str(), O_RDWR | O_CLOEXEC) : -1;
    EXPECT_THROW(InputStream(pipe, fourth_call_stops()), Stop);
    for (const DocumentFormat format :
         {DocumentFormat::kJsonl, DocumentFormat::kTsv, DocumentFormat::kTrec,
          DocumentFormat::kText, DocumentFormat::kCsv, DocumentFormat::kHtml}) {
      const auto reader =
          open_documents({.format = format, .inputs = {pipe}, .on_read = fourth_call_stops()});
      RawRecord record;
      EXPECT_THROW(reader->next(record), Stop);
    }
    if (has_writer) ::close(writer);
  }
}

TEST(InputStream, CanBeStoppedWithinALongRecord) {
  const TemporaryFolder folder;
  write_file(folder / "file", "id\t" + std::string(5'000'000, 'x'));
  for (const DocumentFormat format :
       {DocumentFormat::kJsonl, DocumentFormat::kTsv, DocumentFormat::kTrec, DocumentFormat::kText,
        DocumentFormat::kCsv, DocumentFormat::kHtml}) {
    const auto reader = open_documents(
        {.format = format, .inputs = {(folder / "file").string()}, .on_read = fourth_call_stops()});
    RawRecord record;
    EXPECT_THROW(reader->next(record), Stop);
  }
}

// A pipe's end is where its last writer closes it, and not where none has opened it yet.
TEST(InputStream, WaitsForAPipesWriter) {
  const TemporaryFolder folder;
  const std::string pipe = folder / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  int calls = 0;
  std::thread writer;
  InputStream stream(pipe, [&] {
    if (++calls != 3) return;  // the reader has waited already
    writer = std::thread([&] {
      const int file = ::open(pipe.c_str(), O_WRONLY | O_CLOEXEC);
      EXPECT_EQ(::write(file, "later", 5), 5);
      ::close(file);
    });
  });
  std::string bytes(10, '\0');
  EXPECT_EQ(stream.read(bytes.data(), bytes.size()), 5U);
  EXPECT_EQ(bytes.substr(0, 5), "later");
  EXPECT_EQ(stream.read(bytes.data(), bytes.size()), 0U);
  writer.join();
}

// A parent may leave a pipe that does not block as standard input.
TEST(InputStream, WaitsForAStandardInputThatDoesNotBlock) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_NONBLOCK | O_CLOEXEC), 0);
  const int before = ::dup(STDIN_FILENO);
  ASSERT_EQ(::dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
  int calls = 0;
  {
    InputStream stream("-", [&] {
      if (++calls != 3) return;
      EXPECT_EQ(::write(ends[1], "later on", 8), 8);
    });
    std::string bytes(10, '\0');
    EXPECT_EQ(stream.read(bytes.data(), bytes.size()), 8U);
    EXPECT_EQ(bytes.substr(0, 8), "later on");
  }
  EXPECT_GE(calls, 3);
  ::dup2(before, STDIN_FILENO);
  for (const int file : {before, ends[0], ends[1]}) ::close(file);
}

TEST(InputStream, RefusesMissingFilesAndFolders) {
  const TemporaryFolder folder;
  const std::string missing = (folder / "missing").string();
  EXPECT_NE(message_of<IoError>([&] { InputStream stream(missing); }).find(missing),
            std::string::npos);
  EXPECT_NE(message_of<IoError>([&] { InputStream stream(folder.path()); }).find("is a folder"),
            std::string::npos);
}

TEST(LineReader, TakesEveryKindOfLineEnd) {
  const TemporaryFolder folder;
  const auto lines_of = [&](const std::string& bytes) {
    write_file(folder / "file", bytes);
    return read_lines(folder / "file");
  };
  using Lines = std::vector<std::string>;
  EXPECT_EQ(lines_of(""), Lines{});
  EXPECT_EQ(lines_of("\n"), Lines{""});
  EXPECT_EQ(lines_of("a"), Lines{"a"});
  EXPECT_EQ(lines_of("a\n"), Lines{"a"});
  EXPECT_EQ(lines_of("a\r\nb\nc\r\n"), (Lines{"a", "b", "c"}));
  EXPECT_EQ(lines_of("a\n\r\n\nb"), (Lines{"a", "", "", "b"}));
  EXPECT_EQ(lines_of("a\rb\r\r\n"), (Lines{"a\rb\r"}));
  EXPECT_EQ(lines_of("\xEF\xBB\xBF"), Lines{});
  EXPECT_EQ(lines_of("\xEF\xBB\xBF\n"), Lines{""});
  EXPECT_EQ(lines_of("\xEF\xBB\xBF"
                     "a\n\xEF\xBB\xBF"
                     "b"),
            (Lines{"a", "b"}));
  EXPECT_EQ(lines_of("a\n\xEF\xBB\xBF\xEF\xBB\xBF\r\n\xEF\xBB\xBF"), (Lines{"a", ""}));
  EXPECT_EQ(lines_of("a\xEF\xBB\xBF"), Lines{"a\xEF\xBB\xBF"});
  EXPECT_EQ(lines_of("\xEF\xBB"), Lines{"\xEF\xBB"});
  EXPECT_EQ(lines_of("\xEF"), Lines{"\xEF"});
}

TEST(LineReader, SkipsTheByteOrderMarkOfAPipe) {
  const TemporaryFolder folder;
  const PipeWriter writer((folder / "pipe").string(), "\xEF\xBB\xBFone\ntwo", 1);
  EXPECT_EQ(read_lines(folder / "pipe"), (std::vector<std::string>{"one", "two"}));
}

TEST(LineReader, RefusesUtf16AlsoOfAPipeThatGivesByteByByte) {
  for (const std::string& bytes : {std::string("\xFF\xFE"
                                               "1\0",
                                               4),
                                   std::string("1\0\t\0a\0", 6),
                                   std::string("\0"
                                               "1\0\t\0a",
                                               6),
                                   std::string("\xFE\xFF\0"
                                               "1",
                                               4)}) {
    const TemporaryFolder folder;
    const std::string pipe = (folder / "pipe").string();
    const PipeWriter writer(pipe, bytes, 1);
    const std::string message = message_of<InputError>([&] { read_lines(pipe); });
    EXPECT_TRUE(message.starts_with(pipe + " is UTF-16; convert it")) << message;
  }
}

TEST(LineReader, RefusesANulWithItsLine) {
  const TemporaryFolder folder;
  const std::string file = (folder / "file").string();
  write_file(file, std::string("a\nb\0c\nd\n", 8));
  LineReader reader(file);
  std::string line;
  ASSERT_TRUE(reader.next(line));
  const std::string message = message_of<InputError>([&] { reader.next(line); });
  EXPECT_TRUE(message.starts_with(file + ":2 has a NUL (byte 2 of the line, 'b\\0c')")) << message;
  LineReader unchecked(file);
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(unchecked.next_unchecked(line));
  EXPECT_EQ(line, std::string("b\0c", 3));
}

TEST(LineReader, FindsLinesAcrossBuffers) {
  const TemporaryFolder folder;
  std::mt19937_64 random = generator(10);
  std::vector<std::string> lines;
  for (int i = 0; i < 300; ++i) {
    const std::size_t size = i % 50 == 0 ? 262140 + random() % 10 : random() % 3000;
    lines.emplace_back(size, static_cast<char>('a' + random() % 26));
  }
  for (const std::string& suffix : kSuffixes) {
    for (const std::string ending : {"\n", "\r\n"}) {
      std::string bytes;
      for (const std::string& line : lines) bytes += line + ending;
      write_file(folder / ("file" + suffix), pack(bytes, suffix));
      EXPECT_TRUE(read_lines(folder / ("file" + suffix)) == lines) << suffix;
    }
  }
}

/// The lines of a file; "<long>" for those of more than `max_bytes`.
std::vector<std::string> read_short_lines(const std::filesystem::path& path,
                                          std::size_t max_bytes) {
  LineReader reader(path, {}, max_bytes);
  std::vector<std::string> lines;
  for (std::string line;;) {
    try {
      if (!reader.next(line)) return lines;
      lines.push_back(line);
    } catch (const LongLine& error) {
      const std::string place = path.string() + ":" + std::to_string(lines.size() + 1);
      EXPECT_TRUE(std::string(error.what()).starts_with(place + " has a line of more than "))
          << error.what();
      EXPECT_TRUE(line.empty());
      lines.emplace_back("<long>");
    }
    EXPECT_EQ(reader.line_number(), lines.size());
  }
}

TEST(LineReader, RefusesLinesThatAreTooLongAndGoesOn) {
  const TemporaryFolder folder;
  using Lines = std::vector<std::string>;
  for (const std::size_t max : {1, 5, 262'143, 262'144, 300'000, 600'000}) {
    const std::string just(max, 'x');
    for (const std::string end : {"\n", "\r\n"}) {
      for (const std::size_t more : {1, 2, 262'144, 1'000'000}) {
        const std::string above = just + std::string(more, 'y');
        write_file(folder / "file", "a" + end + just + end + above + end + "b" + end + above);
        EXPECT_TRUE(read_short_lines(folder / "file", max) ==
                    Lines({"a", just, "<long>", "b", "<long>"}))
            << max << " and " << more;
      }
    }
  }
}

// Of an input without an end, no more is read than the limit and a buffer.
TEST(LineReader, RefusesALineWithoutAnEnd) {
  LineReader reader("/dev/zero", {}, 1'000'000);
  std::string line;
  EXPECT_THROW(reader.next(line), LongLine);
  EXPECT_LE(reader.stream().bytes_consumed(), 2'000'000U);
}

TEST(LineReader, TakesALineOf50Megabytes) {
  const TemporaryFolder folder;
  const std::string large(50000000, 'x');
  write_file(folder / "file.zst", pack("first\n" + large + "\nlast", ".zst"));
  const std::vector<std::string> lines = read_lines(folder / "file.zst");
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_TRUE(lines[1] == large);
  EXPECT_EQ(lines[2], "last");
}

}  // namespace
}  // namespace warpdex::test::reading
