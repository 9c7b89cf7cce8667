// What the commands share that write an index from another one: its place, memory and threads, the
// display of progress, and the report of sizes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "options/options.hpp"
#include "output/progress.hpp"
#include "warpdex/indexer/rewrite/rewrite.hpp"

namespace warpdex::tools {

/// INDEX, --output, --memory, --threads and --quiet; declared once, read after parse().
class RewriteArguments {
 public:
  RewriteArguments() = default;
  /// `output` says in help what --output is.
  explicit RewriteArguments(const char* output) : output_meaning_(output) {}

  void add_to(CommandLine& command);
  /// Throws UsageError. Progress goes to standard error unless it is quiet, and a signal ends the
  /// work; `progress` must outlive it.
  RewriteOptions options(Progress& progress) const;
  const std::string& input() const { return input_; }
  const std::string& output() const { return output_; }
  bool quiet() const { return quiet_; }

 private:
  std::string input_;
  std::string output_;
  std::string memory_ = "1G";
  std::int64_t threads_ = 0;
  bool quiet_ = false;
  const char* output_meaning_ =
      "the new index's folder: a new one, or an index of text to replace, which INDEX may be; it "
      "may hold nothing else";
};

void show(Progress& progress, const RewriteProgress& state);

/// Bytes of all files in a folder that can be read: the next build may be replacing it already.
std::uint64_t folder_bytes(const std::filesystem::path& folder);

/// An output's sizes before and after. Make it before the work: if the current folder is the one
/// that is replaced, relative paths lead elsewhere afterwards.
class RewrittenFolder {
 public:
  explicit RewrittenFolder(const RewriteArguments& arguments);
  std::uint64_t bytes_before() const { return bytes_before_; }
  std::uint64_t bytes_now() const { return folder_bytes(output_); }
  bool is_current() const { return is_current_; }

 private:
  std::filesystem::path output_;
  std::uint64_t bytes_before_;
  bool is_current_;
};

}  // namespace warpdex::tools
