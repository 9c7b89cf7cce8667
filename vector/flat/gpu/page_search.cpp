// Chooses between products and scans, and finishes by scans what products leave open.
#include "flat/gpu/page_search.hpp"

#include "warpdex/core/cuda/copies.hpp"

namespace warpdex::vector {

PageSearch::PageSearch(const GpuRows& rows, std::size_t queries, std::size_t k,
                       std::size_t page_rows, bool is_filtered)
    : queries_(queries),
      scan_(rows, ScanSearch::suitable_queries(queries, page_rows), k, page_rows) {
  if (queries >= kMinProductQueries && k <= kMaxProductNeighbors && rows.is_bounded()) {
    product_.emplace(rows, queries, k, page_rows, is_filtered);
    if (!product_->suits(page_rows)) product_.reset();
  }
}

void PageSearch::lay_out(Arena& arena) {
  open_list_ = arena.take<std::uint32_t>(queries_);
  scan_.lay_out(arena);
  if (product_) product_->lay_out(arena);
}

void PageSearch::start(const RowPage& page, const DeviceQueries& queries,
                       const DeviceAnswers& answers, bool is_first, Workspace& workspace) {
  if (multiplies(queries.count, page.choice.count)) {
    product_->run(page, queries, answers, !is_first, workspace.stream);
  } else {
    scan_.run(page, queries, nullptr, queries.count, answers, is_first, workspace);
  }
}

std::size_t PageSearch::finish(const RowPage& page, const DeviceQueries& queries,
                               const DeviceAnswers& answers, Workspace& workspace) {
  if (!multiplies(queries.count, page.choice.count)) return 0;
  const std::vector<std::uint32_t> open = find_open(product_->open(), queries.count, workspace);
  if (open.empty()) return 0;
  copy_to_gpu(open_list_, open.data(), open.size(), workspace.stream);
  scan_.run(page, queries, open_list_, static_cast<std::uint32_t>(open.size()), answers, false,
            workspace);
  workspace.stream.synchronize();  // `open` goes
  return open.size();
}

}  // namespace warpdex::vector
