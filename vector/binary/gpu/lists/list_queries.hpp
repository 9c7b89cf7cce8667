// A block of queries for lists of binary codes, made on the host and copied to the GPU at once.
#pragma once

#include <cstddef>
#include <cstdint>

#include "binary/gpu/binary_data.hpp"
#include "binary/gpu/lists/gpu_list_codes.hpp"
#include "flat/gpu/flat_data.hpp"
#include "flat/gpu/panels.hpp"
#include "flat/search_input.hpp"
#include "warpdex/core/cuda/arena.hpp"
#include "warpdex/core/cuda/stream.hpp"
#include "warpdex/vector/binary/binary_vectors.hpp"

namespace warpdex::vector {

class ListQueries {
 public:
  /// For up to `queries` queries of `query_bits` bits a component. `lists` must outlive it.
  ListQueries(const GpuListCodes& lists, std::size_t queries, std::size_t query_bits);

  /// Takes its GPU memory, or measures it.
  void lay_out(Arena& arena) { gpu_ = cut(arena); }
  /// Page-locked bytes that send() needs.
  std::size_t bytes() const { return bytes_; }

  /// Encodes queries [first, first + count) on the host's threads and queues their copy. `pinned`
  /// has bytes() bytes, which stay until the stream has passed the copy. Lists of candidates are
  /// empty then, and limits let all through; queries whose distances may pass the range of floats
  /// are open.
  void send(const PreparedQueries& queries, std::size_t first, std::size_t count, void* pinned,
            const Stream& stream);

  /// In GPU memory; they have no bases.
  DeviceQueryCodes codes() const {
    return {gpu_.words, words_, gpu_.weights, nullptr, count_, query_bits_, top_};
  }
  /// Limits, slacks (0) and open queries, for tighten().
  QueryPanels panels() const;
  std::uint32_t* counts() const { return gpu_.counts; }
  std::uint32_t count() const { return count_; }

 private:
  struct Pieces {
    std::uint32_t* words;
    float* weights;
    float* limits;
    float* slacks;
    std::uint32_t* is_open;
    std::uint32_t* counts;
  };
  Pieces cut(Arena& arena) const;
  void encode(const Pieces& pieces, const float* query, std::size_t place) const;

  const GpuListCodes& lists_;
  const Lists<BinaryCoding>& vectors_;
  std::size_t queries_;
  std::uint32_t query_bits_;
  std::uint32_t words_;  ///< of a query's code
  std::int32_t top_;
  std::size_t bytes_;
  std::uint32_t count_ = 0;
  Pieces gpu_{};
};

}  // namespace warpdex::vector
