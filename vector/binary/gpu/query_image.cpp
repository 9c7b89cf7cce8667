// The same pieces at the same places, on the host and on the GPU.
#include "binary/gpu/query_image.hpp"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <limits>

#include "binary/check_depth.hpp"
#include "binary/query_code.hpp"
#include "distance/distance_kernels.hpp"
#include "warpdex/core/cuda/copies.hpp"

namespace warpdex::vector {
namespace {

constexpr std::size_t kPartQueries = 16;

/// Whether no distance of the query can be infinite or NaN.
bool is_bounded(const QueryCode& query, const GpuBinaryCodes& codes) {
  constexpr double kMinWeight = 0x1p-100;
  const double max_term = double{query.share} * double{codes.max_term()};
  const double weight = std::abs(double{query.weight});
  const double size =
      weight * double{codes.max_factor()} * query.top + std::abs(double{query.base}) + max_term;
  // Products are compared in units of the share (match_bits.cu).
  return size < double{FLT_MAX} / 4 &&
         (query.share == 1 || (size / double{query.share} < double{FLT_MAX} / 4 &&
                               weight / double{query.share} >= kMinWeight));
}

}  // namespace

QueryImage::QueryImage(const GpuBinaryCodes& codes, std::size_t queries, std::size_t query_bits)
    : all_(codes),
      query_bits_(static_cast<std::uint32_t>(query_bits)),
      stride_(static_cast<std::uint32_t>(padded(codes.dimension()))),
      words_(
          static_cast<std::uint32_t>(code_shape(codes.host().quantizer, query_bits).query_words())),
      top_(code_product_top(codes.host().quantizer, query_bits)) {
  Arena measure(nullptr);
  cut(measure, queries);
  bytes_ = measure.used();
}

QueryImage::Pieces QueryImage::cut(Arena& arena, std::size_t queries) const {
  Pieces pieces{};
  pieces.prepared = arena.take<float>(queries * stride_);
  pieces.words = arena.take<std::uint32_t>(queries * words_);
  pieces.weights = arena.take<float>(queries);
  pieces.bases = arena.take<float>(queries);
  pieces.shares = arena.take<float>(queries);
  pieces.limits = arena.take<float>(queries);
  pieces.margins = arena.take<float>(queries);
  pieces.is_open = arena.take<std::uint32_t>(queries);
  pieces.counts = arena.take<std::uint32_t>(queries);
  return pieces;
}

void QueryImage::lay_out(Arena& arena) { memory_ = arena.take<std::uint8_t>(bytes_); }

QueryPanels QueryImage::panels() const {
  QueryPanels panels;
  panels.limits = gpu_.limits;
  panels.slacks = gpu_.margins;
  panels.is_open = gpu_.is_open;
  return panels;
}

void QueryImage::encode_one(const Pieces& pieces, const float* query, std::size_t place,
                            const SearchOptions& depth) const {
  const QueryCode code = encode_query(all_.host(), query_bits_, query);
  const bool is_known = is_bounded(code, all_);
  std::copy_n(query, stride_, pieces.prepared + place * stride_);
  std::copy(code.words.begin(), code.words.end(), pieces.words + place * words_);
  pieces.weights[place] = code.weight;
  pieces.bases[place] = code.base;
  pieces.shares[place] = code.share;
  pieces.limits[place] = is_known ? FLT_MAX : -FLT_MAX;
  pieces.margins[place] = candidate_margin(depth, code);
  pieces.is_open[place] = is_known ? 0 : 1;
  pieces.counts[place] = 0;
}

void QueryImage::encode(const PreparedQueries& queries, std::size_t first, std::size_t count,
                        const SearchOptions& depth, void* pinned) const {
  Arena arena(pinned);
  const Pieces pieces = cut(arena, count);
  oneapi::tbb::parallel_for(oneapi::tbb::blocked_range<std::size_t>(0, count, kPartQueries),
                            [&](const auto& part) {
                              for (std::size_t i = part.begin(); i < part.end(); ++i) {
                                encode_one(pieces, queries.query(first + i), i, depth);
                              }
                            });
}

void QueryImage::send(const void* pinned, std::size_t count, const Stream& stream) {
  count_ = static_cast<std::uint32_t>(count);
  Arena arena(memory_);
  gpu_ = cut(arena, count);
  copy_to_gpu(memory_, static_cast<const std::uint8_t*>(pinned), arena.used(), stream);
}

}  // namespace warpdex::vector
