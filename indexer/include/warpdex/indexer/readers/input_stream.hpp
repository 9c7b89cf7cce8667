// Bytes and lines of a file or of standard input, unpacked on the way.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "warpdex/core/error.hpp"
#include "warpdex/indexer/readers/unpacker.hpp"

namespace warpdex {

/// Reads a file from its start to its end. A name that ends in .gz, .zst or .xz must hold what it
/// says; any other input, standard input too, is unpacked if its first bytes are those of gzip,
/// zstd or xz. Used by one thread at a time, but for bytes_consumed().
class InputStream {
 public:
  /// Opens `path`; "-" is standard input. Waits for the first bytes. `on_read`, if there is one, is
  /// called before each read, and ten times a second while there is nothing to read, as from an
  /// idle pipe; its exceptions are passed on. Throws IoError for a file that is missing or cannot
  /// be opened and for a folder.
  explicit InputStream(const std::filesystem::path& path, std::function<void()> on_read = {},
                       const UnpackLimit& unpack_limit = {});
  ~InputStream();
  InputStream(const InputStream&) = delete;
  InputStream& operator=(const InputStream&) = delete;

  /// Writes up to `size` unpacked bytes to `out`; returns how many, 0 only at the end (or for a
  /// size of 0). Throws IoError if the system cannot read, InputError if packed bytes are damaged
  /// or cut short, or need more memory than the limit; both name the file.
  std::size_t read(char* out, std::size_t size);

  /// Bytes taken from the file so far, as they lie there (packed). Safe from any thread.
  std::uint64_t bytes_consumed() const { return consumed_.load(std::memory_order_relaxed); }

  /// The bytes that unpacking takes in memory now; 0 for what is not packed.
  std::uint64_t unpacking_memory() const { return unpacker_ ? unpacker_->memory() : 0; }

  /// The path as given, "<stdin>" for standard input.
  const std::string& name() const { return name_; }

 private:
  void detect_packing(Packing claimed);
  std::size_t read_packed(char* out, std::size_t size);
  std::size_t read_unpacked(char* out, std::size_t size);
  bool refill();
  std::size_t read_some(void* out, std::size_t size);
  void wait_for_bytes() const;
  [[noreturn]] void fail_damaged(const std::string& reason) const;
  [[noreturn]] void fail_memory(std::uint64_t needed) const;

  std::string name_;
  std::function<void()> on_read_;
  UnpackLimit unpack_limit_;
  int file_ = -1;
  Packing packing_ = Packing::kPlain;
  std::unique_ptr<Unpacker> unpacker_;     // null for plain bytes
  std::vector<std::uint8_t> buffer_;       // as they lie in the file
  std::span<const std::uint8_t> pending_;  // the part of buffer_ not yet handed on
  bool ended_ = false;                     // the system said that no bytes follow
  std::atomic<std::uint64_t> consumed_{0};
};

/// A line that is too long to be read. The message names file and line.
class LongLine : public InputError {
 public:
  LongLine(const std::string& place, const std::string& problem)
      : InputError(place + " " + problem + "; split it, or give a file of lines"),
        problem_(problem) {}
  /// "has a line of more than 67108864 bytes", for other messages.
  const std::string& problem() const { return problem_; }

 private:
  std::string problem_;
};

/// The longest line that is read, in bytes, unless another limit is given: far more than lists of
/// ids, runs, judgements and queries have in a line.
inline constexpr std::size_t kMaxLineBytes = std::size_t{64} << 20;

/// Lines of an InputStream. A line ends with "\n" or "\r\n", the last one also with the input;
/// UTF-8 byte order marks at the start of a line are dropped, since files that were joined have
/// them anywhere.
class LineReader {
 public:
  /// Opens `path` as InputStream does. Lines have up to `max_bytes`, without their end.
  explicit LineReader(const std::filesystem::path& path, std::function<void()> on_read = {},
                      std::size_t max_bytes = kMaxLineBytes, const UnpackLimit& unpack_limit = {});

  /// Replaces `line` by the next line, without its end; false at the end of the input. Throws as
  /// InputStream::read does; LongLine as soon as a line proves too long: the next call passes over
  /// the rest of it; InputError for a file that starts as UTF-16 or UTF-32 does and, "FILE:LINE …",
  /// for a line with a NUL.
  bool next(std::string& line);

  /// Likewise, but gives lines with a NUL too, to callers that refuse them on their own (see
  /// line_fault()).
  bool next_unchecked(std::string& line);

  /// Whether a whole line was read already, so that next() gives it without reading.
  bool has_line_at_hand() const;

  /// Number of the line that next() gave last, from 1; 0 before the first.
  std::uint64_t line_number() const { return line_number_; }

  const InputStream& stream() const { return stream_; }
  const std::string& name() const { return stream_.name(); }

 private:
  bool fill();
  void pass_over_long_line();
  [[noreturn]] void fail_long(std::string& line);
  /// Throws for the first `size` bytes of a file that is not UTF-8, reading more if need be;
  /// returns how many there are then.
  std::size_t check_start(std::size_t size);

  InputStream stream_;
  std::unique_ptr<char[]> buffer_;
  const char* begin_ = nullptr;  // of the bytes in buffer_ that belong to lines to come
  const char* end_ = nullptr;
  std::uint64_t line_number_ = 0;
  std::size_t max_bytes_;
  bool started_ = false;
  bool in_long_line_ = false;  // whose rest is still to be passed over
};

}  // namespace warpdex
