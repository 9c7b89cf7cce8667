// A block of queries as one piece of memory, made on the host and copied to the GPU at once.
#pragma once

#include <cstddef>
#include <cstdint>

#include "binary/gpu/binary_data.hpp"
#include "binary/gpu/gpu_binary_codes.hpp"
#include "flat/gpu/flat_data.hpp"
#include "flat/gpu/products.hpp"
#include "flat/search_input.hpp"
#include "warpdex/core/cuda/arena.hpp"
#include "warpdex/core/cuda/stream.hpp"
#include "warpdex/vector/searcher/search_options.hpp"

namespace warpdex::vector {

class QueryImage {
 public:
  /// For up to `queries` queries of `query_bits` bits a component.
  QueryImage(const GpuBinaryCodes& codes, std::size_t queries, std::size_t query_bits);

  /// Takes its GPU memory, or measures it.
  void lay_out(Arena& arena);
  /// Page-locked bytes that encode() writes.
  std::size_t bytes() const { return bytes_; }

  /// Encodes queries [first, first + count) on the host's threads. Lists are empty then, and limits
  /// let all through; queries whose distances may pass the range of floats are open.
  void encode(const PreparedQueries& queries, std::size_t first, std::size_t count,
              const SearchOptions& depth, void* pinned) const;
  /// Queues the copy of what encode() wrote about `count` queries; it stays until the stream has
  /// passed the copy.
  void send(const void* pinned, std::size_t count, const Stream& stream);

  /// In GPU memory, of what was sent.
  DeviceQueries floats() const { return {gpu_.prepared, count_, stride_}; }
  DeviceQueryCodes codes() const {
    return {gpu_.words, words_, gpu_.weights, gpu_.bases, count_, query_bits_, top_, gpu_.shares};
  }
  /// Limits, margins (as slacks) and open queries, for tighten().
  QueryPanels panels() const;
  std::uint32_t* counts() const { return gpu_.counts; }
  std::uint32_t count() const { return count_; }

 private:
  struct Pieces {
    float* prepared;
    std::uint32_t* words;
    float* weights;
    float* bases;
    float* shares;
    float* limits;
    float* margins;
    std::uint32_t* is_open;
    std::uint32_t* counts;
  };
  Pieces cut(Arena& arena, std::size_t queries) const;
  void encode_one(const Pieces& pieces, const float* query, std::size_t place,
                  const SearchOptions& depth) const;

  const GpuBinaryCodes& all_;
  std::uint32_t query_bits_;
  std::uint32_t stride_;  ///< floats of a prepared query
  std::uint32_t words_;   ///< of a query's code
  std::int32_t top_;
  std::size_t bytes_;
  std::uint8_t* memory_ = nullptr;  ///< in GPU memory
  std::uint32_t count_ = 0;
  Pieces gpu_{};  ///< of what was sent
};

}  // namespace warpdex::vector
