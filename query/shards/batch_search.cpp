#include "shards/batch_search.hpp"

#include <algorithm>
#include <utility>

#include "shards/tree_bytes.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::shards {

MergedBatch BatchSearch::run(std::span<const Query> queries,
                             std::span<const SearchSettings> settings) {
  learn_terms(queries);
  const WholeStatistics statistics = statistics_of(queries);
  queries_.reserve(queries.size());
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const auto scores_of = [&](const Query& query) {
      return QueryScores(whole_, statistics, terms_, query, settings[i].scorer);
    };
    std::optional<QueryScores> other;
    if (queries[i].or_else) other = scores_of(*queries[i].or_else);
    queries_.emplace_back(whole_, queries[i], settings[i], scores_of(queries[i]), std::move(other),
                          !how_.filter.empty());
    for (std::uint32_t part = 0; part < calls_.parts(); ++part) {
      if (calls_.is_missing(part)) queries_.back().miss(part);
    }
  }
  while (ask_round()) {
  }
  batch_.coverage = calls_.coverage(whole_);
  batch_.coverage.has_whole_statistics = has_whole_statistics_;
  batch_.rounds = calls_.rounds();
  for (AskedQuery& query : queries_) {
    batch_.answers.push_back(query.finish(has_whole_statistics_));
  }
  return std::move(batch_);
}

void BatchSearch::learn_terms(std::span<const Query> queries) {
  std::vector<std::string> unknown;
  for (const Query& query : queries) {
    for_each_term_of(query, [&](const std::string& term) {
      const auto [place, is_new] = terms_.try_emplace(term);
      if (!is_new) return;
      place->second = known_.find(term);
      if (place->second == nullptr) unknown.push_back(term);
    });
  }
  if (!unknown.empty()) ask_for_terms(unknown);
}

void BatchSearch::ask_for_terms(const std::vector<std::string>& terms) {
  std::vector<PartMessage> messages;
  for (std::uint32_t part = 0; part < calls_.parts(); ++part) {
    messages.push_back({part, write(TermsRequest{whole_.parts()[part].version, terms})});
  }
  const std::vector<PartReply> replies = calls_.send(messages);
  std::vector<std::vector<PartTerm>> counts(terms.size(), std::vector<PartTerm>(calls_.parts()));
  for (std::uint32_t part = 0; part < calls_.parts(); ++part) {
    const std::optional<std::string> bytes = calls_.answer_of(part, replies[part]);
    if (!bytes) continue;
    try {
      TermsAnswer answer = read_terms_answer(*bytes);
      if (answer.terms.size() != terms.size()) throw FormatError("it counts other terms");
      for (std::size_t i = 0; i < terms.size(); ++i) counts[i][part] = std::move(answer.terms[i]);
    } catch (const FormatError& error) {
      miss(part, error.what());
    }
  }
  for (std::uint32_t part = 0; part < calls_.parts(); ++part) {
    if (calls_.is_missing(part)) has_whole_statistics_ = false;
  }
  for (std::size_t i = 0; i < terms.size(); ++i) {
    TermInParts shared = std::make_shared<const std::vector<PartTerm>>(std::move(counts[i]));
    if (has_whole_statistics_) known_.add(terms[i], shared);
    terms_[terms[i]] = std::move(shared);
  }
}

WholeStatistics BatchSearch::statistics_of(std::span<const Query> queries) const {
  WholeStatistics whole{.collection = whole_.collection(), .texts = whole_.texts()};
  for (const Query& query : queries) {
    for_each_term_of(query, [&](const std::string& term) {
      const auto [place, is_new] = whole.terms.try_emplace(term);
      if (!is_new) return;
      for (const PartTerm& part : *terms_.find(term)->second) {
        place->second.documents += part.frequencies.documents;
        place->second.occurrences += part.frequencies.occurrences;
      }
    });
  }
  return whole;
}

std::vector<BatchSearch::Asked> BatchSearch::next_questions() const {
  std::vector<Asked> all;
  for (std::uint32_t part = 0; part < calls_.parts(); ++part) {
    if (calls_.is_missing(part)) continue;
    Asked asked{part};
    for (std::size_t i = 0; i < queries_.size(); ++i) {
      if (queries_[i].asks(part)) asked.queries.push_back(i);
    }
    if (!asked.queries.empty()) all.push_back(std::move(asked));
  }
  return all;
}

/// False: there is nothing to ask any more.
bool BatchSearch::ask_round() {
  const std::vector<Asked> all = next_questions();
  if (all.empty()) return false;
  std::vector<bool> is_asked(queries_.size());
  for (const Asked& asked : all) {
    for (const std::size_t query : asked.queries) is_asked[query] = true;
  }
  std::vector<Query> queries;
  for (std::size_t i = 0; i < queries_.size(); ++i) {
    if (is_asked[i]) queries.push_back(queries_[i].query());
  }
  const WholeStatistics statistics = statistics_of(queries);
  std::vector<PartMessage> messages;
  for (const Asked& asked : all) messages.push_back({asked.part, request_of(asked, statistics)});
  const std::vector<PartReply> replies = calls_.send(messages);
  for (std::size_t i = 0; i < all.size(); ++i) take(all[i], replies[i]);
  for (std::size_t i = 0; i < queries_.size(); ++i) {
    if (is_asked[i]) queries_[i].go_on();
  }
  return true;
}

std::string BatchSearch::request_of(const Asked& asked, const WholeStatistics& statistics) const {
  SearchRequest request{.version = whole_.parts()[asked.part].version,
                        .whole = statistics,
                        .filter = how_.filter,
                        .wants_names = how_.wants_names};
  for (const std::size_t query : asked.queries) {
    request.queries.push_back(queries_[query].query());
    request.settings.push_back(queries_[query].settings(asked.part));
  }
  return write(request);
}

void BatchSearch::take(const Asked& asked, const PartReply& reply) {
  for (const std::size_t query : asked.queries) {
    if (queries_[query].has_asked(asked.part)) ++batch_.asked_again;
  }
  const std::optional<std::string> bytes = calls_.answer_of(asked.part, reply);
  if (!bytes) {
    tell_missing(asked.part);
    return;
  }
  try {
    SearchAnswer answer = read_search_answer(*bytes);
    if (answer.queries.size() != asked.queries.size()) {
      throw FormatError("it answers other queries");
    }
    for (const PartAnswer& query : answer.queries) {
      if (how_.wants_names && query.names.size() != query.hits.size()) {
        throw FormatError("it has no names of documents");
      }
    }
    for (std::size_t i = 0; i < asked.queries.size(); ++i) {
      queries_[asked.queries[i]].take(asked.part, std::move(answer.queries[i]));
    }
  } catch (const FormatError& error) {
    miss(asked.part, error.what());
  }
}

void BatchSearch::miss(std::uint32_t part, const std::string& reason) {
  calls_.miss(part, reason);
  tell_missing(part);
}

void BatchSearch::tell_missing(std::uint32_t part) {
  for (AskedQuery& query : queries_) query.miss(part);
}

}  // namespace warpdex::shards
