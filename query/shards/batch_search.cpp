#include "shards/batch_search.hpp"

#include <algorithm>
#include <utility>

#include "warpdex/core/error.hpp"

namespace warpdex::shards {

MergedBatch BatchSearch::run(std::span<const Query> queries,
                             std::span<const SearchSettings> settings) {
  terms_.learn(queries);
  const WholeStatistics statistics = terms_.statistics_of(queries);
  queries_.reserve(queries.size());
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const auto scores_of = [&](const Query& query) {
      return QueryScores(whole_, statistics, terms_.table(), query, settings[i].scorer);
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
  for (AskedQuery& query : queries_) {
    batch_.answers.push_back(query.finish(terms_.are_whole()));
  }
  batch_.coverage.has_whole_statistics = terms_.are_whole();
  return std::move(batch_);
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
  const WholeStatistics statistics = terms_.statistics_of(queries);
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
