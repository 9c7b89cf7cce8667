// Takes queries through all segments, one after the other.
#include "flat/gpu/segment_searches.hpp"

#include <algorithm>

#include "flat/gpu/answers.hpp"

namespace warpdex::vector {

AllSegments::AllSegments(const std::vector<DeviceSegment>& all,
                         const std::vector<std::size_t>& order, std::size_t queries,
                         std::size_t k) {
  for (const std::size_t i : order) {
    if (all[i].choice.count == 0) break;  // these come last
    parts.push_back(&all[i]);
    searches.emplace_back(*all[i].rows, queries, k, all[i].choice.count,
                          all[i].choice.positions != nullptr);
  }
}

/// They use the same memory.
void AllSegments::lay_out(Arena& arena) {
  std::size_t bytes = 0;
  for (PageSearch& search : searches) {
    Arena own(nullptr);
    search.lay_out(own);
    bytes = std::max(bytes, own.used());
  }
  auto* const begin = arena.take<std::uint8_t>(bytes);
  for (PageSearch& search : searches) {
    Arena own(begin);
    search.lay_out(own);
  }
}

void AllSegments::run(const DeviceQueries& queries, const DeviceAnswers& answers,
                      Workspace& workspace) {
  if (parts.empty()) clear_answers(answers, queries.count, workspace.stream);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const RowPage page = parts[i]->page();
    searches[i].start(page, queries, answers, i == 0, workspace);
    searches[i].finish(page, queries, answers, workspace);
  }
}

}  // namespace warpdex::vector
