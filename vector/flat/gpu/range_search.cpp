// Two passes of products: the first counts each query's candidates, so that the second has a place
// for each of them.
#include "flat/gpu/range_search.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "distance/distance_kernels.hpp"
#include "flat/gpu/answers.hpp"
#include "flat/gpu/products.hpp"
#include "flat/gpu/row_pages.hpp"
#include "flat/gpu/scan_search.hpp"
#include "flat/order_key.hpp"
#include "flat/search_input.hpp"
#include "warpdex/core/cuda/arena.hpp"
#include "warpdex/core/cuda/check_internal.hpp"
#include "warpdex/core/cuda/copies.hpp"

namespace warpdex::vector {
namespace {

constexpr std::size_t kMaxRangeBlock = 1024;  ///< queries
/// Bytes of candidates and their keys that are worth having at a time.
constexpr std::size_t kListBytes = std::size_t{512} << 20;
constexpr std::size_t kRangeSlabBytes = std::size_t{256} << 20;
constexpr std::size_t kBytesOfCandidate = sizeof(Candidate) + sizeof(std::uint64_t);

using Keys = std::vector<std::vector<std::uint64_t>>;

class RangeSearch {
 public:
  RangeSearch(const GpuRows& rows, RowPages& pages, float radius, std::size_t queries,
              std::size_t list_bytes)
      : rows_(rows),
        pages_(pages),
        limit_(ascending(rows.host().metric, radius)),
        queries_(queries),
        // One query may have all rows for candidates.
        list_size_(std::max(list_bytes / kBytesOfCandidate, pages.page_rows())),
        page_panels_(static_cast<std::uint32_t>((pages.page_rows() + kPanelRows - 1) / kPanelRows)),
        slab_panels_(static_cast<std::uint32_t>(std::clamp<std::size_t>(
            kRangeSlabBytes / panel_bytes(rows.dimension()), 1, std::max(1U, page_panels_)))),
        scan_(rows, 1, 1, pages.page_rows()) {}

  void lay_out(Arena& arena) {
    pages_.lay_out(arena);
    const std::size_t padded_queries = (queries_ + kPanelRows - 1) / kPanelRows * kPanelRows;
    raw_ = arena.take<float>(queries_ * rows_.dimension());
    prepared_ = arena.take<float>(queries_ * padded(rows_.dimension()));
    wanted_ = arena.take<float>(1);
    query_panels_ = {
        arena.take<std::uint8_t>(padded_queries / kPanelRows * panel_bytes(rows_.dimension())),
        arena.take<float>(padded_queries),
        arena.take<float>(queries_),
        arena.take<float>(queries_),
        arena.take<float>(queries_),
        nullptr,
        arena.take<std::uint32_t>(queries_)};
    row_panels_ = {arena.take<std::uint8_t>(slab_panels_ * panel_bytes(rows_.dimension())),
                   arena.take<float>(std::size_t{page_panels_} * kPanelRows),
                   arena.take<float>(std::size_t{page_panels_} * kPanelRows)};
    counts_ = arena.take<std::uint32_t>(queries_);
    begins_ = arena.take<std::uint64_t>(queries_ + 1);
    candidates_ = arena.take<Candidate>(list_size_);
    keys_ = arena.take<std::uint64_t>(list_size_);
    scan_.lay_out(arena);
  }

  /// Adds each query's keys within the radius, from all pages, unsorted.
  void run(std::span<const float> queries, std::size_t count, Workspace& workspace, Keys& found) {
    const auto stride = static_cast<std::uint32_t>(padded(rows_.dimension()));
    copy_to_gpu(raw_, queries.data(), queries.size(), workspace.stream);
    copy_to_gpu(wanted_, &limit_, 1, workspace.stream);
    prepare_on_gpu(raw_, static_cast<std::uint32_t>(count), rows_.dimension(), rows_.host().metric,
                   prepared_, stride, workspace.stream);
    pages_.start(0, workspace);
    for (std::size_t page = 0; page < pages_.pages(); ++page) {
      const RowPage current = pages_.get(page, workspace);
      pages_.start(page + 1, workspace);  // the page before was searched
      search_page(current, {prepared_, static_cast<std::uint32_t>(count), stride}, workspace,
                  found);
    }
  }

 private:
  template <class Value>
  static std::vector<Value> download(const Value* from, std::size_t count,
                                     const Workspace& workspace) {
    std::vector<Value> values(count);
    copy_to_host(values.data(), from, count, workspace.stream);
    workspace.stream.synchronize();
    return values;
  }

  void search_page(const RowPage& page, const DeviceQueries& queries, Workspace& workspace,
                   Keys& found) {
    std::vector<std::uint32_t> counts(queries.count);
    std::vector<std::uint32_t> open(queries.count, 1);
    if (rows_.is_bounded()) {
      match_rows(page, queries, {.counts = counts_}, workspace.stream);
      counts = download(counts_, queries.count, workspace);
      open = download(query_panels_.is_open, queries.count, workspace);
    }
    std::uint32_t first = 0;
    while (first < queries.count) {
      std::uint32_t end = first;
      std::uint64_t total = 0;
      while (end < queries.count && total + counts[end] <= list_size_) total += counts[end++];
      if (total > 0) list_some(page, queries, first, end, counts, workspace, found);
      first = end;
    }
    for (std::uint32_t query = 0; query < queries.count; ++query) {
      if (open[query] != 0) scan_one(page, queries, query, workspace, found[query]);
    }
  }

  /// Queues the products of all rows; lists without room are only counted.
  void match_rows(const RowPage& page, const DeviceQueries& queries, const CandidateLists& lists,
                  const Stream& stream) {
    const TileOrder order(page.choice.count, kPanelRows);
    pack_queries(queries, rows_.dimension(), rows_.rules(), wanted_, 0, query_panels_, stream);
    clear_counts(lists, queries.count, stream);
    for (std::uint32_t panel = 0; panel < order.panels(); panel += slab_panels_) {
      const std::uint32_t count = std::min(slab_panels_, order.panels() - panel);
      const std::size_t place = std::size_t{panel} * kPanelRows;
      const RowPanels rows{row_panels_.halves, row_panels_.offsets + place,
                           row_panels_.slacks + place};
      pack_rows(page.rows, page.choice, order, rows_.rules(), panel, count, rows, stream);
      match({.rows = rows,
             .row_panels = count,
             .first_place = panel * kPanelRows,
             .queries = query_panels_,
             .query_count = queries.count,
             .chunks = panel_chunks(rows_.dimension()),
             .lists = lists,
             .takes_all = false},
            stream);
    }
  }

  /// Lists the candidates of queries [first, end), and keeps those within the radius.
  void list_some(const RowPage& page, const DeviceQueries& queries, std::uint32_t first,
                 std::uint32_t end, const std::vector<std::uint32_t>& counts, Workspace& workspace,
                 Keys& found) {
    std::vector<std::uint64_t> begins{0};
    for (std::uint32_t query = first; query < end; ++query) {
      begins.push_back(begins.back() + counts[query]);
    }
    copy_to_gpu(begins_, begins.data(), begins.size(), workspace.stream);
    const DeviceQueries some{queries.values + std::size_t{first} * queries.stride, end - first,
                             queries.stride};
    const CandidateLists lists{.candidates = candidates_, .counts = counts_, .begins = begins_};
    match_rows(page, some, lists, workspace.stream);
    rescore_all({.rows = page.rows,
                 .choice = page.choice,
                 .order = TileOrder(page.choice.count, kPanelRows),
                 .queries = some,
                 .is_l2 = rows_.is_l2(),
                 .lists = lists,
                 .is_open = nullptr},
                begins.back(), keys_, workspace.stream);
    const std::vector<std::uint64_t> keys = download(keys_, begins.back(), workspace);
    const std::uint64_t last = order_key(limit_, ~std::uint32_t{0});
    for (std::uint32_t query = first; query < end; ++query) {
      for (std::uint64_t i = begins[query - first]; i < begins[query - first + 1]; ++i) {
        if (keys[i] <= last) found[query].push_back(keys[i]);
      }
    }
  }

  /// A query that halves tell nothing of.
  void scan_one(const RowPage& page, const DeviceQueries& queries, std::uint32_t query,
                Workspace& workspace, std::vector<std::uint64_t>& found) {
    scan_.compute_values(page,
                         {queries.values + std::size_t{query} * queries.stride, 1, queries.stride},
                         workspace.stream);
    const std::vector<float> values = download(scan_.values(), page.choice.count, workspace);
    std::vector<std::uint32_t> ids;
    if (page.choice.ids != nullptr) ids = download(page.choice.ids, page.choice.count, workspace);
    const std::uint64_t last = order_key(limit_, ~std::uint32_t{0});
    for (std::uint32_t i = 0; i < page.choice.count; ++i) {
      const std::uint64_t key =
          order_key(values[i], ids.empty() ? page.choice.first_id + i : ids[i]);
      if (key <= last) found.push_back(key);
    }
  }

  const GpuRows& rows_;
  RowPages& pages_;
  float limit_;
  std::size_t queries_;
  std::size_t list_size_;
  std::uint32_t page_panels_;
  std::uint32_t slab_panels_;
  ScanSearch scan_;
  float* raw_ = nullptr;
  float* prepared_ = nullptr;
  float* wanted_ = nullptr;
  QueryPanels query_panels_;
  RowPanels row_panels_;
  std::uint32_t* counts_ = nullptr;
  std::uint64_t* begins_ = nullptr;
  Candidate* candidates_ = nullptr;
  std::uint64_t* keys_ = nullptr;
};

}  // namespace

RangeNeighbors search_range(const GpuRows& rows, WorkspacePool& pool,
                            std::span<const float> queries, float radius, const RowFilter* filter) {
  const CurrentDevice current(rows.device());
  const std::size_t count = queries.size() / rows.dimension();
  RangeNeighbors result;
  result.offsets.push_back(0);
  const std::size_t memory = pool.memory();
  RowPages pages(rows, filter, choose_page_rows(rows, memory));
  const auto bytes_for = [&](std::size_t block, std::size_t list_bytes) {
    Arena arena(nullptr);
    RangeSearch(rows, pages, radius, block, list_bytes).lay_out(arena);
    return arena.used();
  };
  const std::size_t block = std::clamp<std::size_t>(count, 1, kMaxRangeBlock);
  const auto workspace = pool.take(bytes_for(1, 0), bytes_for(block, kListBytes));
  std::size_t used = block;
  std::size_t list_bytes = kListBytes;
  while (used > 1 && bytes_for(used, list_bytes) > workspace->scratch.size()) {
    used = (used + 1) / 2;
    list_bytes /= 2;
  }
  if (used == 1) list_bytes = 0;
  RangeSearch search(rows, pages, radius, used, list_bytes);
  Arena arena(workspace->scratch.data());
  search.lay_out(arena);
  for (std::size_t first = 0; first < count; first += used) {
    const std::size_t some = std::min(used, count - first);
    Keys found(some);
    search.run(queries.subspan(first * rows.dimension(), some * rows.dimension()), some, *workspace,
               found);
    for (std::vector<std::uint64_t>& keys : found) {
      std::sort(keys.begin(), keys.end());
      add_answers(rows.host().metric, keys, result);
    }
  }
  return result;
}

}  // namespace warpdex::vector
