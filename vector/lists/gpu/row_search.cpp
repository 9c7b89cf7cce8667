// Lists of whole vectors: searched by products, or query by query.
#include <cstdint>
#include <optional>
#include <vector>

#include "flat/gpu/product_search.hpp"
#include "lists/gpu/gpu_list_searcher.hpp"
#include "lists/gpu/gpu_lists.hpp"
#include "lists/gpu/list_scan.hpp"
#include "lists/gpu/list_search.hpp"
#include "lists/row_list_search.hpp"

namespace warpdex::vector {

/// Lists are taken one by one, each with all queries that probe it, as products of halves on the
/// tensor cores; what may be among the k nearest is computed again in the canonical order of
/// arithmetic. The lists of a query are taken in rounds, the nearest one first, so that later
/// rounds keep few candidates. Few queries, large k, and queries that products do not settle are
/// compared with all vectors of their lists.
class RowCoding::GpuSearch {
 public:
  using GpuLists = vector::GpuLists;
  static constexpr bool kReadsHostQueries = false;

  static std::uint8_t choose_way(const GpuLists& lists, const ListSearchSizes& sizes,
                                 std::size_t count, CodeWay /*way*/) {
    constexpr std::size_t kMinListProductQueries = 8;
    const bool takes_products = count >= kMinListProductQueries &&
                                sizes.k <= kMaxProductNeighbors && lists.rows().is_bounded();
    return takes_products ? 1 : 0;
  }
  static std::size_t max_queries(const GpuLists& /*lists*/, const ListSearchSizes& /*sizes*/) {
    return kMaxBlock;
  }

  GpuSearch(const GpuLists& lists, const ListSearchSizes& sizes)
      : scan_(lists, sizes.queries, sizes.k, sizes.options.probes,
              lists.max_rows(sizes.options.probes)) {
    if (sizes.way != 0) {
      products_.emplace(lists, sizes.queries, sizes.k, sizes.options.probes);
    }
  }

  void lay_out(Arena& arena) {
    scan_.lay_out(arena);
    if (products_) products_->lay_out(arena);
  }

  void begin(const BlockQueries& block, Workspace& /*workspace*/) { block_ = block; }

  std::vector<std::uint32_t> nearest(const DeviceAnswers& found, GpuFigures& figures,
                                     Workspace& workspace) {
    const auto& [queries, probed, allowed, host, first] = block_;
    if (!products_) {
      scan_.nearest(queries, probed, allowed, found, workspace);
      return {};
    }
    const std::vector<std::uint32_t> open =
        products_->run(queries, probed, allowed, found, workspace);
    figures = {queries.count, open.size()};
    if (!open.empty()) scan_.nearest_of(open, queries, probed, allowed, found, workspace);
    return {};
  }

  std::vector<std::uint64_t> within(std::uint32_t query, float limit, Workspace& workspace) {
    return scan_.within(query, block_.queries, block_.probed, block_.allowed, limit, workspace);
  }

 private:
  ListScan scan_;
  std::optional<vector::ListSearch> products_;
  BlockQueries block_;
};

template std::unique_ptr<VectorSearcher> make_gpu_searcher(const Lists<RowCoding>&, Resources&,
                                                           const GpuSearchSettings&);

}  // namespace warpdex::vector
