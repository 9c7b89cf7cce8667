// Runs: sorted terms with their postings in a temporary file. Per term: varint of the term's
// length, the term, varint of the postings' size in bytes, the postings (posting_code.hpp).
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "build/term_source.hpp"

namespace warpdex::build {

/// Writes a run. Every write is checked.
class RunWriter {
 public:
  /// Creates the file. Throws IoError.
  explicit RunWriter(std::filesystem::path path);
  ~RunWriter();
  RunWriter(const RunWriter&) = delete;
  RunWriter& operator=(const RunWriter&) = delete;

  /// The next term. Throws IoError, on a full disk for example.
  void add(std::string_view term, std::span<const std::uint8_t> postings);

  /// Bytes of the longest term so far.
  std::size_t longest_term() const { return longest_term_; }

  /// Writes what is left and closes the file. Without this call, the file is cut short. Throws
  /// IoError.
  void finish();

 private:
  void append(const void* bytes, std::size_t count);
  void flush();
  [[noreturn]] void fail(int code) const;

  std::filesystem::path path_;
  int file_ = -1;
  std::size_t longest_term_ = 0;
  std::vector<std::uint8_t> buffer_;
};

/// Reads a run through a buffer, which does not grow; beside it, it holds the name of one term.
class RunReader final : public TermSource {
 public:
  /// Opens the file. `buffer_bytes` is at least 64. Throws IoError.
  RunReader(std::filesystem::path path, std::size_t buffer_bytes);
  ~RunReader() override;
  RunReader(const RunReader&) = delete;
  RunReader& operator=(const RunReader&) = delete;

  bool next() override;
  void take(std::vector<std::uint8_t>& out) override;

 private:
  std::size_t available() const { return end_ - begin_; }
  bool fill(std::size_t wanted);
  template <class Take>
  void take_bytes(std::uint64_t count, const Take& take);
  std::uint64_t take_varint();
  [[noreturn]] void fail(const char* what) const;

  std::filesystem::path path_;
  int file_ = -1;
  std::vector<std::uint8_t> buffer_;
  std::size_t begin_ = 0;  // of the bytes in the buffer that are to come
  std::size_t end_ = 0;
  std::string name_;  // the current term
};

}  // namespace warpdex::build
