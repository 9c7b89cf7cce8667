// What all engines have in common.
#include "warpdex/query/engine/engine.hpp"

#include <string>

#include "warpdex/core/error.hpp"

namespace warpdex {

SearchResult BatchAnswers::result(std::size_t query) const {
  const AnswerView answer = source_->answer(query);
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

std::vector<SearchResult> answer_all(Engine& engine, Engine* other,
                                     std::span<const PlannedQuery> plans,
                                     std::span<const SearchSettings> settings) {
  std::vector<SearchResult> results(plans.size());
  std::vector<std::size_t> left;  // queries
  std::vector<PlannedQuery> left_plans;
  std::vector<SearchSettings> left_settings;
  {
    const BatchAnswers answers = engine.run(plans, settings);
    for (std::size_t i = 0; i < plans.size(); ++i) {
      results[i] = answers.result(i);
      if (answers[i].is_answered || other == nullptr) continue;
      left.push_back(i);
      left_plans.push_back(plans[i]);
      left_settings.push_back(settings[settings.size() == 1 ? 0 : i]);
    }
  }
  if (left.empty()) return results;
  const BatchAnswers answers = other->run(left_plans, left_settings);
  for (std::size_t i = 0; i < left.size(); ++i) results[left[i]] = answers.result(i);
  return results;
}

}  // namespace warpdex
