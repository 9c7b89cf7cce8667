// The search of lists on a GPU, for the sources of codings, which instantiate it.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "flat/canonical_distances.hpp"
#include "flat/gpu/answers.hpp"
#include "flat/gpu/flat_data.hpp"
#include "flat/gpu/gpu_rows.hpp"
#include "flat/gpu/workspace.hpp"
#include "flat/order_key.hpp"
#include "flat/search_input.hpp"
#include "lists/gpu/kernels.hpp"
#include "lists/gpu/list_block.hpp"
#include "lists/probes.hpp"
#include "lists/searchers.hpp"
#include "warpdex/core/cuda/check_internal.hpp"
#include "warpdex/core/cuda/copies.hpp"

namespace warpdex::vector {

/// Cuts a search into blocks of queries, and chooses their lists by exact search among the
/// centroids. Coding::GpuSearch, a block's, then searches the lists:
/// - GpuLists: the lists in GPU memory: host(), centroids(), count(), device(), memory();
/// - kReadsHostQueries: whether begin() reads the queries in the host's memory;
/// - choose_way(lists, sizes, count, way) and max_queries(lists, sizes): how that many queries are
///   searched, and how many at a time at most;
/// - begin(queries, workspace): before all that follows;
/// - nearest(found, figures, workspace) sets the nearest, but of the queries that it returns, which
///   are searched again, query by query;
/// - within(query, limit, workspace): the sorted order_key()s of all within a limit.
template <class Coding>
class GpuListSearcher final : public VectorSearcher {
  using Search = typename Coding::GpuSearch;
  using Block = ListBlock<Search>;
  static constexpr bool kHasCodes = requires(const Lists<Coding>& lists) { lists.quantizer; };

 public:
  GpuListSearcher(const Lists<Coding>& lists, Resources& resources,
                  const GpuSearchSettings& settings)
      : metric_(metric_of(lists)), way_(settings.way), lists_(lists, resources, settings.memory) {
    if constexpr (kHasCodes) {
      is_to_refine_ = settings.keeps_vectors && lists.keeps_vectors();
      if (is_to_refine_) copy_if_they_fit(lists.vectors, resources, lists_.memory(), vectors_);
    }
    pool_.emplace(vectors_ ? vectors_->memory() : lists_.memory(), lists_.device());
  }

  Metric metric() const override { return metric_; }
  std::size_t dimension() const override { return lists_.centroids().dimension(); }
  std::size_t rows() const override { return lists_.count(); }
  GpuFigures figures() const override { return {searched_.load(), uncertified_.load()}; }
  bool is_resident() const override { return !is_to_refine_ || vectors_.has_value(); }

  Neighbors nearest(std::span<const float> queries, std::size_t k,
                    const SearchOptions& options) const override;
  RangeNeighbors within(std::span<const float> queries, float radius,
                        const SearchOptions& options) const override;
  bool nearest_on_gpu(const float* queries, std::size_t count, std::size_t k, std::int32_t* rows,
                      float* distances, const SearchOptions& options) const override;

 private:
  /// Queries in the host's memory, as they were given and, if that is needed, prepared.
  struct HostQueries {
    std::span<const float> given;
    PreparedQueries prepared;
  };

  void check(const SearchOptions& options) const {
    check_probes(options.probes, lists_.host().lists());
    check_filter(options.filter, rows());
    Coding::ListSearch::check(lists_.host(), options);
  }
  /// The queries with these numbers.
  HostQueries take(const HostQueries& queries, const std::vector<std::uint32_t>& numbers) const;
  /// Calls answer(first, count, block, workspace) for blocks of queries.
  template <class Answer>
  void for_each_block(std::size_t count, ListSearchSizes sizes, const Answer& answer) const;
  /// Pads queries and chooses the lists that they probe.
  void begin(Block& block, const float* given, std::size_t count, const PreparedQueries* host,
             std::size_t first, Workspace& workspace) const;
  /// Sets block.found; returns what is left open.
  std::vector<std::uint32_t> find(Block& block, std::size_t count, Workspace& workspace) const;
  /// Sets the answers, but those of the queries that it returns.
  std::vector<std::uint32_t> search(const HostQueries& queries, const ListSearchSizes& sizes,
                                    Neighbors& result) const;
  void take_answers(const HostQueries& queries, std::size_t first, std::size_t count, Block& block,
                    Workspace& workspace, Neighbors& result) const;

  Metric metric_;
  CodeWay way_;
  typename Search::GpuLists lists_;
  bool is_to_refine_ = false;
  std::optional<GpuRows> vectors_;
  mutable std::optional<WorkspacePool> pool_;
  mutable std::atomic<std::uint64_t> searched_{0};
  mutable std::atomic<std::uint64_t> uncertified_{0};
};

template <class Coding>
template <class Answer>
void GpuListSearcher<Coding>::for_each_block(std::size_t count, ListSearchSizes sizes,
                                             const Answer& answer) const {
  const CurrentDevice current(lists_.device());
  const auto bytes_for = [&](std::size_t some) {
    sizes.queries = some;
    return Block(lists_, sizes).lay_out(nullptr, lists_);
  };
  const auto fitting = [&](std::size_t some, std::size_t bytes) {
    while (some > 1 && bytes_for(some) > bytes) some = (some + 1) / 2;
    return some;
  };
  const std::size_t all = pool_->memory();
  const std::size_t selection = selection_room(sizes.candidates, all);
  const std::size_t room = all - std::min(all, selection);
  const std::size_t most = std::min({count, kMaxBlock, Search::max_queries(lists_, sizes)});
  const std::size_t size = fitting(most, std::min(room, kMaxScratch));
  const auto workspace = pool_->take(bytes_for(1), bytes_for(size), selection);
  sizes.queries = fitting(size, workspace->scratch.size());
  Block block(lists_, sizes);
  block.lay_out(workspace->scratch.data(), lists_);
  if (const RowFilter* const filter = sizes.options.filter; filter != nullptr) {
    copy_to_gpu(block.allowed, filter->words().data(), filter->words().size(), workspace->stream);
  }
  for (std::size_t first = 0; first < count; first += sizes.queries) {
    answer(first, std::min(sizes.queries, count - first), block, *workspace);
  }
}

template <class Coding>
void GpuListSearcher<Coding>::begin(Block& block, const float* given, std::size_t count,
                                    const PreparedQueries* host, std::size_t first,
                                    Workspace& workspace) const {
  const auto width = static_cast<std::uint32_t>(dimension());
  const auto stride = static_cast<std::uint32_t>(padded(width));
  const auto some = static_cast<std::uint32_t>(count);
  prepare_on_gpu(given, some, width, metric_, block.prepared, stride, workspace.stream);
  if (metric_ == Metric::kCosine) {
    prepare_on_gpu(given, some, width, metric_, block.scaled, width, workspace.stream);
    given = block.scaled;
  }
  block.coarse.run(given, count, block.probed, block.probe_distances, workspace);
  const auto probes = static_cast<std::uint32_t>(block.sizes.options.probes);
  block.search.begin(
      {{block.prepared, some, stride}, {block.probed, some, probes}, block.allowed, host, first},
      workspace);
}

template <class Coding>
std::vector<std::uint32_t> GpuListSearcher<Coding>::find(Block& block, std::size_t count,
                                                         Workspace& workspace) const {
  GpuFigures figures;
  std::vector<std::uint32_t> open = block.search.nearest(block.found, figures, workspace);
  searched_ += figures.queries;
  uncertified_ += figures.uncertified;
  if (block.sizes.refines) {
    const auto stride = static_cast<std::uint32_t>(padded(dimension()));
    refine(vectors_->rows(), vectors_->is_l2(),
           {block.prepared, static_cast<std::uint32_t>(count), stride}, block.found, block.exact,
           block.answers, workspace);
  }
  return open;
}

template <class Coding>
void GpuListSearcher<Coding>::take_answers(const HostQueries& queries, std::size_t first,
                                           std::size_t count, Block& block, Workspace& workspace,
                                           Neighbors& result) const {
  const Stream& stream = workspace.stream;
  write_answers(block.sizes.refines ? block.answers : block.found,
                static_cast<std::uint32_t>(count), metric_, block.rows, block.distances, stream);
  if constexpr (kHasCodes) {
    if (block.sizes.options.refine > 0 && !block.sizes.refines) {
      std::vector<std::int32_t> found(count * block.found.k);
      copy_to_host(found.data(), block.rows, found.size(), stream);
      stream.synchronize();
      rank_candidates(lists_.host().vectors, queries.prepared, first, count, found, result);
      return;
    }
  }
  const std::size_t k = result.k;
  copy_to_host(result.rows.data() + first * k, block.rows, count * k, stream);
  copy_to_host(result.distances.data() + first * k, block.distances, count * k, stream);
  stream.synchronize();
}

template <class Coding>
std::vector<std::uint32_t> GpuListSearcher<Coding>::search(const HostQueries& queries,
                                                           const ListSearchSizes& sizes,
                                                           Neighbors& result) const {
  std::vector<std::uint32_t> all_open;
  for_each_block(result.queries, sizes,
                 [&](std::size_t first, std::size_t some, Block& block, Workspace& workspace) {
                   const std::span<const float> own =
                       queries.given.subspan(first * dimension(), some * dimension());
                   copy_to_gpu(block.raw, own.data(), own.size(), workspace.stream);
                   begin(block, block.raw, some, &queries.prepared, first, workspace);
                   const std::vector<std::uint32_t> open = find(block, some, workspace);
                   take_answers(queries, first, some, block, workspace, result);
                   for (const std::uint32_t query : open) {
                     all_open.push_back(static_cast<std::uint32_t>(first) + query);
                   }
                 });
  return all_open;
}

template <class Coding>
typename GpuListSearcher<Coding>::HostQueries GpuListSearcher<Coding>::take(
    const HostQueries& queries, const std::vector<std::uint32_t>& numbers) const {
  const PreparedQueries& all = queries.prepared;
  HostQueries taken{{}, {numbers.size(), all.stride, {}}};
  for (const std::uint32_t number : numbers) {
    taken.prepared.values.insert(taken.prepared.values.end(), all.query(number),
                                 all.query(number) + all.stride);
  }
  return taken;
}

template <class Coding>
Neighbors GpuListSearcher<Coding>::nearest(std::span<const float> queries, std::size_t k,
                                           const SearchOptions& options) const {
  check_k(k, rows());
  check(options);
  const std::size_t count = check_queries(dimension(), queries);
  Neighbors result = make_neighbors(metric_, count, k);
  if (count == 0) return result;
  ListSearchSizes sizes{.k = k, .candidates = k, .options = options, .is_from_host = true};
  if constexpr (kHasCodes) sizes.candidates = std::min(std::max(k, options.refine), rows());
  sizes.refines = kHasCodes && options.refine > 0 && vectors_;
  sizes.way = Search::choose_way(lists_, sizes, std::min(count, kMaxBlock), way_);
  HostQueries all{queries, {}};
  const bool is_refined_on_host = kHasCodes && options.refine > 0 && !vectors_;
  if (is_refined_on_host || Search::kReadsHostQueries) {
    all.prepared = prepare_queries(metric_, dimension(), queries);
  }
  const std::vector<std::uint32_t> open = search(all, sizes, result);
  if (open.empty()) return result;
  sizes.way = 0;
  std::vector<float> given;
  for (const std::uint32_t query : open) {
    const std::span<const float> own = queries.subspan(query * dimension(), dimension());
    given.insert(given.end(), own.begin(), own.end());
  }
  HostQueries left = take(all, open);
  left.given = given;
  Neighbors found = make_neighbors(metric_, open.size(), k);
  search(left, sizes, found);
  for (std::size_t i = 0; i < open.size(); ++i) {
    std::copy_n(found.rows.data() + i * k, k, result.rows.data() + open[i] * k);
    std::copy_n(found.distances.data() + i * k, k, result.distances.data() + open[i] * k);
  }
  return result;
}

template <class Coding>
bool GpuListSearcher<Coding>::nearest_on_gpu(const float* queries, std::size_t count, std::size_t k,
                                             std::int32_t* rows, float* distances,
                                             const SearchOptions& options) const {
  const bool refines = kHasCodes && options.refine > 0;
  if (Search::kReadsHostQueries || (refines && !vectors_)) return false;
  check_k(k, this->rows());
  check_probes(options.probes, lists_.host().lists());
  if (count == 0) return true;
  ListSearchSizes sizes{.k = k, .candidates = k, .options = options.among(nullptr)};
  if (refines) sizes.candidates = std::min(std::max(k, options.refine), this->rows());
  sizes.refines = refines;
  sizes.way = Search::choose_way(lists_, sizes, std::min(count, kMaxBlock), way_);
  for_each_block(count, sizes,
                 [&](std::size_t first, std::size_t some, Block& block, Workspace& workspace) {
                   begin(block, queries + first * dimension(), some, nullptr, first, workspace);
                   find(block, some, workspace);
                   write_answers(block.sizes.refines ? block.answers : block.found,
                                 static_cast<std::uint32_t>(some), metric_, rows + first * k,
                                 distances + first * k, workspace.stream);
                   workspace.stream.synchronize();
                 });
  return true;
}

template <class Coding>
RangeNeighbors GpuListSearcher<Coding>::within(std::span<const float> queries, float radius,
                                               const SearchOptions& options) const {
  check_radius(radius);
  SearchOptions unrefined = options;
  unrefined.refine = 0;
  check(unrefined);
  const std::size_t count = check_queries(dimension(), queries);
  RangeNeighbors result{{0}, {}, {}};
  if (rows() == 0) result.offsets.resize(count + 1);
  if (rows() == 0 || count == 0) return result;
  PreparedQueries prepared;
  if (Search::kReadsHostQueries) prepared = prepare_queries(metric_, dimension(), queries);
  const float limit = ascending(metric_, radius);
  const ListSearchSizes sizes{
      .k = 1, .candidates = 1, .options = unrefined, .collects = true, .is_from_host = true};
  for_each_block(count, sizes,
                 [&](std::size_t first, std::size_t some, Block& block, Workspace& workspace) {
                   copy_to_gpu(block.raw, queries.data() + first * dimension(), some * dimension(),
                               workspace.stream);
                   begin(block, block.raw, some, &prepared, first, workspace);
                   for (std::uint32_t query = 0; query < some; ++query) {
                     add_answers(metric_, block.search.within(query, limit, workspace), result);
                   }
                 });
  return result;
}

template <class Coding>
std::unique_ptr<VectorSearcher> make_gpu_searcher(const Lists<Coding>& lists, Resources& resources,
                                                  const GpuSearchSettings& settings) {
  return std::make_unique<GpuListSearcher<Coding>>(lists, resources, settings);
}

}  // namespace warpdex::vector
