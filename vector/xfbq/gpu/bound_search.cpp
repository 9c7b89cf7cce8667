// Collects, sorts, and ranks part by part.
#include "xfbq/gpu/bound_search.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "flat/canonical_distances.hpp"
#include "flat/gpu/rescore.hpp"
#include "warpdex/core/cuda/check_internal.hpp"
#include "warpdex/core/cuda/copies.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::vector {
namespace {

/// Rows of the first part, and of a part at the most. Each has four times those of the one before.
constexpr std::uint32_t kFirstRows = 256;
constexpr std::uint32_t kMaxPartRows = 65'536;

/// A ranking that knows the nearest by codes.
BoundRanking start_ranking(const FlatVectors& vectors, const float* query,
                           std::span<const std::int32_t> by_codes, std::size_t k) {
  std::vector<std::uint64_t> keys;
  std::vector<std::uint32_t> known;
  for (const std::int32_t row : by_codes) {
    if (row < 0) continue;
    known.push_back(static_cast<std::uint32_t>(row));
    keys.push_back(known.back());
  }
  rescore_keys(vectors, query, keys);
  keep_nearest(keys, k);
  return {k, std::move(keys), std::move(known)};
}

}  // namespace

GpuBoundRows::GpuBoundRows(const GpuBinaryCodes& codes, MemoryBudget& memory) {
  const XfbqVectors& host = codes.host();
  const std::span<const float> norms = host.vectors.norms;
  const bool has_terms = codes.on_gpu().is_l2;
  const std::size_t bytes = aligned_piece(host.residuals.size_bytes()) +
                            (has_terms ? 0 : aligned_piece(norms.size_bytes()));
  if (!buffer_.allocate(bytes, memory, codes.device())) {
    throw Error("bounds of these binary codes need " + std::to_string((bytes >> 20) + 1) +
                " MiB of GPU memory; give more, or search by them on the CPU");
  }
  const Stream stream(codes.device());
  Arena arena(buffer_.data());
  auto* const residuals = arena.take<float>(host.residuals.size());
  copy_to_gpu(residuals, host.residuals.data(), host.residuals.size(), stream);
  rows_.residuals = residuals;
  rows_.sizes = codes.on_gpu().terms;
  if (!has_terms) {
    auto* const sizes = arena.take<float>(norms.size());
    copy_to_gpu(sizes, norms.data(), norms.size(), stream);
    rows_.sizes = sizes;
  }
  stream.synchronize();
}

BoundSearch::BoundSearch(const GpuBinaryCodes& codes, const DeviceBoundRows& rows,
                         const GpuRows* vectors, const BoundForm& form, bool is_filtered)
    : codes_(codes),
      rows_(rows),
      vectors_(vectors),
      form_(form),
      is_filtered_(is_filtered),
      query_(codes, 1, form.query_bits),
      sort_bytes_(sort_keys_bytes(codes.count())) {}

void BoundSearch::lay_out(Arena& arena) {
  query_.lay_out(arena);
  if (is_filtered_) filter_ = arena.take<std::uint64_t>((std::size_t{codes_.count()} + 63) / 64);
  keys_ = arena.take<std::uint64_t>(codes_.count());
  sorted_ = arena.take<std::uint64_t>(codes_.count());
  sort_scratch_ = arena.take<std::uint8_t>(sort_bytes_);
  count_ = arena.take<std::uint32_t>(1);
  candidates_ = arena.take<Candidate>(kMaxPartRows);
  begins_ = arena.take<std::uint64_t>(2);
}

void BoundSearch::set_filter(const RowFilter* filter, const Stream& stream) {
  if (filter == nullptr) return;
  copy_to_gpu(filter_, filter->words().data(), filter->words().size(), stream);
  used_filter_ = filter_;
}

std::uint32_t BoundSearch::collect(const QueryBound& bound, float limit, const Stream& stream) {
  const TileOrder order = TileOrder::of_places(codes_.count(), kPanelRows);
  check_cuda(cudaMemsetAsync(count_, 0, sizeof(*count_), stream.handle()), "cudaMemsetAsync");
  scan_to_bounds({codes_.on_gpu(), query_.codes(), used_filter_, order, 0, order.panels()},
                 {rows_, bound, limit, keys_, count_}, stream);
  std::uint32_t count = 0;
  copy_to_host(&count, count_, 1, stream);
  stream.synchronize();
  if (count > 0) sort_keys(keys_, count, sorted_, sort_scratch_, sort_bytes_, stream);
  return count;
}

void BoundSearch::compute(std::uint32_t first, std::uint32_t count, const float* query,
                          Workspace& workspace) {
  const Stream& stream = workspace.stream;
  bounds_.resize(count);
  exact_.resize(count);
  copy_to_host(bounds_.data(), sorted_ + first, count, stream);
  if (vectors_ == nullptr) {
    stream.synchronize();
    exact_ = bounds_;
    rescore_keys(codes_.host().vectors, query, exact_);
    return;
  }
  list_rows(sorted_ + first, count, candidates_, begins_, stream);
  CandidateLists lists;
  lists.candidates = candidates_;
  lists.begins = begins_;
  // Unsorted keys are not needed any more.
  rescore_all({.rows = vectors_->rows(),
               .choice = {.count = codes_.count()},
               .order = TileOrder::of_places(codes_.count(), kPanelRows),
               .queries = query_.floats(),
               .is_l2 = vectors_->is_l2(),
               .lists = lists,
               .is_open = nullptr},
              count, keys_, stream);
  copy_to_host(exact_.data(), keys_, count, stream);
  stream.synchronize();
}

BoundRanking BoundSearch::rank(const PreparedQueries& queries, std::size_t index,
                               std::span<const std::int32_t> by_codes, std::size_t k,
                               Workspace& workspace) {
  const float* const query = queries.query(index);
  const XfbqVectors& host = codes_.host();
  BoundRanking ranking = start_ranking(host.vectors, query, by_codes, k);
  void* const pinned = workspace.pinned_bytes(query_.bytes());
  query_.encode(queries, index, 1, {}, pinned);
  query_.send(pinned, 1, workspace.stream);
  const QueryCode code = encode_query(host, form_.query_bits, query);
  const QueryBound bound = make_bound(host, code, query, form_.bound);
  const std::uint32_t found = collect(bound, ranking.limit(), workspace.stream);
  std::uint32_t part = kFirstRows;
  for (std::uint32_t first = 0; first < found;) {
    const std::uint32_t count = std::min(part, found - first);
    compute(first, count, query, workspace);
    for (std::uint32_t i = 0; i < count; ++i) {
      if (!ranking.offer(bounds_[i], [&] { return exact_[i]; })) return ranking;
    }
    first += count;
    part = std::min(4 * part, kMaxPartRows);
  }
  return ranking;
}

}  // namespace warpdex::vector
