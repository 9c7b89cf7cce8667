// The nearest of a block of queries by their codes, in rounds: after each, limits are lower.
#pragma once

#include <cstddef>
#include <cstdint>

#include "binary/gpu/gpu_binary_codes.hpp"
#include "binary/gpu/kernels.hpp"
#include "binary/gpu/query_image.hpp"
#include "flat/gpu/list_rounds.hpp"
#include "flat/gpu/products.hpp"
#include "warpdex/core/cuda/arena.hpp"

namespace warpdex::vector {

/// Each round compares some rows with all queries, by counts of bits or, where there are many
/// queries, by products on the tensor cores, and adds what is within a query's limit to its list.
/// Distances are exact either way.
class CodeRounds {
 public:
  /// For blocks of up to `queries` queries, of which the `candidates` nearest are wanted; up to
  /// kMaxProductNeighbors (product_search.hpp).
  CodeRounds(const GpuBinaryCodes& codes, std::size_t queries, std::size_t candidates,
             std::size_t query_bits);

  /// Takes its memory, or measures it.
  void lay_out(Arena& arena);

  /// Queues the search. `nearest` gets the nearest by their codes; if `trims`, lists() have just
  /// these and what is within the margins. `filter`, in GPU memory, may be null. Queries whose
  /// lists had too few places become open (QueryPanels).
  void run(const QueryImage& queries, const std::uint64_t* filter, bool trims,
           const DeviceAnswers& nearest, const Stream& stream);

  CandidateLists lists(const QueryImage& queries) const;
  bool overlaps() const { return overlaps_; }
  TileOrder order() const { return {codes_.count(), kPanelRows}; }

 private:
  void match_part(const QueryImage& queries, const std::uint64_t* filter, std::uint32_t panel,
                  std::uint32_t count, const Stream& stream);

  const GpuBinaryCodes& codes_;
  std::uint32_t queries_;
  std::uint32_t candidates_;
  ListRounds rounds_;
  bool by_products_;
  PanelNumber number_;
  bool overlaps_;              ///< its launches; kernels of products do not start early
  std::uint32_t slab_panels_;  ///< that are unpacked at a time, or scanned
  Candidate* lists_ = nullptr;
  std::uint8_t* query_panels_ = nullptr;
  UnpackedPanels slab_;
};

}  // namespace warpdex::vector
