// The same pieces at the same places, on the host and on the GPU.
#include "binary/gpu/lists/list_queries.hpp"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <cfloat>
#include <cmath>

#include "binary/query_code.hpp"
#include "warpdex/core/cuda/copies.hpp"

namespace warpdex::vector {
namespace {

constexpr std::size_t kListPartQueries = 16;

}  // namespace

ListQueries::ListQueries(const GpuListCodes& lists, std::size_t queries, std::size_t query_bits)
    : lists_(lists),
      vectors_(lists.host()),
      queries_(queries),
      query_bits_(static_cast<std::uint32_t>(query_bits)),
      words_(static_cast<std::uint32_t>(code_shape(vectors_.quantizer, query_bits).query_words())),
      top_(code_product_top(vectors_.quantizer, query_bits)) {
  Arena measure(nullptr);
  cut(measure);
  bytes_ = measure.used();
}

ListQueries::Pieces ListQueries::cut(Arena& arena) const {
  Pieces pieces{};
  pieces.words = arena.take<std::uint32_t>(queries_ * words_);
  pieces.weights = arena.take<float>(queries_);
  pieces.limits = arena.take<float>(queries_);
  pieces.slacks = arena.take<float>(queries_);
  pieces.is_open = arena.take<std::uint32_t>(queries_);
  pieces.counts = arena.take<std::uint32_t>(queries_);
  return pieces;
}

QueryPanels ListQueries::panels() const {
  QueryPanels panels;
  panels.limits = gpu_.limits;
  panels.slacks = gpu_.slacks;
  panels.is_open = gpu_.is_open;
  return panels;
}

void ListQueries::encode(const Pieces& pieces, const float* query, std::size_t place) const {
  const std::size_t dimension = vectors_.quantizer.dimension;
  const QueryCode code = encode_query(vectors_.metric, vectors_.quantizer, query_bits_, query);
  std::copy(code.words.begin(), code.words.end(), pieces.words + place * words_);
  pieces.weights[place] = code.weight;
  double squared = 0;
  for (std::size_t c = 0; c < dimension; ++c) squared += double{query[c]} * double{query[c]};
  const double length = std::sqrt(squared) + lists_.max_centroid();
  const double size =
      std::abs(double{code.weight}) * double{lists_.max_factor()} * double(code.top) +
      double{lists_.max_term()} + length * length;
  const bool is_known = size < double{FLT_MAX} / 4;
  pieces.limits[place] = is_known ? FLT_MAX : -FLT_MAX;
  pieces.slacks[place] = 0;
  pieces.is_open[place] = is_known ? 0 : 1;
  pieces.counts[place] = 0;
}

void ListQueries::send(const PreparedQueries& queries, std::size_t first, std::size_t count,
                       void* pinned, const Stream& stream) {
  Arena arena(pinned);
  const Pieces pieces = cut(arena);
  oneapi::tbb::parallel_for(oneapi::tbb::blocked_range<std::size_t>(0, count, kListPartQueries),
                            [&](const auto& part) {
                              for (std::size_t i = part.begin(); i < part.end(); ++i) {
                                encode(pieces, queries.query(first + i), i);
                              }
                            });
  count_ = static_cast<std::uint32_t>(count);
  copy_to_gpu(reinterpret_cast<std::uint8_t*>(gpu_.words), static_cast<const std::uint8_t*>(pinned),
              bytes_, stream);
}

}  // namespace warpdex::vector
