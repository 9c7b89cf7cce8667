// Merges sorted answers, one segment after the other.
#include "gpu/run/merged_answers.hpp"

#include <algorithm>
#include <iterator>

namespace warpdex::gpu {
namespace {

bool is_better(const Hit& a, const Hit& b) {
  return a.score != b.score ? a.score > b.score : a.document < b.document;
}

/// Merges a segment's hits into the best so far, both sorted, and keeps k.
void merge_hits(const AnswerView& part, std::uint32_t first_document, std::uint32_t k,
                std::vector<Hit>& best) {
  const auto before = static_cast<std::ptrdiff_t>(best.size());
  for (const Hit& hit : part.hits) {
    const Hit moved{hit.document + first_document, hit.score};
    // Hits behind one that is not among the best are not either.
    if (static_cast<std::size_t>(before) == k && !is_better(moved, best[k - 1])) break;
    best.push_back(moved);
  }
  std::inplace_merge(best.begin(), best.begin() + before, best.end(), is_better);
  if (best.size() > k) best.resize(k);
}

}  // namespace

void MergedAnswers::merge(std::size_t query, std::span<const SegmentAnswers> segments,
                          std::uint32_t k) {
  SearchResult& result = results_[query];
  result.hits.clear();
  result.matches = 0;
  for (const SegmentAnswers& segment : segments) {
    const AnswerView part = segment.answers[query];
    if (!part.is_answered) return leave(query);
    merge_hits(part, segment.first_document, k, result.hits);
    result.matches += part.matches;
  }
}

AnswerView MergedAnswers::answer(std::size_t query) const {
  if (!is_answered(query)) return {.is_answered = false};
  const SearchResult& result = results_[query];
  return {
      .hits = result.hits, .matches = result.matches, .fell_back_to_or = result.fell_back_to_or};
}

}  // namespace warpdex::gpu
