// Lists of product codes: query by query by tables of floats, or list by list.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "flat/gpu/product_search.hpp"
#include "lists/gpu/gpu_list_searcher.hpp"
#include "pq/code_scan.hpp"
#include "pq/gpu/search/code_search.hpp"
#include "pq/gpu/search/gpu_codes.hpp"
#include "pq/gpu/search/table_scan.hpp"

namespace warpdex::vector {

/// Few queries are compared with all codes of their lists by tables in shared memory, and the scan
/// keeps the k nearest as it goes. Many queries are grouped by the lists that they probe: a list is
/// compared with 8 queries at a time by tables rounded to bytes, or it is decoded once for up to
/// 128 queries and multiplied on the tensor cores. The nearest list of each query comes first and
/// gives it a limit. What may be within it is computed again by tables of floats. *Billion-scale
/// similarity search with GPUs*, section 5.
class PqCoding::GpuSearch {
 public:
  using GpuLists = GpuCodes;
  static constexpr bool kReadsHostQueries = false;

  static std::uint8_t choose_way(const GpuCodes& codes, const ListSearchSizes& sizes,
                                 std::size_t count, CodeWay way);
  static std::size_t max_queries(const GpuCodes& /*codes*/, const ListSearchSizes& /*sizes*/) {
    return kMaxBlock;
  }

  GpuSearch(const GpuCodes& codes, const ListSearchSizes& sizes)
      : codes_(codes),
        queries_(sizes.queries),
        scan_(codes, sizes.queries, sizes.candidates, sizes.options.probes, sizes.collects) {
    if (sizes.way == 0) return;
    const ListMatch match = sizes.way == kByTables ? ListMatch::kTables : ListMatch::kProducts;
    lists_.emplace(codes, match, sizes.queries, sizes.candidates, sizes.options.probes);
  }

  void lay_out(Arena& arena) {
    moved_ = arena.take<float>(queries_ * padded(codes_.dimension()));
    vectors_ = arena.take<float>(queries_ * padded(codes_.dimension()));
    scan_.lay_out(arena);
    if (lists_) lists_->lay_out(arena);
  }

  void begin(const BlockQueries& block, Workspace& workspace) {
    make_query_vectors(codes_.on_gpu(), block.queries, moved_, vectors_, workspace.stream);
    block_ = {block.queries, vectors_, block.probed, block.allowed};
  }

  std::vector<std::uint32_t> nearest(const DeviceAnswers& found, GpuFigures& figures,
                                     Workspace& workspace) {
    if (!lists_) {
      scan_.nearest(block_, block_.probed.probes, found, workspace);
      return {};
    }
    const std::vector<std::uint32_t> open = lists_->run(block_, found, workspace);
    figures = {block_.queries.count, open.size()};
    if (!open.empty()) scan_.nearest_of(open, block_, found, workspace);
    return {};
  }

  std::vector<std::uint64_t> within(std::uint32_t query, float limit, Workspace& workspace) {
    return scan_.within(query, block_, limit, workspace);
  }

 private:
  static constexpr std::uint8_t kByTables = 1;
  static constexpr std::uint8_t kByProducts = 2;

  const GpuCodes& codes_;
  std::size_t queries_;
  TableScan scan_;
  std::optional<CodeSearch> lists_;
  float* moved_ = nullptr;    ///< less the centre, where they are rotated
  float* vectors_ = nullptr;  ///< that tables are made of
  CodeQueries block_;
};

std::uint8_t PqCoding::GpuSearch::choose_way(const GpuCodes& codes, const ListSearchSizes& sizes,
                                             std::size_t count, CodeWay way) {
  // Queries of a list from which on lists are searched one by one.
  constexpr double kMinTableQueriesOfList = 10;
  // Queries of a list times bytes of a code from which on products are faster than tables.
  constexpr double kMinProductWork = 4096;
  if (sizes.candidates > kMaxProductNeighbors) return 0;
  const bool has_tables = CodeSearch::suits(codes, ListMatch::kTables);
  const bool has_products = CodeSearch::suits(codes, ListMatch::kProducts);
  const double queries = static_cast<double>(count) * static_cast<double>(sizes.options.probes) /
                         static_cast<double>(codes.lists());
  const double by_products = has_tables ? kMinProductWork / codes.on_gpu().bytes : 0;
  CodeWay best = CodeWay::kQueries;
  if (has_tables && queries >= kMinTableQueriesOfList) best = CodeWay::kTables;
  if (has_products && queries >= std::max(kMinTableQueriesOfList, by_products)) {
    best = CodeWay::kProducts;
  }
  if (way != CodeWay::kAuto) best = way;
  if (best == CodeWay::kTables && has_tables) return kByTables;
  return best == CodeWay::kProducts && has_products ? kByProducts : 0;
}

template std::unique_ptr<VectorSearcher> make_gpu_searcher(const Lists<PqCoding>&, Resources&,
                                                           const GpuSearchSettings&);

}  // namespace warpdex::vector
