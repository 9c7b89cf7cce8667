// The forward index of a segment: each document's terms and frequencies, turned around from the
// posting lists as these are written. docs/format.md, "Forward index".
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>
#include <vector>

#include "warpdex/core/storage/section_file.hpp"

namespace warpdex {

/// Documents that share an entry of the forward offsets.
inline constexpr std::uint32_t kForwardGroup = 16;

/// Takes lists in the order of their terms. Postings are gathered in memory; where they are too
/// many, they are sorted by ranges of documents and written to a temporary file, range after range.
/// The end goes over the ranges, each of which fits into memory. O(postings).
class ForwardWriter {
 public:
  /// `folder` is for temporary files.
  explicit ForwardWriter(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// Bytes for postings. Before the first list.
  void set_memory(std::uint64_t bytes);
  /// For the end; 0: all processors.
  void set_threads(std::size_t threads) { threads_ = threads; }

  /// The next term's list. Throws IoError.
  void add_list(std::uint32_t term_number, std::span<const std::uint32_t> docids,
                std::span<const std::uint32_t> frequencies);

  /// Writes the sections, once all lists are there. Throws IoError.
  void finish(std::uint64_t documents, SectionWriter& offsets, SectionWriter& bytes);

  /// Bytes held at the moment.
  std::uint64_t memory() const;

 private:
  struct Entry {
    std::uint32_t document;
    std::uint32_t term;
    std::uint32_t frequency;
  };
  /// Entries of each range, from `first[range]` on.
  struct Run {
    std::vector<std::uint64_t> first;
  };
  struct Encoded;

  void spill();
  std::vector<Entry> read_range(std::ifstream& file, std::uint64_t range) const;
  static Encoded encode(std::span<const Entry> entries, std::uint64_t begin, std::uint64_t end);

  std::filesystem::path folder_;
  std::size_t max_entries_ = (std::size_t{32} << 20) / (2 * sizeof(Entry));
  std::size_t threads_ = 0;
  std::vector<Entry> entries_;
  std::ofstream file_;
  std::uint64_t spilled_ = 0;  ///< entries in the file
  std::vector<Run> runs_;
};

}  // namespace warpdex
