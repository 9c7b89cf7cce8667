#include "shards/request_bytes.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shards/statistics_bytes.hpp"
#include "shards/tree_bytes.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::shards {
namespace {

// The fewest bytes of each.
constexpr std::size_t kTermBytes = 20;
constexpr std::size_t kUseBytes = 13;
constexpr std::size_t kScorerBytes = 26;
constexpr std::size_t kAskedBytes = 14 + kQueryBytes;

void put_scorer(MessageWriter& to, const ScorerSettings& scorer) {
  to.choice(scorer.kind);
  to.choice(scorer.form);
  to.number(scorer.k1);
  to.number(scorer.b);
  to.number(scorer.mu);
  to.number(scorer.delta);
  to.number(scorer.jm_lambda);
  to.number(scorer.pl2_c);
}

ScorerSettings take_scorer(MessageReader& from) {
  ScorerSettings scorer;
  scorer.kind = from.choice(static_cast<ScorerKind>(kScorerKinds - 1));
  scorer.form = from.choice(Bm25Form::kPisa);
  scorer.k1 = from.number<float>();
  scorer.b = from.number<float>();
  scorer.mu = from.number<float>();
  scorer.delta = from.number<float>();
  scorer.jm_lambda = from.number<float>();
  scorer.pl2_c = from.number<float>();
  if (!(scorer == scorer)) fail_message("a setting of a scorer is no number");
  return scorer;
}

void put_whole(MessageWriter& to, const WholeStatistics& whole) {
  put_collection(to, whole.collection, whole.texts);
  std::vector<std::pair<std::string_view, TermFrequencies>> terms(whole.terms.begin(),
                                                                  whole.terms.end());
  std::ranges::sort(terms, {}, [](const auto& term) { return term.first; });
  to.count(terms.size());
  for (const auto& [term, frequencies] : terms) {
    to.text(term);
    put_frequencies(to, frequencies);
  }
}

WholeStatistics take_whole(MessageReader& from) {
  WholeStatistics whole;
  take_collection(from, whole.collection, whole.texts);
  for (std::size_t left = from.count(kTermBytes); left > 0; --left) {
    const std::string_view term = from.text();
    if (!whole.terms.emplace(term, take_frequencies(from)).second) {
      fail_message("a term twice");
    }
  }
  return whole;
}

/// Each of the settings' scorers once.
std::vector<ScorerSettings> distinct_scorers(const std::vector<SearchSettings>& settings) {
  std::vector<ScorerSettings> scorers;
  for (const SearchSettings& one : settings) {
    if (std::ranges::find(scorers, one.scorer) == scorers.end()) scorers.push_back(one.scorer);
  }
  return scorers;
}

void put_asked(MessageWriter& to, const Query& query, const SearchSettings& settings,
               std::size_t scorer) {
  to.choice(settings.mode);
  to.number(settings.k);
  to.flag(settings.count);
  to.number(settings.known_threshold);
  to.count(scorer);
  put_query(to, query);
}

void take_asked(MessageReader& from, const std::vector<ScorerSettings>& scorers, Query& query,
                SearchSettings& settings) {
  settings.mode = from.choice(QueryMode::kOr);
  settings.k = from.number<std::uint32_t>();
  settings.count = from.flag();
  settings.known_threshold = from.score();
  const auto scorer = from.number<std::uint32_t>();
  if (scorer >= scorers.size()) fail_message("a scorer that is not there");
  settings.scorer = scorers[scorer];
  query = take_query(from);
}

void check_request(const SearchRequest& request) {
  if (request.queries.size() != request.settings.size()) {
    throw UsageError("each query has settings of its own, and there are " +
                     std::to_string(request.settings.size()) + " for " +
                     std::to_string(request.queries.size()) + " queries");
  }
  for (const SearchSettings& settings : request.settings) settings.scorer.validate();
  check_queries(request.queries);
}

}  // namespace

void check_queries(std::span<const Query> queries) {
  if (queries.size() > kMaxBatch) {
    throw UsageError("a message holds " + std::to_string(kMaxBatch) +
                     " queries at most; ask for fewer at once");
  }
  for (const Query& query : queries) {
    if (query.tree) check_tree(*query.tree);
  }
}

void put_query(MessageWriter& to, const Query& query) {
  to.count(query.terms.size());
  for (const QueryTerm& term : query.terms) {
    to.text(term.term);
    to.choice(term.occur);
    to.number(term.weight);
    to.number(term.word);
  }
  to.flag(query.tree != nullptr);
  if (query.tree) put_node(to, *query.tree);
}

Query take_query(MessageReader& from) {
  Query query;
  query.terms.resize(from.count(kUseBytes));
  for (QueryTerm& term : query.terms) {
    term.term = from.text();
    term.occur = from.choice(Occur::kMustNot);
    term.weight = from.number<float>();
    term.word = from.number<std::uint32_t>();
  }
  if (from.flag()) query.tree = std::make_shared<const QueryNode>(take_node(from));
  return query;
}

void put_search(MessageWriter& to, const SearchRequest& request) {
  check_request(request);
  to.number(request.version);
  put_whole(to, request.whole);
  const std::vector<ScorerSettings> scorers = distinct_scorers(request.settings);
  to.count(scorers.size());
  for (const ScorerSettings& scorer : scorers) put_scorer(to, scorer);
  to.count(request.queries.size());
  for (std::size_t i = 0; i < request.queries.size(); ++i) {
    const auto scorer = std::ranges::find(scorers, request.settings[i].scorer);
    put_asked(to, request.queries[i], request.settings[i],
              static_cast<std::size_t>(scorer - scorers.begin()));
  }
  to.text(request.filter);
  to.flag(request.wants_names);
}

SearchRequest take_search(MessageReader& from) {
  SearchRequest request;
  request.version = from.number<std::uint64_t>();
  request.whole = take_whole(from);
  std::vector<ScorerSettings> scorers(from.count(kScorerBytes, kMaxBatch));
  for (ScorerSettings& scorer : scorers) scorer = take_scorer(from);
  request.queries.resize(from.count(kAskedBytes, kMaxBatch));
  request.settings.resize(request.queries.size());
  for (std::size_t i = 0; i < request.queries.size(); ++i) {
    take_asked(from, scorers, request.queries[i], request.settings[i]);
  }
  request.filter = from.text();
  request.wants_names = from.flag();
  return request;
}

}  // namespace warpdex::shards
