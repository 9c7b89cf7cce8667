#include "warpdex/query/shards/shard_broker.hpp"

#include <algorithm>
#include <utility>

#include "shards/batch_search.hpp"
#include "shards/facets_search.hpp"
#include "shards/fields_of_parts.hpp"
#include "shards/known_terms.hpp"
#include "shards/near_words_of_parts.hpp"
#include "shards/nearest_search.hpp"
#include "shards/part_calls.hpp"
#include "shards/sorted_batch.hpp"
#include "shards/whole.hpp"
#include "warpdex/core/checksum.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/query/engine/engine.hpp"

namespace warpdex::shards {
namespace {

PartDescription description_of(std::uint32_t part, const PartReply& reply) {
  std::string reason = reply.failure;
  try {
    if (reason.empty() && kind_of(reply.bytes) != MessageKind::kFailure) {
      return read_description(reply.bytes);
    }
    if (reason.empty()) reason = read_failure(reply.bytes).text;
  } catch (const FormatError& error) {
    reason = error.what();
  }
  throw IoError("part " + std::to_string(part) + " does not say what it is (" + reason +
                "); start it and try again");
}

std::vector<PartDescription> ask_for_descriptions(std::size_t parts, const AskParts& ask) {
  std::vector<PartMessage> messages;
  for (std::uint32_t part = 0; part < parts; ++part) messages.push_back({part, write_describe()});
  const std::vector<PartReply> replies = ask(messages);
  std::vector<PartDescription> descriptions;
  for (std::uint32_t part = 0; part < parts; ++part) {
    descriptions.push_back(description_of(
        part, part < replies.size() ? replies[part] : PartReply{.failure = "no reply"}));
  }
  return descriptions;
}

/// By which queries were answered; of trees, any.
std::vector<QueryMode> modes_of(std::span<const SearchSettings> settings,
                                const MergedBatch& batch) {
  std::vector<QueryMode> modes;
  for (std::size_t i = 0; i < settings.size(); ++i) {
    const bool is_or = settings[i].mode == QueryMode::kOr || batch.answers[i].fell_back_to_or;
    modes.push_back(is_or ? QueryMode::kOr : QueryMode::kAnd);
  }
  return modes;
}

/// After all rounds.
void cover(const Whole& whole, const PartCalls& calls, MergedBatch& batch) {
  const bool has_whole_statistics = batch.coverage.has_whole_statistics;
  batch.coverage = calls.coverage(whole);
  batch.coverage.has_whole_statistics = has_whole_statistics;
  batch.rounds = calls.rounds();
}

/// Of a batch that was answered before, without fields.
void add_fields_to(const Whole& whole, const AskParts& ask, const BrokerSettings& how,
                   std::span<const Query> queries, MergedBatch& batch) {
  if (how.shown.fields.empty()) return;
  PartCalls calls(whole.parts().size(), ask, how);
  calls.take(batch.coverage);
  add_fields(whole, calls, how, queries, batch.answers);
  const std::uint32_t rounds = batch.rounds;
  cover(whole, calls, batch);
  batch.rounds += rounds;
}

}  // namespace

struct ShardBroker::State {
  State(std::size_t parts, AskParts asking)
      : ask(std::move(asking)), whole(ask_for_descriptions(parts, ask)) {}

  /// For facets, sorting and fields, each query with Query::or_else becomes the one that is
  /// answered, which is OR's with its settings. Returns which are the other ones.
  std::vector<bool> decide(PartCalls& calls, const BrokerSettings& how, std::vector<Query>& queries,
                           std::vector<SearchSettings>& settings);

  const AskParts ask;
  const Whole whole;
  KnownTerms known;
};

std::vector<bool> ShardBroker::State::decide(PartCalls& calls, const BrokerSettings& how,
                                             std::vector<Query>& queries,
                                             std::vector<SearchSettings>& settings) {
  const auto has_other = [](const Query& query) { return query.or_else != nullptr; };
  const bool is_plain = how.facets.empty() && how.sort.empty() && how.shown.fields.empty();
  if (is_plain || std::ranges::none_of(queries, has_other)) return {};
  std::vector<Query> asked;
  std::vector<SearchSettings> few;
  for (std::size_t i = 0; i < queries.size(); ++i) {
    if (!has_other(queries[i])) continue;
    asked.push_back(queries[i]);
    few.push_back(settings[i]);
    few.back().count = false;
    few.back().and_or_min = settings[i].and_or_min_matches();
    few.back().k = std::min(few.back().and_or_min, kMaxK);
  }
  const MergedBatch found = BatchSearch(whole, known, calls, how).run(asked, few);
  std::vector<bool> fell_back(queries.size());
  std::size_t next = 0;
  for (std::size_t i = 0; i < queries.size(); ++i) {
    if (!has_other(queries[i])) continue;
    fell_back[i] = found.answers[next++].fell_back_to_or;
    const std::shared_ptr<const Query> other = queries[i].or_else;
    if (fell_back[i]) queries[i] = *other;
    queries[i].or_else.reset();
    settings[i].mode = QueryMode::kOr;
  }
  return fell_back;
}

ShardBroker::ShardBroker(std::size_t parts, AskParts ask)
    : state_(std::make_unique<State>(parts, std::move(ask))) {}
ShardBroker::~ShardBroker() = default;

const std::vector<PartDescription>& ShardBroker::parts() const { return state_->whole.parts(); }

std::uint64_t ShardBroker::version() const {
  RunningChecksum sum;
  for (const PartDescription& part : state_->whole.parts()) {
    sum.add({reinterpret_cast<const std::uint8_t*>(&part.version), sizeof part.version});
  }
  return sum.value();
}

MergedBatch ShardBroker::search(std::span<const Query> queries,
                                std::span<const SearchSettings> settings,
                                const BrokerSettings& how) {
  if (queries.empty()) return {};
  check_settings(settings, queries.size());
  std::vector<SearchSettings> of_each(settings.begin(), settings.end());
  of_each.resize(queries.size(), settings.front());
  for (SearchSettings& one : of_each) one.count = one.count && how.facets.empty();
  const Whole& whole = state_->whole;
  PartCalls calls(whole.parts().size(), state_->ask, how);
  std::vector<Query> chosen = with_near_words(whole, calls, queries);
  const std::vector<bool> fell_back = state_->decide(calls, how, chosen, of_each);
  MergedBatch batch = how.sort.empty()
                          ? BatchSearch(whole, state_->known, calls, how).run(chosen, of_each)
                          : SortedBatch(whole, state_->known, calls, how).run(chosen, of_each);
  for (std::size_t i = 0; i < fell_back.size(); ++i) {
    if (fell_back[i]) batch.answers[i].fell_back_to_or = true;
  }
  if (!how.facets.empty()) {
    add_facets(whole, calls, how, chosen, modes_of(of_each, batch), batch.answers);
  }
  if (!how.shown.fields.empty()) add_fields(whole, calls, how, chosen, batch.answers);
  cover(whole, calls, batch);
  return batch;
}

MergedBatch ShardBroker::nearest(std::span<const float> rows, std::uint32_t k,
                                 const BrokerSettings& how) {
  SearchSettings{.k = k, .scorer = {}}.validate();
  MergedBatch batch = nearest_in_parts(state_->whole, state_->ask, rows, k, how);
  add_fields_to(state_->whole, state_->ask, how, {}, batch);
  return batch;
}

MergedBatch ShardBroker::search_hybrid(std::span<const Query> queries, std::span<const float> rows,
                                       const SearchSettings& settings, const FusionSettings& fusion,
                                       const BrokerSettings& how) {
  settings.validate();
  fusion.validate();
  if (fusion.fusion != Fusion::kReciprocalRank && fusion.fusion != Fusion::kConvex) {
    throw UsageError("parts join words and vectors by rrf or convex; take one of these");
  }
  if (!how.sort.empty() || !how.facets.empty()) {
    throw UsageError("only searches by words alone are sorted and have facets");
  }
  BrokerSettings halves = how;
  halves.shown = {};
  MergedBatch near = nearest(rows, fusion.depth, halves);
  if (near.answers.size() != queries.size()) {
    throw UsageError("there are " + std::to_string(queries.size()) + " queries and " +
                     std::to_string(near.answers.size()) + " vectors; give each query one");
  }
  SearchSettings of_words = settings;
  of_words.and_or_min = settings.and_or_min_matches();  // not of the depth
  of_words.k = fusion.depth;
  PartCalls calls(state_->whole.parts().size(), state_->ask, halves);
  const std::vector<Query> chosen = with_near_words(state_->whole, calls, queries);
  MergedBatch words = search(chosen, {&of_words, 1}, halves);
  std::vector<bool> fell_back;
  for (std::size_t i = 0; i < queries.size(); ++i) {
    fell_back.push_back(queries[i].or_else && words.answers[i].fell_back_to_or);
  }
  MergedBatch batch =
      fuse_parts(state_->whole, std::move(words), std::move(near), fusion, settings.k);
  for (std::size_t i = 0; i < queries.size(); ++i) batch.answers[i].fell_back_to_or = fell_back[i];
  add_fields_to(state_->whole, state_->ask, how, chosen, batch);
  return batch;
}

}  // namespace warpdex::shards
