// Runs the pages of a search, and finishes by scans what products leave open.
#include "flat/gpu/nearest_search.hpp"

#include "distance/distance_kernels.hpp"
#include "flat/gpu/answers.hpp"
#include "warpdex/core/cuda/copies.hpp"

namespace warpdex::vector {

NearestSearch::NearestSearch(const GpuRows& rows, RowPages& pages, std::size_t queries,
                             std::size_t k, bool is_filtered)
    : rows_(rows),
      pages_(pages),
      queries_(queries),
      k_(k),
      scan_(rows, ScanSearch::suitable_queries(queries, pages.page_rows()), k, pages.page_rows()) {
  if (queries >= kMinProductQueries && k <= kMaxProductNeighbors && rows.is_bounded()) {
    product_.emplace(rows, queries, k, pages.page_rows(), is_filtered);
    if (!product_->suits(pages.page_rows())) product_.reset();
  }
  answers_.k = static_cast<std::uint32_t>(k);
}

void NearestSearch::lay_out(Arena& arena) {
  pages_.lay_out(arena);
  prepared_ = arena.take<float>(queries_ * padded(rows_.dimension()));
  answers_.values = arena.take<float>(queries_ * k_);
  answers_.ids = arena.take<std::uint32_t>(queries_ * k_);
  open_list_ = arena.take<std::uint32_t>(queries_);
  scan_.lay_out(arena);
  if (product_) product_->lay_out(arena);
}

GpuFlatFigures NearestSearch::run(const float* queries, std::size_t count, std::int32_t* rows,
                                  float* distances, Workspace& workspace) {
  const auto stride = static_cast<std::uint32_t>(padded(rows_.dimension()));
  const auto size = static_cast<std::uint32_t>(count);
  prepare_on_gpu(queries, size, rows_.dimension(), rows_.host().metric, prepared_, stride,
                 workspace.stream);
  if (pages_.pages() == 0) clear_answers(answers_, size, workspace.stream);
  GpuFlatFigures figures;
  const bool by_product = product_ && count >= kMinProductQueries;
  pages_.start(0, workspace);
  for (std::size_t page = 0; page < pages_.pages(); ++page) {
    figures.uncertified += search_page(page, {prepared_, size, stride}, by_product, workspace);
  }
  if (by_product) figures.queries = count * pages_.pages();
  write_answers(answers_, size, rows_.host().metric, rows, distances, workspace.stream);
  return figures;
}

std::size_t NearestSearch::search_page(std::size_t number, const DeviceQueries& queries,
                                       bool by_product, Workspace& workspace) {
  const RowPage page = pages_.get(number, workspace);
  by_product = by_product && product_->suits(page.choice.count);
  if (by_product) {
    product_->run(page, queries, answers_, number > 0, workspace.stream);
  } else {
    scan_.run(page, queries, nullptr, queries.count, answers_, number == 0, workspace);
  }
  if (number + 1 < pages_.pages()) pages_.start(number + 1, workspace);
  const std::size_t open = by_product ? scan_open(page, queries, workspace) : 0;
  // The page after the next one takes this one's memory.
  if (number + 2 < pages_.pages()) workspace.stream.synchronize();
  return open;
}

std::size_t NearestSearch::scan_open(const RowPage& page, const DeviceQueries& queries,
                                     Workspace& workspace) {
  const std::vector<std::uint32_t> open = find_open(product_->open(), queries.count, workspace);
  if (open.empty()) return 0;
  copy_to_gpu(open_list_, open.data(), open.size(), workspace.stream);
  scan_.run(page, queries, open_list_, static_cast<std::uint32_t>(open.size()), answers_, false,
            workspace);
  workspace.stream.synchronize();  // `open` goes
  return open.size();
}

}  // namespace warpdex::vector
