// Bytes and lines of files that may be packed. The input's first byte chooses the file's suffix,
// the second how many bytes are asked for at once, the rest is the file.
#include <array>
#include <string>

#include "tests/fuzz/fuzz_support.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/indexer/readers/input_stream.hpp"

namespace warpdex::fuzz {
namespace {

constexpr std::array<const char*, 4> kSuffixes{"", ".gz", ".zst", ".xz"};
/// A few bytes may unpack to gigabytes: no more than this is read.
constexpr std::size_t kMaxBytes = std::size_t{1} << 16;

/// What came out of a file before its end, an error, or too much of it.
struct Unpacked {
  std::string bytes;
  bool is_damaged = false;
  bool is_cut() const { return bytes.size() >= kMaxBytes; }
};

Unpacked read(const std::filesystem::path& file, std::size_t step) {
  Unpacked unpacked;
  std::string buffer(step, '\0');
  try {
    InputStream stream(file);
    while (!unpacked.is_cut()) {
      const std::size_t size = stream.read(buffer.data(), buffer.size());
      require(size <= step, "no more bytes are given than were asked for");
      if (size == 0) break;
      unpacked.bytes.append(buffer, 0, size);
    }
    require(stream.bytes_consumed() <= std::filesystem::file_size(file),
            "no more bytes are read than there are");
  } catch (const InputError&) {
    unpacked.is_damaged = true;
  }
  return unpacked;
}

/// The next line of `bytes` as LineReader should give it.
std::string_view cut_line(std::string_view& bytes) {
  const std::size_t end = std::min(bytes.find('\n'), bytes.size());
  std::string_view line = bytes.substr(0, end);
  // A carriage return ends a line with its line feed only.
  if (end < bytes.size() && line.ends_with('\r')) line.remove_suffix(1);
  while (line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
  bytes.remove_prefix(std::min(end + 1, bytes.size()));
  return line;
}

void check_lines(const std::filesystem::path& file, std::string_view bytes) {
  LineReader lines(file);
  std::uint64_t number = 0;
  for (std::string line; lines.next_unchecked(line);) {
    require(!bytes.empty(), "no more lines are given than there are");
    require(line == cut_line(bytes), "lines are what stands between their ends");
    require(lines.line_number() == ++number, "lines are counted from 1");
  }
  require(bytes.empty() || cut_line(bytes).empty(), "all lines are given");
}

void run(InputBytes input) {
  const std::string name = std::string("packed") + kSuffixes[input.byte() % kSuffixes.size()];
  const std::size_t step = 1 + input.byte();
  const std::filesystem::path file = write_file(work_folder() / name, input.rest());
  const Unpacked whole = read(file, kMaxBytes);
  const Unpacked pieces = read(file, step);
  if (!whole.is_cut() && !pieces.is_cut()) {
    // Before damage, what was unpacked by the call that meets it is not given. And libzstd misses
    // an empty block in the place of content unless it unpacks a frame at once.
    require(whole.is_damaged ? pieces.bytes.starts_with(whole.bytes)
                             : !pieces.is_damaged && pieces.bytes == whole.bytes,
            "the same bytes are unpacked however they are asked for");
    if (!whole.is_damaged) {
      try {
        check_lines(file, whole.bytes);
      } catch (const InputError&) {
        require(whole.bytes.find('\0') < 4 || whole.bytes.find_first_of("\xFE\xFF") < 4,
                "only what starts as UTF-16 does is refused");
      }
    }
  }
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace warpdex::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  warpdex::fuzz::run({data, size});
  return 0;
}
