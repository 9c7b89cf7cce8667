// Runs the pages of a search, one after the other.
#include "flat/gpu/nearest_search.hpp"

#include "distance/distance_kernels.hpp"
#include "flat/gpu/answers.hpp"

namespace warpdex::vector {

NearestSearch::NearestSearch(const GpuRows& rows, RowPages& pages, std::size_t queries,
                             std::size_t k, bool is_filtered)
    : rows_(rows),
      pages_(pages),
      queries_(queries),
      k_(k),
      search_(rows, queries, k, pages.page_rows(), is_filtered) {
  answers_.k = static_cast<std::uint32_t>(k);
}

void NearestSearch::lay_out(Arena& arena) {
  pages_.lay_out(arena);
  prepared_ = arena.take<float>(queries_ * padded(rows_.dimension()));
  answers_.values = arena.take<float>(queries_ * k_);
  answers_.ids = arena.take<std::uint32_t>(queries_ * k_);
  search_.lay_out(arena);
}

GpuFigures NearestSearch::run(const float* queries, std::size_t count, std::int32_t* rows,
                              float* distances, Workspace& workspace) {
  const auto stride = static_cast<std::uint32_t>(padded(rows_.dimension()));
  const auto size = static_cast<std::uint32_t>(count);
  prepare_on_gpu(queries, size, rows_.dimension(), rows_.host().metric, prepared_, stride,
                 workspace.stream);
  if (pages_.pages() == 0) clear_answers(answers_, size, workspace.stream);
  GpuFigures figures;
  pages_.start(0, workspace);
  for (std::size_t page = 0; page < pages_.pages(); ++page) {
    figures.uncertified += search_page(page, {prepared_, size, stride}, workspace);
  }
  if (search_.multiplies(count, pages_.page_rows())) figures.queries = count * pages_.pages();
  write_answers(answers_, size, rows_.host().metric, rows, distances, workspace.stream);
  return figures;
}

std::size_t NearestSearch::search_page(std::size_t number, const DeviceQueries& queries,
                                       Workspace& workspace) {
  const RowPage page = pages_.get(number, workspace);
  search_.start(page, queries, answers_, number == 0, workspace);
  if (number + 1 < pages_.pages()) pages_.start(number + 1, workspace);
  const std::size_t open = search_.finish(page, queries, answers_, workspace);
  // The page after the next one takes this one's memory.
  if (number + 2 < pages_.pages()) workspace.stream.synchronize();
  return open;
}

}  // namespace warpdex::vector
