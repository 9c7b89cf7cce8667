// The forward index of a segment: each document's terms and frequencies, turned around from the
// posting lists as these are written. docs/format.md, "Forward index".
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>
#include <vector>

#include "format/memory_region.hpp"
#include "warpdex/core/storage/section_file.hpp"

namespace warpdex {

/// Documents that share an entry of the forward offsets.
inline constexpr std::uint32_t kForwardGroup = 16;

/// Takes lists in the order of their terms. Postings are gathered by ranges of documents, each in
/// chunks of memory; where they are too many, they are written to a temporary file, range after
/// range. The end goes over the ranges, each of which fits into memory. O(postings).
class ForwardWriter {
 public:
  /// `folder` is for temporary files.
  explicit ForwardWriter(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// Bytes for postings. Before begin().
  void set_memory(std::uint64_t bytes);
  /// For the end; 0: all processors.
  void set_threads(std::size_t threads) { threads_ = threads; }

  /// The documents of the segment. Before the first list.
  void begin(std::uint64_t documents);
  /// The next term's list, not empty. Throws IoError, std::bad_alloc.
  void add_list(std::uint32_t term_number, std::span<const std::uint32_t> docids,
                std::span<const std::uint32_t> frequencies);

  /// Writes the sections, once all lists are there. Throws IoError.
  void finish(SectionWriter& offsets, SectionWriter& bytes);

  /// Bytes held at the moment.
  std::uint64_t memory() const;

 private:
  struct Entry {
    std::uint32_t document;
    std::uint32_t term;
    std::uint32_t frequency;
  };
  /// The entries of a range that are in memory.
  struct Range {
    std::vector<std::uint32_t> chunks;  ///< all full but the last
    std::uint64_t next = 0;             ///< the place of the next entry, if `left` is not 0
    std::uint32_t left = 0;             ///< room in the last chunk
  };
  /// Entries of each range in the file, from `first[range]` on.
  struct Run {
    std::vector<std::uint64_t> first;
  };
  /// Entries that lie beside each other.
  using Pieces = std::vector<std::span<const Entry>>;
  struct Encoded;

  Entry* pool() { return reinterpret_cast<Entry*>(memory_.data()); }
  void take_chunk(Range& range);
  Pieces pieces(const Range& range);
  void spill();
  std::vector<Entry> read_range(std::ifstream& file, std::uint64_t range) const;
  static Encoded encode(const Pieces& pieces, std::uint64_t begin, std::uint64_t end);

  std::filesystem::path folder_;
  std::uint64_t max_memory_ = std::uint64_t{32} << 20;
  std::size_t threads_ = 0;
  std::uint64_t documents_ = 0;
  std::uint32_t range_shift_ = 0;  ///< a document's range is its docID >> range_shift_
  std::vector<Range> ranges_;
  build::MemoryRegion memory_;  ///< of all chunks
  std::uint64_t chunks_ = 0;    ///< that are in use
  std::uint64_t max_chunks_ = 0;
  std::ofstream file_;
  std::uint64_t spilled_ = 0;  ///< entries in the file
  std::vector<Run> runs_;
};

}  // namespace warpdex
