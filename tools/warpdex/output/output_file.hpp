// An output file that appears whole or not at all.
#pragma once

#include <filesystem>
#include <optional>
#include <ostream>
#include <streambuf>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "warpdex/core/storage/pending_file.hpp"

namespace warpdex::tools {

/// Writes to standard output (an empty path or "-"), or to a new file beside the target that takes
/// its name in commit(), so that a run that fails leaves what was there. That file's name holds the
/// process's id; one that an earlier process of this id left is replaced. A target that exists and
/// is not a regular file (a device, a pipe), or names an open descriptor (/dev/stderr, /dev/fd/3),
/// is written to directly.
class OutputFile {
 public:
  /// Throws IoError if nothing can be written there.
  explicit OutputFile(const std::filesystem::path& target);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// To write to. It throws IoError, with the system's reason, where bytes cannot be written.
  std::ostream& stream() { return stream_; }
  /// Writes what is left and waits for the disk. Where several files belong together, all of them
  /// do this before the first is committed. Throws IoError.
  void write_through() { buffer_.write_through(); }
  /// Writes what is left and gives the file its name. Throws IoError. Once, at the end.
  void commit() { buffer_.commit(); }

 private:
  class Buffer : public std::streambuf {
   public:
    explicit Buffer(const std::filesystem::path& target);
    void write_through();
    void commit();

   protected:
    int_type overflow(int_type c) override;
    std::streamsize xsputn(const char* data, std::streamsize size) override;
    int sync() override;

   private:
    void write_pending();

    std::optional<PendingFile> file_;  ///< none: standard output
    std::string pending_;
  };

  Buffer buffer_;
  std::ostream stream_;
};

/// Writes texts to their targets, all of them before the first takes its name. An empty target is
/// none here. Throws IoError.
void write_outputs(const std::vector<std::pair<std::string, std::string>>& outputs);

/// Writes all of `bytes` as one OutputFile.
void write_output(const std::filesystem::path& target, std::string_view bytes);

}  // namespace warpdex::tools
