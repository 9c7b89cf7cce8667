// Several input files, read one after another as lines, with where each line stands.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "warpdex/indexer/readers/document_reader.hpp"
#include "warpdex/indexer/readers/input_stream.hpp"

namespace warpdex {

/// The sum of the sizes of `inputs`, in bytes, if all are regular files; else 0. Throws IoError for
/// one that does not exist, UsageError if standard input ("-") is named twice.
std::uint64_t total_size(const std::vector<std::string>& inputs);

/// Makes a record one that is longer than `max_bytes` and was not kept.
void set_too_long(RawRecord& record, std::size_t max_bytes);

/// The lines of all files, in order. Used by one thread at a time, but for the counts of bytes.
class InputFiles {
 public:
  /// Throws as total_size() does, IoError for a folder, and UsageError for an empty list.
  /// With the limits of `options`; a line is a document, or a part of one.
  explicit InputFiles(const ReaderOptions& options);

  /// Replaces `line` by the next line of the current file, opening the next where none is open.
  /// False at the end of a file too: then at_end() tells whether it was the last. A line that is
  /// too long comes as an empty one. The line may hold a NUL, which check_utf8() refuses.
  bool next_line(std::string& line);
  /// Whether the last line was too long.
  bool is_long_line() const { return is_long_line_; }
  std::size_t max_line_bytes() const { return max_line_bytes_; }
  bool at_end() const { return !lines_ && next_input_ == inputs_.size(); }

  /// Where the last line stands.
  const Location& location() const { return location_; }

  std::uint64_t unpacking_memory() const { return unpacking_.load(std::memory_order_relaxed); }
  std::uint64_t bytes_consumed() const { return consumed_.load(std::memory_order_relaxed); }
  std::uint64_t bytes_total() const { return total_; }

 private:
  std::vector<std::string> inputs_;
  std::function<void()> on_read_;
  std::size_t max_line_bytes_;
  UnpackLimit unpack_limit_;
  bool is_long_line_ = false;
  std::uint64_t total_ = 0;
  std::size_t next_input_ = 0;
  std::optional<LineReader> lines_;
  Location location_;
  std::uint64_t consumed_before_ = 0;  // of the files before the current one
  std::atomic<std::uint64_t> consumed_{0};
  std::atomic<std::uint64_t> unpacking_{0};
};

}  // namespace warpdex
