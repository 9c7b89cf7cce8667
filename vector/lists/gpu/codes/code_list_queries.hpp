// A block of queries for lists of codes, made on the host and copied to the GPU at once.
#pragma once

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "flat/gpu/products.hpp"
#include "flat/search_input.hpp"
#include "lists/gpu/codes/gpu_code_lists.hpp"
#include "warpdex/core/cuda/arena.hpp"
#include "warpdex/core/cuda/copies.hpp"
#include "warpdex/core/cuda/stream.hpp"

namespace warpdex::vector {

template <class Coding>
class CodeListQueries {
 public:
  /// For up to `queries` queries of `query_bits` bits a component. `lists` must outlive it.
  CodeListQueries(const GpuCodeLists<Coding>& lists, std::size_t queries, std::size_t query_bits)
      : lists_(lists),
        queries_(queries),
        query_bits_(query_bits),
        words_(static_cast<std::uint32_t>(lists.codes().query_words(query_bits))) {
    Arena measure(nullptr);
    cut(measure);
    bytes_ = measure.used();
  }

  /// Takes its GPU memory, or measures it.
  void lay_out(Arena& arena) { gpu_ = cut(arena); }
  /// Page-locked bytes that send() needs.
  std::size_t bytes() const { return bytes_; }

  /// Encodes queries [first, first + count) on the host's threads and queues their copy. `pinned`
  /// has bytes() bytes, which stay until the stream has passed the copy. Lists of candidates are
  /// empty then, and limits let all through; queries whose distances may pass the range of floats
  /// are open.
  void send(const PreparedQueries& queries, std::size_t first, std::size_t count, void* pinned,
            const Stream& stream) {
    constexpr std::size_t kPartQueries = 16;
    Arena arena(pinned);
    const Pieces pieces = cut(arena);
    oneapi::tbb::parallel_for(oneapi::tbb::blocked_range<std::size_t>(0, count, kPartQueries),
                              [&](const auto& part) {
                                for (std::size_t i = part.begin(); i < part.end(); ++i) {
                                  encode(pieces, queries.query(first + i), i);
                                }
                              });
    count_ = static_cast<std::uint32_t>(count);
    copy_to_gpu(reinterpret_cast<std::uint8_t*>(gpu_.words),
                static_cast<const std::uint8_t*>(pinned), bytes_, stream);
  }

  /// In GPU memory.
  auto codes() const {
    return lists_.codes().queries({gpu_.words, words_, gpu_.weights, gpu_.shifts, count_},
                                  query_bits_);
  }
  /// Limits, slacks (0) and open queries, for tighten().
  QueryPanels panels() const {
    QueryPanels panels;
    panels.limits = gpu_.limits;
    panels.slacks = gpu_.slacks;
    panels.is_open = gpu_.is_open;
    return panels;
  }
  std::uint32_t* counts() const { return gpu_.counts; }
  std::uint32_t count() const { return count_; }

 private:
  struct Pieces {
    std::uint32_t* words;
    float* weights;
    float* shifts;
    float* limits;
    float* slacks;
    std::uint32_t* is_open;
    std::uint32_t* counts;
  };

  Pieces cut(Arena& arena) const {
    Pieces pieces{};
    pieces.words = arena.take<std::uint32_t>(queries_ * words_);
    pieces.weights = arena.take<float>(queries_);
    if (IntegerCodes<Coding>::kHasShifts) pieces.shifts = arena.take<float>(queries_);
    pieces.limits = arena.take<float>(queries_);
    pieces.slacks = arena.take<float>(queries_);
    pieces.is_open = arena.take<std::uint32_t>(queries_);
    pieces.counts = arena.take<std::uint32_t>(queries_);
    return pieces;
  }

  void encode(const Pieces& pieces, const float* query, std::size_t place) const {
    const IntegerQuery own = lists_.codes().encode(query, query_bits_);
    std::copy(own.words.begin(), own.words.end(), pieces.words + place * words_);
    pieces.weights[place] = own.weight;
    if (IntegerCodes<Coding>::kHasShifts) pieces.shifts[place] = own.shift;
    double squared = 0;
    for (std::size_t c = 0; c < lists_.dimension(); ++c) {
      squared += double{query[c]} * double{query[c]};
    }
    const double length = std::sqrt(squared) + lists_.max_centroid();
    const double size = own.largest + double{lists_.max_term()} + length * length;
    const bool is_known = size < double{FLT_MAX} / 4;
    pieces.limits[place] = is_known ? FLT_MAX : -FLT_MAX;
    pieces.slacks[place] = 0;
    pieces.is_open[place] = is_known ? 0 : 1;
    pieces.counts[place] = 0;
  }

  const GpuCodeLists<Coding>& lists_;
  std::size_t queries_;
  std::size_t query_bits_;
  std::uint32_t words_;  ///< of a query's code
  std::size_t bytes_ = 0;
  std::uint32_t count_ = 0;
  Pieces gpu_{};
};

}  // namespace warpdex::vector
