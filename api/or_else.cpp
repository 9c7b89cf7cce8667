// Queries of two questions, as and-or over several fields makes them: the second one is asked where
// the first matches too few.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "open_index.hpp"

namespace warpdex {
namespace {

bool has_other(const Query& query) { return query.or_else != nullptr; }

/// How first questions are asked, so that matches_enough() can tell.
SearchSettings of_first(const SearchSettings& settings) {
  SearchSettings first = settings;
  first.count = settings.count || settings.and_or_min_matches() > settings.k;
  return first;
}

/// Matches that are not counted are k or more, or they are all hits.
bool matches_enough(const TextAnswer& answer, const SearchSettings& settings) {
  const SearchResult& result = answer.result;
  return std::max<std::uint64_t>(result.matches, result.hits.size()) >=
         settings.and_or_min_matches();
}

/// Puts the other question's answer in the place of the first one's. If time was over before that
/// was answered, either may be the right one: the first stays, and what is missing may be of both.
void take_other(TextAnswer&& other, TextAnswer& answer) {
  if (answer.is_complete) {
    answer = std::move(other);
    answer.result.fell_back_to_or = true;
    return;
  }
  const float best = other.result.hits.empty() ? 0 : other.result.hits.front().score;
  answer.max_missing_score = std::max({answer.max_missing_score, other.max_missing_score, best});
}

}  // namespace

std::vector<TextAnswer> OpenIndex::search(std::span<const Query> queries,
                                          const SearchSettings& settings,
                                          const SearchLimits& limits) const {
  if (std::ranges::none_of(queries, has_other)) return search_once(queries, settings, limits);
  // Requests count as answered once they are.
  const std::function<void(std::size_t)> none_yet = [&](std::size_t) { (*limits.on_progress)(0); };
  SearchLimits first_limits = limits;
  if (limits.reports()) first_limits.on_progress = &none_yet;
  std::vector<TextAnswer> answers = search_once(queries, of_first(settings), first_limits);
  std::vector<std::size_t> places;
  std::vector<Query> others;
  for (std::size_t i = 0; i < queries.size(); ++i) {
    if (!has_other(queries[i]) || matches_enough(answers[i], settings)) continue;
    places.push_back(i);
    others.push_back(*queries[i].or_else);
  }
  if (limits.reports()) (*limits.on_progress)(queries.size() - others.size());
  if (others.empty()) return answers;
  std::vector<TextAnswer> found = search_once(others, settings, limits);
  for (std::size_t i = 0; i < places.size(); ++i) {
    take_other(std::move(found[i]), answers[places[i]]);
  }
  return answers;
}

std::vector<TextAnswer> OpenIndex::search_once(std::span<const Query> queries,
                                               const SearchSettings& settings,
                                               const SearchLimits& limits) const {
  const auto is_tree = [](const Query& query) { return query.tree != nullptr; };
  return std::ranges::any_of(queries, is_tree) ? search_apart(queries, settings, limits)
                                               : search_terms(queries, settings, limits);
}

OpenIndex::Decided OpenIndex::decide(std::span<const Query> queries, const SearchSettings& settings,
                                     const SearchLimits& limits) const {
  Decided decided{{queries.begin(), queries.end()}, std::vector<bool>(queries.size())};
  if (std::ranges::none_of(queries, has_other)) return decided;
  SearchSettings few = settings;
  few.count = false;
  few.and_or_min = settings.and_or_min_matches();
  few.k = std::min(few.and_or_min, kMaxK);
  const std::vector<TextAnswer> answers =
      search(queries, few, {.stop = limits.stop, .threads = limits.threads});
  for (std::size_t i = 0; i < queries.size(); ++i) {
    decided.fell_back[i] = answers[i].result.fell_back_to_or;
    decided.queries[i] = queries[i].answered(decided.fell_back[i]);
    decided.queries[i].or_else.reset();
  }
  return decided;
}

}  // namespace warpdex
