// The runs of a build: spilled inverters, merged down until few enough are left.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <vector>

#include "build/inverter.hpp"
#include "build/term_source.hpp"
#include "warpdex/indexer/format/text_fields.hpp"

namespace warpdex::build {

/// Run files in a folder, which belongs to the caller and is not removed.
class RunStore {
 public:
  explicit RunStore(std::filesystem::path folder, const PositionedTexts& positioned = {})
      : folder_(std::move(folder)), positioned_(positioned) {}

  /// Writes the inverter's postings to a run, if it has any, and resets it. Safe from many
  /// threads. Throws IoError.
  void spill(Inverter& inverter);

  /// Spilled so far.
  std::uint64_t spilled() const { return spilled_.load(); }

  /// Merges runs, `fan_in` at a time (2 or more), until at most `fan_in` are left. Throws IoError.
  void merge_down(std::size_t fan_in, std::size_t buffer_bytes);

  /// Runs that are left.
  std::size_t size() const { return runs_.size(); }

  /// What one open run costs: its buffer, and a term's name, whose string may be twice as long.
  std::uint64_t bytes_per_run(std::size_t buffer_bytes) const {
    return buffer_bytes + 2 * std::uint64_t{longest_term_};
  }

  /// Opens all that are left.
  std::vector<std::unique_ptr<TermSource>> open(std::size_t buffer_bytes) const;

 private:
  std::filesystem::path new_path();

  std::filesystem::path folder_;
  PositionedTexts positioned_;
  std::atomic<std::uint64_t> spilled_{0};
  std::mutex mutex_;
  std::uint64_t created_ = 0;
  std::size_t longest_term_ = 0;  // in any run
  std::vector<std::filesystem::path> runs_;
};

}  // namespace warpdex::build
