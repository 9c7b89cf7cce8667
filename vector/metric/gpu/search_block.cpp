// Lays out scratch memory, and queues the kernels of a search.
#include "metric/gpu/search_block.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "metric/gpu/kernels.hpp"
#include "metric/rank_kernels.hpp"
#include "warpdex/core/cuda/copies.hpp"
#include "warpdex/core/select/select_k.hpp"

namespace warpdex::metric {
namespace {

/// Matches within a radius that the GPU sorts; the host sorts more.
constexpr std::size_t kMaxEntries = std::size_t{1} << 20;
constexpr std::size_t kApartPadding = 4;

}  // namespace

SearchBlock::SearchBlock(const GpuObjects& objects, const MetricSearch& search, std::size_t queries,
                         std::size_t band_words)
    : objects_(objects),
      search_(search),
      queries_(queries),
      compared_(search.arguments.compared),
      is_ranked_(compared_ < objects.on_gpu().count),
      capacity_(static_cast<std::uint32_t>(std::min(kMaxEntries, queries * compared_))),
      apart_stride_((std::size_t{objects.on_gpu().count} + kApartPadding - 1) / kApartPadding *
                    kApartPadding),
      codes_(objects.ranks().permutants, queries) {
  bands_.size = band_words;
}

void SearchBlock::lay_out(Arena& arena) {
  const DeviceRanks& ranks = objects_.ranks();
  if (bands_.size > 0) bands_.steps = arena.take<std::uint32_t>(bands_.size);
  if (is_ranked_) {
    to_permutants_ = arena.take<float>(queries_ * ranks.permutants);
    ranks_.rows = arena.take<std::uint8_t>(queries_ * ranks.row_bytes());
    ranks_.order = arena.take<std::uint16_t>(queries_ * ranks.permutants);
    apart_ = arena.take<std::uint32_t>(queries_ * apart_stride_);
    chosen_ = arena.take<std::uint32_t>(queries_ * compared_);
    if (search_.codes != nullptr) codes_.lay_out(arena);
  }
  distances_ = arena.take<float>(queries_ * compared_);
  if (search_.is_range()) {
    entries_ = arena.take<SelectedEntry>(capacity_);
    total_ = arena.take<unsigned long long>(1);
    sort_scratch_ = arena.take<std::uint8_t>(sort_selected_bytes(capacity_));
  } else {
    best_values_ = arena.take<float>(queries_ * search_.arguments.k);
    best_ids_ = arena.take<std::uint32_t>(queries_ * search_.arguments.k);
  }
}

/// The candidates of each query, by permutations.
void SearchBlock::choose_candidates(const PairTask& all, const Stream& stream) {
  const DeviceRanks& ranks = objects_.ranks();
  PairTask task = all;
  task.list = objects_.permutants();
  task.list_stride = 0;
  task.count = ranks.permutants;
  task.out = to_permutants_;
  task.out_stride = ranks.permutants;
  task.limit = kNoLimit;
  compute_distances(task, bands_, stream);
  ranks_.count = all.query_count;
  rank_queries(to_permutants_, ranks.permutants, ranks_, stream);
  if (search_.codes != nullptr) {
    codes_.compare(search_.codes->on_gpu(), ranks_, apart_, apart_stride_, stream);
  } else {
    compare_all_ranks(search_.compare, ranks, ranks_, apart_, apart_stride_, stream);
  }
  const std::uint64_t largest = largest_rank_distance(search_.compare, ranks.permutants);
  choose_similar({.apart = apart_,
                  .stride = apart_stride_,
                  .objects = ranks.objects,
                  .bits = std::max(1U, static_cast<std::uint32_t>(std::bit_width(largest))),
                  .wanted = static_cast<std::uint32_t>(compared_),
                  .chosen = chosen_},
                 all.query_count, stream);
}

/// The objects that queries are compared with; null: all by number.
const std::uint32_t* SearchBlock::list() const {
  return is_ranked_ ? chosen_ : objects_.scan_order();
}

/// From the list of a query to that of the next: all are compared with the same ones, or not.
std::size_t SearchBlock::list_stride() const { return is_ranked_ ? compared_ : 0; }

PairDistances SearchBlock::pair_distances() const {
  return {.values = distances_,
          .stride = compared_,
          .list = list(),
          .list_stride = list_stride(),
          .count = static_cast<std::uint32_t>(compared_),
          .query_count = static_cast<std::uint32_t>(count_)};
}

void SearchBlock::run(const QueryImage& image, std::size_t first, std::size_t count,
                      vector::Workspace& workspace) {
  const Stream& stream = workspace.stream;
  count_ = count;
  PairTask task;
  task.objects = objects_.on_gpu();
  task.queries = image.from(first);
  task.query_count = static_cast<std::uint32_t>(count);
  if (is_ranked_) choose_candidates(task, stream);
  task.list = list();
  task.list_stride = list_stride();
  task.count = static_cast<std::uint32_t>(compared_);
  task.out = distances_;
  task.out_stride = compared_;
  task.limit = search_.is_range() ? search_.arguments.radius : kNoLimit;
  compute_distances(task, bands_, stream);
  if (search_.is_range()) {
    return collect_within(pair_distances(), search_.arguments.radius, entries_, capacity_, total_,
                          stream);
  }
  const MatrixView<float> values{distances_, count, compared_, compared_};
  const std::size_t k = search_.arguments.k;
  if (list() != nullptr) {
    select_k(values, MatrixView<std::uint32_t>{list(), count, compared_, list_stride()}, k,
             SelectOrder::kSmallest, best_values_, best_ids_, workspace.select, stream);
  } else {
    select_k(values, k, SelectOrder::kSmallest, best_values_, best_ids_, workspace.select, stream);
  }
}

void SearchBlock::fetch_nearest(vector::Workspace& workspace, std::vector<Match>* matches) const {
  const std::size_t k = search_.arguments.k;
  const std::size_t all = count_ * k;
  auto* const values =
      static_cast<float*>(workspace.pinned_flags(all * (sizeof(float) + sizeof(std::uint32_t))));
  auto* const ids = reinterpret_cast<std::uint32_t*>(values + all);
  copy_to_host(values, best_values_, all, workspace.stream);
  copy_to_host(ids, best_ids_, all, workspace.stream);
  workspace.stream.synchronize();
  for (std::size_t q = 0; q < count_; ++q) {
    matches[q].resize(k);
    for (std::size_t i = 0; i < k; ++i) matches[q][i] = {ids[q * k + i], values[q * k + i]};
  }
}

void SearchBlock::fetch_within(vector::Workspace& workspace, std::vector<Match>* matches) const {
  const Stream& stream = workspace.stream;
  unsigned long long total = 0;
  copy_to_host(&total, total_, 1, stream);
  stream.synchronize();
  if (total > capacity_) return fetch_unsorted(stream, matches);
  if (total == 0) return;
  auto* const entries =
      static_cast<SelectedEntry*>(workspace.pinned_flags(total * sizeof(SelectedEntry)));
  sort_selected(entries_, total, sort_scratch_, stream);
  copy_to_host(entries, entries_, total, stream);
  stream.synchronize();
  for (std::size_t begin = 0; begin < total;) {
    std::size_t end = begin;
    while (end < total && entries[end].row == entries[begin].row) ++end;
    std::vector<Match>& own = matches[entries[begin].row];
    own.reserve(end - begin);
    for (; begin < end; ++begin) {
      own.push_back({static_cast<std::uint32_t>(entries[begin].id),
                     std::bit_cast<float>(entries[begin].code)});
    }
  }
}

/// Where there are too many: out of all distances, on the host.
void SearchBlock::fetch_unsorted(const Stream& stream, std::vector<Match>* matches) const {
  std::vector<float> values(compared_);
  std::vector<std::uint32_t> ids(compared_);
  std::iota(ids.begin(), ids.end(), 0U);
  for (std::size_t q = 0; q < count_; ++q) {
    copy_to_host(values.data(), distances_ + q * compared_, compared_, stream);
    if (list() != nullptr) {
      copy_to_host(ids.data(), list() + q * list_stride(), compared_, stream);
    }
    stream.synchronize();
    for (std::size_t i = 0; i < compared_; ++i) {
      if (values[i] <= search_.arguments.radius) matches[q].push_back({ids[i], values[i]});
    }
    std::sort(matches[q].begin(), matches[q].end(), is_before);
  }
}

}  // namespace warpdex::metric
