// Merges sorted answers by their heads: the segments are few.
#include "gpu/run/merged_answers.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace warpdex::gpu {
namespace {

/// The hits of a segment that are not taken yet, of which there are some.
struct Head {
  const Hit* next;
  const Hit* end;
  std::uint32_t first_document;

  Hit hit() const { return {next->document + first_document, next->score}; }
};

/// Takes the best of all heads until `best` is full. They have as many hits at least.
void merge_hits(std::vector<Head>& heads, std::vector<Hit>& best) {
  for (Hit& to : best) {
    std::size_t from = 0;
    to = heads[0].hit();
    for (std::size_t i = 1; i < heads.size(); ++i) {
      const Hit hit = heads[i].hit();
      if (!comes_before(hit, to)) continue;
      to = hit;
      from = i;
    }
    if (++heads[from].next == heads[from].end) {
      heads.erase(heads.begin() + static_cast<std::ptrdiff_t>(from));
    }
  }
}

}  // namespace

void MergedAnswers::merge(std::size_t query, std::span<const SegmentAnswers> segments,
                          std::uint32_t k) {
  SearchResult& result = results_[query];
  result.matches = 0;
  std::vector<Head> heads;
  std::size_t hits = 0;
  for (const SegmentAnswers& segment : segments) {
    const AnswerView part = segment.answers[query];
    if (!part.is_answered) return leave(query);
    result.matches += part.matches;
    hits += part.hits.size();
    if (part.hits.empty()) continue;
    heads.push_back(
        {part.hits.data(), part.hits.data() + part.hits.size(), segment.first_document});
  }
  result.hits.resize(std::min<std::size_t>(k, hits));
  merge_hits(heads, result.hits);
}

AnswerView MergedAnswers::answer(std::size_t query) const {
  if (!is_answered(query)) return {.is_answered = false};
  const SearchResult& result = results_[query];
  return {
      .hits = result.hits, .matches = result.matches, .fell_back_to_or = result.fell_back_to_or};
}

}  // namespace warpdex::gpu
