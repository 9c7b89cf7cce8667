// What all engines have in common.
#include "warpdex/query/engine/engine.hpp"

#include <string>

#include "warpdex/core/error.hpp"

namespace warpdex {

SearchResult copy_answer(const AnswerView& answer) {
  SearchResult result;
  if (!answer.is_answered) return result;
  result.hits.assign(answer.hits.begin(), answer.hits.end());
  result.matches = answer.matches;
  result.fell_back_to_or = answer.fell_back_to_or;
  return result;
}

void check_settings(std::span<const SearchSettings> settings, std::size_t queries) {
  if (settings.size() != 1 && settings.size() != queries) {
    throw UsageError("a batch of " + std::to_string(queries) + " queries was submitted with " +
                     std::to_string(settings.size()) +
                     " settings; give one for all queries or one for each");
  }
  for (const SearchSettings& each : settings) each.validate();
}

}  // namespace warpdex
