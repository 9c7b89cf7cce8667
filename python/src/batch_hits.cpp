#include "batch_hits.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <utility>

namespace warpdex::python {
namespace {

/// How many queries are answered between two looks for signals, which see to it that a second
/// passes between them at most: texts of some ten thousand documents are read by then.
std::size_t part_of(const SearchOptions& options, std::size_t queries) {
  constexpr std::size_t kDocuments = 8192;
  if (options.fields.empty()) return std::max<std::size_t>(queries, 1);
  return std::max<std::size_t>(kDocuments / options.k, 1);
}

/// The answer's rows from those of all queries.
void fill_arrays(BatchAnswer& arrays, const std::vector<Hits>& hits, std::uint32_t k) {
  arrays.k = k;
  arrays.documents.assign(hits.size() * k, BatchAnswer::kNoDocument);
  arrays.scores.resize(arrays.documents.size());
  for (const Hits& each : hits) {
    std::size_t place = arrays.counts.size() * k;
    const Answer& answer = each.answer();
    arrays.counts.push_back(static_cast<std::uint32_t>(answer.size()));
    arrays.scores_are_distances = answer.scores_are_distances;
    arrays.is_complete = arrays.is_complete && answer.is_complete;
    for (const AnswerHit hit : answer) {
      arrays.documents[place] = hit.document();
      arrays.scores[place++] = hit.score();
    }
  }
}

}  // namespace

std::vector<Hits> search_hits(const Searcher& searcher, std::span<const std::string_view> texts,
                              const std::optional<FloatRows>& vectors, SearchOptions options,
                              BatchAnswer& arrays) {
  using Clock = std::chrono::steady_clock;
  const Searcher same = searcher.at_this_commit();
  const auto begin = Clock::now();
  const auto allowed = options.deadline;
  options.vectors_alone = texts.empty() && vectors;
  const std::size_t queries = options.vectors_alone ? vectors->shape(0) : texts.size();
  if (vectors && vectors->shape(0) != queries) {
    throw UsageError("there are " + std::to_string(queries) + " queries and " +
                     std::to_string(vectors->shape(0)) + " vectors; give one for each");
  }
  const std::size_t part = part_of(options, queries);
  std::vector<Hits> hits;
  while (hits.size() < queries) {
    const std::size_t first = hits.size();
    std::vector<Query> asked(std::min(part, queries - first));
    for (std::size_t i = 0; !options.vectors_alone && i < asked.size(); ++i) {
      asked[i] = same.parse(texts[first + i], options.syntax, std::to_string(first + i),
                            options.mode, options.searched);
    }
    const auto used = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - begin);
    options.deadline = std::max(allowed - used, std::chrono::microseconds(0));
    std::span<const float> rows;
    if (vectors) {
      const std::size_t columns = vectors->shape(1);
      rows = components(*vectors).subspan(first * columns, asked.size() * columns);
    }
    std::vector<Answer> answers = same.search(asked, rows, options);
    for (std::size_t i = 0; i < asked.size(); ++i) {
      hits.emplace_back(std::make_shared<const Found>(
          Found{std::move(asked[i]), std::move(answers[i]), options.scorer, !vectors}));
    }
  }
  arrays = same.search_batch({});
  fill_arrays(arrays, hits, options.k);
  return hits;
}

}  // namespace warpdex::python
