#include "warpdex/query/shards/shard_broker.hpp"

#include <utility>

#include "shards/batch_search.hpp"
#include "shards/known_terms.hpp"
#include "shards/nearest_search.hpp"
#include "shards/whole.hpp"
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

}  // namespace

struct ShardBroker::State {
  State(std::size_t parts, AskParts asking)
      : ask(std::move(asking)), whole(ask_for_descriptions(parts, ask)) {}

  const AskParts ask;
  const Whole whole;
  KnownTerms known;
};

ShardBroker::ShardBroker(std::size_t parts, AskParts ask)
    : state_(std::make_unique<State>(parts, std::move(ask))) {}
ShardBroker::~ShardBroker() = default;

const std::vector<PartDescription>& ShardBroker::parts() const { return state_->whole.parts(); }

MergedBatch ShardBroker::search(std::span<const Query> queries,
                                std::span<const SearchSettings> settings,
                                const BrokerSettings& how) {
  if (queries.empty()) return {};
  check_settings(settings, queries.size());
  std::vector<SearchSettings> of_each(settings.begin(), settings.end());
  of_each.resize(queries.size(), settings.front());
  return BatchSearch(state_->whole, state_->known, state_->ask, how).run(queries, of_each);
}

MergedBatch ShardBroker::nearest(std::span<const float> rows, std::uint32_t k,
                                 const BrokerSettings& how) {
  SearchSettings{.k = k, .scorer = {}}.validate();
  return nearest_in_parts(state_->whole, state_->ask, rows, k, how);
}

MergedBatch ShardBroker::search_hybrid(std::span<const Query> queries, std::span<const float> rows,
                                       const SearchSettings& settings, const FusionSettings& fusion,
                                       const BrokerSettings& how) {
  settings.validate();
  fusion.validate();
  if (fusion.fusion != Fusion::kReciprocalRank && fusion.fusion != Fusion::kConvex) {
    throw UsageError("parts join words and vectors by rrf or convex; take one of these");
  }
  MergedBatch near = nearest(rows, fusion.depth, how);
  if (near.answers.size() != queries.size()) {
    throw UsageError("there are " + std::to_string(queries.size()) + " queries and " +
                     std::to_string(near.answers.size()) + " vectors; give each query one");
  }
  SearchSettings of_words = settings;
  of_words.and_or_min = settings.and_or_min_matches();  // not of the depth
  of_words.k = fusion.depth;
  MergedBatch words = search(queries, {&of_words, 1}, how);
  return fuse_parts(state_->whole, std::move(words), std::move(near), fusion, settings.k);
}

}  // namespace warpdex::shards
