// Reads answers from page-locked memory.
#include "gpu/run/lane_answers.hpp"

#include <algorithm>

#include "gpu/run/batch_memory.hpp"

namespace warpdex::gpu {

void LaneAnswers::begin(std::size_t count, std::span<const SearchSettings> wanted) {
  queries = count;
  settings.assign(wanted.begin(), wanted.end());
  k = 0;
  for (const SearchSettings& each : settings) k = std::max(k, each.k);
  grow(memory, AnswerParts(nullptr, queries, k).bytes);
  const AnswerParts parts(memory.data(), queries, k);
  list = parts.answers;
  hits = parts.hits;
  is_unanswered.assign(queries, false);
}

AnswerView LaneAnswers::view(std::size_t query) const {
  if (is_unanswered[query]) return {.is_answered = false};
  const Answer& answer = list[query];
  const bool may_fall_back = settings_of(query).mode == QueryMode::kAndOr;
  return {.hits = {hits + query * k, answer.hits},
          .matches = std::max<std::uint64_t>(answer.matches, answer.hits),
          .fell_back_to_or = may_fall_back && (answer.fell_back != 0 || answer.hits == 0)};
}

}  // namespace warpdex::gpu
