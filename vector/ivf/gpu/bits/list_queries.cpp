// The same pieces at the same places, on the host and on the GPU.
#include "ivf/gpu/bits/list_queries.hpp"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>

#include <algorithm>

#include "distance/distance_kernels.hpp"
#include "warpdex/core/cuda/copies.hpp"
#include "xfbq/query_code.hpp"

namespace warpdex::vector {
namespace {

constexpr std::size_t kPartQueries = 16;

}  // namespace

ListQueries::ListQueries(const IvfXfbqVectors& vectors, std::size_t queries, std::size_t query_bits)
    : vectors_(vectors),
      queries_(queries),
      query_bits_(static_cast<std::uint32_t>(query_bits)),
      stride_(static_cast<std::uint32_t>(padded(vectors.quantizer.dimension))),
      words_(static_cast<std::uint32_t>(code_shape(vectors.quantizer, query_bits).query_words())),
      top_(code_product_top(vectors.quantizer, query_bits)) {
  Arena measure(nullptr);
  cut(measure);
  bytes_ = measure.used();
}

ListQueries::Pieces ListQueries::cut(Arena& arena) const {
  Pieces pieces{};
  pieces.plain = arena.take<float>(queries_ * vectors_.quantizer.dimension);
  pieces.prepared = arena.take<float>(queries_ * stride_);
  pieces.words = arena.take<std::uint32_t>(queries_ * words_);
  pieces.weights = arena.take<float>(queries_);
  return pieces;
}

void ListQueries::send(const PreparedQueries& queries, std::size_t first, std::size_t count,
                       void* pinned, const Stream& stream) {
  Arena arena(pinned);
  const Pieces pieces = cut(arena);
  const std::size_t dimension = vectors_.quantizer.dimension;
  const auto encode = [&](std::size_t i) {
    const float* const query = queries.query(first + i);
    const QueryCode code = encode_query(vectors_.metric, vectors_.quantizer, query_bits_, query);
    std::copy_n(query, dimension, pieces.plain + i * dimension);
    std::copy_n(query, stride_, pieces.prepared + i * stride_);
    std::copy(code.words.begin(), code.words.end(), pieces.words + i * words_);
    pieces.weights[i] = code.weight;
  };
  oneapi::tbb::parallel_for(oneapi::tbb::blocked_range<std::size_t>(0, count, kPartQueries),
                            [&](const auto& part) {
                              for (std::size_t i = part.begin(); i < part.end(); ++i) encode(i);
                            });
  count_ = static_cast<std::uint32_t>(count);
  copy_to_gpu(reinterpret_cast<std::uint8_t*>(gpu_.plain), static_cast<const std::uint8_t*>(pinned),
              bytes_, stream);
}

}  // namespace warpdex::vector
