// Reads answers out of pinned memory.
#include "warpdex/query/gpu/gpu_answers.hpp"

#include <algorithm>

namespace warpdex {

std::size_t GpuAnswers::size() const { return state_->queries; }

std::span<const Hit> GpuAnswers::hits(std::size_t query) const {
  const auto found = state_->by_cpu.find(query);
  if (found != state_->by_cpu.end()) return found->second.hits;
  return {state_->hits + query * state_->settings.k, state_->list[query].hits};
}

SearchResult GpuAnswers::result(std::size_t query) const {
  const auto found = state_->by_cpu.find(query);
  if (found != state_->by_cpu.end()) return found->second;
  const gpu::Answer& answer = state_->list[query];
  const auto best = hits(query);
  SearchResult result;
  result.hits.assign(best.begin(), best.end());
  result.matches = std::max<std::uint64_t>(answer.matches, answer.hits);
  result.fell_back_to_or =
      state_->settings.mode == QueryMode::kAndOr && (answer.fell_back != 0 || answer.hits == 0);
  return result;
}

}  // namespace warpdex
