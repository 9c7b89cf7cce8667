// Searches of many queries among binary codes, block by block, in rounds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "binary/gpu/binary_block.hpp"
#include "flat/gpu/gpu_rows.hpp"
#include "flat/gpu/workspace.hpp"
#include "flat/search_input.hpp"

namespace warpdex::vector {

/// Sets a query's answers from the keys of its candidates: with refining, rows that are ranked anew
/// by the vectors in the host's memory.
void finish_query(const BinaryVectors& vectors, const PreparedQueries& queries,
                  const WantedCodes& wanted, std::size_t query, std::vector<std::uint64_t>& keys,
                  Neighbors& result);

/// What is given must outlive it.
class BlockSearch {
 public:
  /// `vectors` is null where they are not in GPU memory.
  BlockSearch(const GpuBinaryCodes& codes, const GpuRows* vectors, WorkspacePool& pool)
      : codes_(codes), vectors_(vectors), pool_(pool) {}

  /// Up to kMaxProductNeighbors candidates a query. Returns the queries that are left open, without
  /// answers.
  std::vector<std::uint32_t> run(const PreparedQueries& queries, const WantedCodes& wanted,
                                 Neighbors& result) const;

 private:
  /// The rows that queries of a block are to be compared with, query after query; missing ones are
  /// all ones.
  struct FoundRows {
    std::vector<std::uint32_t> rows;
    std::vector<std::size_t> begins;  ///< of each query, and the end

    std::size_t queries() const { return begins.empty() ? 0 : begins.size() - 1; }
    std::span<const std::uint32_t> of(std::size_t query) const {
      return std::span(rows).subspan(begins[query], begins[query + 1] - begins[query]);
    }
    bool has_empty() const;
  };

  /// Queues block after block; while the GPU works on one, the host encodes the next. Calls
  /// take(first, count) for queries [first, first + count) of each; it waits for the stream.
  template <class Take>
  void search_blocks(const PreparedQueries& queries, const WantedCodes& wanted, BinaryBlock& block,
                     Workspace& workspace, const Take& take) const;
  std::vector<std::uint32_t> search_on_gpu(const PreparedQueries& queries,
                                           const WantedCodes& wanted, BinaryBlock& block,
                                           Workspace& workspace, Neighbors& result) const;
  /// Ranks what was found by the vectors in the host's memory. While the host's threads do that,
  /// the GPU searches for the next queries.
  std::vector<std::uint32_t> search_and_rank_on_host(const PreparedQueries& queries,
                                                     const WantedCodes& wanted, BinaryBlock& block,
                                                     Workspace& workspace, Neighbors& result) const;
  /// What was found for the queries from `first` on.
  void rank_on_host(const FoundRows& found, std::size_t first, const PreparedQueries& queries,
                    const WantedCodes& wanted, Neighbors& result) const;
  /// Queues all that the GPU does for so many queries, which are encoded in `pinned`.
  void start_block(const void* pinned, std::size_t count, const WantedCodes& wanted,
                   BinaryBlock& block, const Stream& stream) const;
  void refine_block(const BinaryBlock& block, const Stream& stream) const;
  /// Waits for the stream.
  FoundRows fetch_candidates(const WantedCodes& wanted, const BinaryBlock& block,
                             const Stream& stream) const;
  /// The open queries of a block that begins with query `first`.
  std::vector<std::uint32_t> find_open_of(const BinaryBlock& block, std::size_t first,
                                          Workspace& workspace) const;

  const GpuBinaryCodes& codes_;
  const GpuRows* vectors_;
  WorkspacePool& pool_;
};

}  // namespace warpdex::vector
