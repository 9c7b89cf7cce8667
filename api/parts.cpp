// The parts of an index by messages, for programs.
#include "warpdex/parts.hpp"

#include <utility>

#include "pool.hpp"
#include "search_settings.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/indexer/format/snapshot.hpp"
#include "warpdex/indexer/index_settings.hpp"
#include "warpdex/query/input/query_parser.hpp"
#include "warpdex/query/shards/shard.hpp"
#include "warpdex/query/shards/shard_broker.hpp"
#include "warpdex/query/text_analyzers.hpp"

namespace warpdex {
namespace {

/// What a search of parts reads of an index's settings.
IndexSettings settings_of(const shards::PartDescription& part) {
  IndexSettings settings;
  settings.analyzer.name = part.analyzer;
  settings.analyzer.version = part.analyzer_version;
  if (part.schema != schema_to_json({})) settings.schema = parse_schema(part.schema);
  settings.has_positions = part.has_positions;
  settings.positions_by_field = part.positions_by_field;
  return settings;
}

/// Throws UsageError for what parts cannot be asked.
void check_parted(const SearchOptions& options) {
  if (options.sort.empty() && options.search_after.empty() && options.facets.empty() &&
      options.fields.empty() && !options.snippets && !options.explain && !options.vectors_alone &&
      options.vector_field.empty()) {
    return;
  }
  throw UsageError(
      "an index in parts is searched by words alone, without sort, facets, fields, snippets and "
      "explanations; leave these out");
}

shards::AskParts ask_by(AskParts ask) {
  return [ask = std::move(ask)](std::span<const shards::PartMessage> messages) {
    std::vector<PartMessage> given;
    for (const shards::PartMessage& message : messages) {
      given.push_back({message.part, message.bytes});
    }
    std::vector<shards::PartReply> replies;
    for (PartReply& reply : ask(std::move(given))) {
      replies.push_back({std::move(reply.bytes), std::move(reply.failure)});
    }
    return replies;
  };
}

PartedAnswer answer_of(shards::MergedAnswer&& merged) {
  PartedAnswer answer{.matches = merged.matches,
                      .fell_back_to_or = merged.fell_back_to_or,
                      .is_complete = merged.is_complete,
                      .max_missing_score = merged.max_missing_score};
  answer.hits.reserve(merged.hits.size());
  for (std::size_t i = 0; i < merged.hits.size(); ++i) {
    const shards::GlobalHit& hit = merged.hits[i];
    answer.hits.push_back({hit.part, hit.document, hit.score, std::move(merged.names[i])});
  }
  return answer;
}

}  // namespace

struct PartServer::State {
  State(const std::filesystem::path& folder, std::size_t threads)
      : snapshot(Snapshot::open(folder)), shard(snapshot, {.threads = threads}) {}

  const Snapshot snapshot;
  shards::Shard shard;
};

PartServer::PartServer(const std::filesystem::path& folder, std::size_t threads)
    : state_(std::make_unique<State>(folder, threads)) {}
PartServer::~PartServer() = default;
PartServer::PartServer(PartServer&&) noexcept = default;
PartServer& PartServer::operator=(PartServer&&) noexcept = default;

std::string PartServer::answer(std::string_view message) const {
  return state_->shard.answer(message);
}
std::uint64_t PartServer::documents() const { return state_->snapshot.documents(); }

std::string fault_of_copy(std::string_view answer) {
  try {
    if (shards::kind_of(answer) != shards::MessageKind::kFailure) return "";
    const shards::Failure failure = shards::read_failure(answer);
    using Kind = shards::Failure::Kind;
    if (failure.kind == Kind::kUsage || failure.kind == Kind::kInput) return "";
    return failure.text.empty() ? "it failed without a reason" : failure.text;
  } catch (const FormatError& error) {
    return error.what();
  }
}

struct PartedSearcher::State {
  State(std::size_t parts, AskParts ask)
      : broker(parts, ask_by(std::move(ask))), settings(settings_of(broker.parts().front())) {
    for (const shards::PartDescription& part : broker.parts()) documents += part.documents;
  }

  shards::ShardBroker broker;
  const IndexSettings settings;
  std::uint64_t documents = 0;
  Pool<TextAnalyzers> analyzers;
};

PartedSearcher::PartedSearcher(std::size_t parts, AskParts ask) {
  if (parts == 0) throw UsageError("an index in parts has one part or more");
  state_ = std::make_unique<State>(parts, std::move(ask));
}
PartedSearcher::~PartedSearcher() = default;
PartedSearcher::PartedSearcher(PartedSearcher&&) noexcept = default;
PartedSearcher& PartedSearcher::operator=(PartedSearcher&&) noexcept = default;

std::uint64_t PartedSearcher::documents() const { return state_->documents; }

PartedBatch PartedSearcher::search(std::span<const std::string_view> texts,
                                   const SearchOptions& options, bool is_partial) const {
  check_parted(options);
  const auto analyzers =
      state_->analyzers.take([this] { return std::make_unique<TextAnalyzers>(state_->settings); });
  std::vector<Query> queries;
  queries.reserve(texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    queries.push_back(parse_query(std::to_string(i), texts[i], options.syntax, *analyzers,
                                  options.searched, {}, options.mode));
  }
  const SearchSettings settings = search_settings(options, analyzers->are_several());
  settings.validate();
  shards::MergedBatch merged = state_->broker.search(
      queries, {&settings, 1},
      {.filter = options.filter,
       .wants_names = true,
       .on_missing = is_partial ? shards::OnMissing::kPartial : shards::OnMissing::kError});
  PartedBatch batch{.documents = merged.coverage.documents,
                    .searched = merged.coverage.searched,
                    .has_whole_statistics = merged.coverage.has_whole_statistics,
                    .rounds = merged.rounds};
  for (shards::MergedAnswer& answer : merged.answers) {
    batch.answers.push_back(answer_of(std::move(answer)));
  }
  for (shards::Coverage::Missing& part : merged.coverage.missing) {
    batch.missing.push_back({part.part, std::move(part.reason)});
  }
  return batch;
}

}  // namespace warpdex
