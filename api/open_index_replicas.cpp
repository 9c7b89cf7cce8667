// Phrases, facets and vectors: each replica on GPUs, or the CPU, answers some of the queries.
#include <algorithm>
#include <iterator>
#include <string>
#include <thread>
#include <utility>

#include "open_index.hpp"
#include "warpdex/query/index_vectors.hpp"

namespace warpdex {
namespace {

/// Fewer queries are not shared out.
constexpr std::size_t kFewOfReplica = 256;

/// Answers so many queries, some at a time where the caller may end the search or sees its
/// progress. `answer` gets the first and the number of the next.
std::vector<TextAnswer> in_parts(
    std::size_t queries, std::size_t part, const SearchLimits& limits,
    const std::function<std::vector<TextAnswer>(std::size_t, std::size_t)>& answer) {
  if (!limits.any()) part = std::max<std::size_t>(queries, 1);
  std::vector<TextAnswer> answers;
  answers.reserve(queries);
  for (std::size_t first = 0; first < queries; first += part) {
    limits.check_stop();
    std::ranges::move(answer(first, std::min(part, queries - first)), std::back_inserter(answers));
    if (limits.reports()) (*limits.on_progress)(answers.size() - first);
  }
  limits.check_stop();
  return answers;
}

/// Into how many shares replicas cut a batch: none is small.
std::size_t shares_of(std::size_t queries, std::size_t replicas) {
  return std::clamp<std::size_t>(queries / kFewOfReplica, 1, replicas);
}

}  // namespace

/// Shares the queries out to replicas. Returns those that are left.
std::vector<std::size_t> OpenIndex::search_phrases(std::span<const Query> queries,
                                                   const SearchSettings& settings,
                                                   const SearchLimits& limits,
                                                   std::vector<TextAnswer>& answers) const {
  const std::size_t shares = shares_of(queries.size(), replica_count());
  const std::size_t first_replica = next_replica();
  std::vector<std::vector<std::size_t>> left(shares);
  kept_threads_.parallel_for(shares, shares, [&](std::size_t, std::size_t share) {
    const std::size_t first = queries.size() * share / shares;
    const std::size_t count = queries.size() * (share + 1) / shares - first;
    PhraseText& phrases = replicas_[(first_replica + share) % replica_count()]->phrases();
    left[share] = phrases.search(queries.subspan(first, count), settings, limits,
                                 std::span(answers).subspan(first, count));
    for (std::size_t& each : left[share]) each += first;
  });
  for (std::size_t share = 1; share < shares; ++share) {
    left[0].insert(left[0].end(), left[share].begin(), left[share].end());
  }
  return std::move(left[0]);
}

std::optional<GpuFacets::Counting> OpenIndex::start_facets(
    const PlannedQuery& plan, const SearchSettings& settings,
    std::span<const FacetRequest> wanted) const {
  if (replicas_.empty()) return std::nullopt;
  return replicas_[next_replica()]->start_facets(plan, settings, wanted);
}

std::vector<TextAnswer> OpenIndex::search(std::span<const Query> queries,
                                          std::span<const float> vectors, std::size_t set,
                                          const SearchSettings& settings,
                                          const FusionSettings& fusion,
                                          const SearchLimits& limits) const {
  const std::size_t dimension = queries.empty() ? 0 : vectors.size() / queries.size();
  return search_hybrid(set, queries.size(), limits,
                       [&](HybridSearcher& searcher, std::size_t first, std::size_t count) {
                         std::vector<TextAnswer> answers;
                         for (SearchResult& each :
                              searcher.search(queries.subspan(first, count),
                                              vectors.subspan(first * dimension, count * dimension),
                                              settings, fusion)) {
                           const bool was_cut = searcher.was_cut(answers.size());
                           answers.push_back({.result = std::move(each), .terms_cut = was_cut});
                         }
                         return answers;
                       });
}

std::vector<TextAnswer> OpenIndex::nearest(std::span<const float> vectors, std::size_t set,
                                           std::uint32_t k, const FusionSettings& depth,
                                           const DocumentFilter* documents,
                                           const SearchLimits& limits) const {
  const std::size_t dimension = vector_settings(*snapshot_, set).dimension;
  return search_hybrid(
      set, vectors.size() / dimension, limits,
      [&](HybridSearcher& searcher, std::size_t first, std::size_t count) {
        std::vector<TextAnswer> answers;
        for (SearchResult& each : searcher.nearest(
                 vectors.subspan(first * dimension, count * dimension), k, depth, documents)) {
          answers.push_back({std::move(each)});
        }
        return answers;
      });
}

Pool<OpenIndex::Hybrid>::Lease OpenIndex::take_hybrid(std::size_t replica, std::size_t set) const {
  const std::size_t sets = hybrids_.size() / replica_count();
  return hybrids_.at(replica * sets + set).take([&] {
    return std::make_unique<Hybrid>(*this, replica, set);
  });
}

/// Shares the queries out to replicas. The caller's thread alone reports progress.
std::vector<TextAnswer> OpenIndex::search_hybrid(std::size_t set, std::size_t queries,
                                                 const SearchLimits& limits,
                                                 const HybridSearch& search) const {
  limits.check_stop();
  const std::size_t shares = shares_of(queries, replica_count());
  const std::size_t first_replica = next_replica();
  std::vector<std::vector<TextAnswer>> found(shares);
  const std::thread::id caller = std::this_thread::get_id();
  kept_threads_.parallel_for(shares, shares, [&](std::size_t, std::size_t share) {
    SearchLimits own = limits;
    if (std::this_thread::get_id() != caller) own.on_progress = nullptr;
    const auto hybrid = take_hybrid((first_replica + share) % replica_count(), set);
    hybrid->limits = own;
    const std::size_t begin = queries * share / shares;
    const std::size_t end = queries * (share + 1) / shares;
    found[share] = in_parts(end - begin, part_size(), own, [&](std::size_t first, std::size_t n) {
      return search(hybrid->searcher, begin + first, n);
    });
  });
  for (std::size_t share = 1; share < shares; ++share) {
    std::ranges::move(found[share], std::back_inserter(found[0]));
  }
  return std::move(found[0]);
}

/// Queries with vectors that are answered in a fraction of a second.
std::size_t OpenIndex::part_size() const { return uploaded_ ? 4096 : 64; }

OpenIndex::Hybrid::Hybrid(const OpenIndex& index, std::size_t replica, std::size_t set)
    : searcher(index.make_hybrid(*this, replica, set)) {}

/// Its text half is this index's own search, within the limits of the search that `of` is in. The
/// halves of a search with a deadline are complete: a fusion of parts would mean nothing.
HybridSearcher OpenIndex::make_hybrid(Hybrid& of, std::size_t replica, std::size_t set) const {
  HybridSearcher::TextSearch text = [this, &of](std::span<const Query> queries,
                                                const SearchSettings& settings) {
    std::vector<TreeResult> results;
    for (TextAnswer& answer : search(queries, settings, {.stop = of.limits.stop})) {
      results.push_back({.result = std::move(answer.result), .was_cut = answer.terms_cut});
    }
    return results;
  };
  if (replicas_.empty()) return HybridSearcher(*snapshot_, threads_, std::move(text), set);
  return HybridSearcher(*snapshot_, replicas_[replica]->vectors(set), threads_, std::move(text));
}

std::string OpenIndex::note() const {
  for (const auto& replica : replicas_) {
    const std::string note = replica->note();
    if (!note.empty()) return note;
  }
  if (lacks_gpu_blocks_) {
    return "the blocks of documents of the new commit do not fit into GPU memory beside those "
           "before, so lists are searched; allow more by --gpu-memory, or open the index again";
  }
  if (!uploaded_ || uploaded_->used_shards() == uploaded_->shards()) return "";
  return "the index has " + std::to_string(snapshot_->segments().size()) + " segments for " +
         std::to_string(uploaded_->shards()) + " shards, so GPUs are idle; split it";
}

}  // namespace warpdex
