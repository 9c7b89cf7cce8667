// The parts of an index by messages, for programs.
#include "warpdex/parts.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <utility>

#include "search_settings.hpp"
#include "shared_gpu_engine.hpp"
#include "usable_gpu.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/pool.hpp"
#include "warpdex/indexer/format/snapshot.hpp"
#include "warpdex/indexer/format/text_fields.hpp"
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
  if (!options.search_after.empty() && options.sort.empty()) {
    throw UsageError("search_after is for a sorted search; sort by a column");
  }
  if (options.explain) {
    throw UsageError("searches of an index in parts are not explained; leave explain out");
  }
  if (!options.vector_field.empty()) {
    throw UsageError("vectors by name are not searched in parts; leave vector_field out");
  }
}

/// Likewise with vectors.
void check_with_vectors(const SearchOptions& options) {
  if (!options.count && options.sort.empty() && options.facets.empty()) return;
  throw UsageError(
      "only searches by words alone are counted, sorted and have facets; leave the vectors, or "
      "count, sort and facets, out");
}

/// None: the CPU answers.
std::vector<Gpu> gpus_of(const SearcherOptions& options) {
  if (options.device == Device::kCpu) return {};
  try {
    return usable_gpus(options.gpus);
  } catch (const Error& error) {
    if (options.device == Device::kGpu || !is_of_gpu(error)) throw;
    return {};
  }
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
                      .facets = std::move(merged.facets),
                      .fell_back_to_or = merged.fell_back_to_or,
                      .is_complete = merged.is_complete,
                      .max_missing_score = merged.max_missing_score};
  answer.hits.reserve(merged.hits.size());
  for (std::size_t i = 0; i < merged.hits.size(); ++i) {
    const shards::GlobalHit& hit = merged.hits[i];
    PartedHit& made = answer.hits.emplace_back(
        PartedHit{hit.part, hit.document, hit.score, std::move(merged.names[i])});
    if (!merged.fields.empty()) made.fields = std::move(merged.fields[i]);
  }
  return answer;
}

}  // namespace

struct PartServer::State {
  State(const std::filesystem::path& folder, const SearcherOptions& options)
      : snapshot(Snapshot::open(folder)), gpus(gpus_of(options)) {
    // No thread spins: what asks is another process, which may need the processor.
    CpuEngineSettings on_cpu{.threads = options.threads, .spin = {}};
    if (options.document_blocks) {
      on_cpu.blocks = std::make_shared<const SnapshotBlocks>(snapshot, options.threads);
    }
    shards::RunBatch on_gpu;
    if (!gpus.empty()) {
      std::vector<Resources*> resources;
      for (const Gpu& gpu : gpus) resources.push_back(&gpu.resources());
      std::shared_ptr<const GpuBlocks> blocks;
      if (on_cpu.blocks && options.shards == 1) {
        blocks = std::make_shared<const GpuBlocks>(snapshot, *on_cpu.blocks, resources);
      }
      engine.emplace(GpuGroup(snapshot, resources, options.shards), std::move(blocks));
      on_gpu = [this](std::span<const PlannedQuery> plans, std::span<const SearchSettings> settings,
                      const std::function<void(const BatchAnswers&)>& take) {
        engine->run(plans, settings, take);
      };
    }
    shard.emplace(snapshot, on_cpu, std::move(on_gpu));
  }

  const Snapshot snapshot;
  const std::vector<Gpu> gpus;
  std::optional<SharedGpuEngine> engine;  ///< on them, if there are some
  std::optional<shards::Shard> shard;
};

PartServer::PartServer(const std::filesystem::path& folder, const SearcherOptions& options)
    : state_(std::make_unique<State>(folder, options)) {}
PartServer::~PartServer() = default;
PartServer::PartServer(PartServer&&) noexcept = default;
PartServer& PartServer::operator=(PartServer&&) noexcept = default;

std::string PartServer::answer(std::string_view message) const {
  return state_->shard->answer(message);
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

  std::vector<Query> parse(std::span<const std::string_view> texts,
                           const SearchOptions& options) const;
  SearchSettings settings_of_search(const SearchOptions& options) const {
    SearchSettings wanted = search_settings(options, text_count(settings.schema) > 1);
    wanted.validate();
    return wanted;
  }
  shards::BrokerSettings how(const SearchOptions& options, bool is_partial) const;
  PartedBatch batch_of(shards::MergedBatch&& merged, const SearchOptions& options) const;
  /// The document of a cursor; none of an empty one.
  std::optional<shards::PlaceInParts> place_of(const std::string& cursor) const;
  void set_cursors(PartedAnswer& answer) const {
    for (PartedHit& hit : answer.hits) {
      hit.cursor = std::to_string(broker.version()) + "-" + std::to_string(hit.part) + "-" +
                   std::to_string(hit.document);
    }
  }

  shards::ShardBroker broker;
  const IndexSettings settings;
  std::uint64_t documents = 0;
  mutable Pool<TextAnalyzers> analyzers;
};

std::optional<shards::PlaceInParts> PartedSearcher::State::place_of(
    const std::string& cursor) const {
  if (cursor.empty()) return std::nullopt;
  std::uint64_t version = 0;
  shards::PlaceInParts place;
  const char* at = cursor.data();
  const char* const end = at + cursor.size();
  bool is_read = true;
  const auto read = [&](auto& number) {
    const auto [next, error] = std::from_chars(at, end, number);
    is_read = is_read && error == std::errc();
    at = next;
  };
  const auto pass_dash = [&] {
    is_read = is_read && at != end && *at == '-';
    if (is_read) ++at;
  };
  read(version);
  pass_dash();
  read(place.part);
  pass_dash();
  read(place.document);
  if (!is_read || at != end || place.part >= broker.parts().size()) {
    throw UsageError("'" + cursor + "' is no cursor of an answer");
  }
  if (version == broker.version()) return place;
  throw UsageError(
      "the cursor is of another version of the parts; begin with the first page again");
}

std::vector<Query> PartedSearcher::State::parse(std::span<const std::string_view> texts,
                                                const SearchOptions& options) const {
  const auto own = analyzers.take([this] { return std::make_unique<TextAnalyzers>(settings); });
  std::vector<Query> queries;
  queries.reserve(texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    queries.push_back(parse_query(std::to_string(i), texts[i], options.syntax, *own,
                                  options.searched, {}, options.mode));
  }
  return queries;
}

shards::BrokerSettings PartedSearcher::State::how(const SearchOptions& options,
                                                  bool is_partial) const {
  return {.filter = options.filter,
          .wants_names = true,
          .facets = options.facets,
          .sort = options.sort,
          .after = place_of(options.search_after),
          .shown = {options.fields, options.snippets, options.positions, options.snippet},
          .on_missing = is_partial ? shards::OnMissing::kPartial : shards::OnMissing::kError};
}

PartedBatch PartedSearcher::State::batch_of(shards::MergedBatch&& merged,
                                            const SearchOptions& options) const {
  PartedBatch batch{.documents = merged.coverage.documents,
                    .searched = merged.coverage.searched,
                    .has_whole_statistics = merged.coverage.has_whole_statistics,
                    .rounds = merged.rounds};
  for (shards::MergedAnswer& answer : merged.answers) {
    batch.answers.push_back(answer_of(std::move(answer)));
    if (!options.sort.empty()) set_cursors(batch.answers.back());
  }
  for (shards::Coverage::Missing& part : merged.coverage.missing) {
    batch.missing.push_back({part.part, std::move(part.reason)});
  }
  return batch;
}

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
  if (options.vectors_alone && !texts.empty()) {
    throw UsageError("a search by vectors alone needs vectors; give one for each query");
  }
  const SearchSettings settings = state_->settings_of_search(options);
  const std::vector<Query> queries = state_->parse(texts, options);
  return state_->batch_of(
      state_->broker.search(queries, {&settings, 1}, state_->how(options, is_partial)), options);
}

PartedBatch PartedSearcher::search(std::span<const std::string_view> texts,
                                   std::span<const float> vectors, const SearchOptions& options,
                                   bool is_partial) const {
  if (vectors.empty()) return search(texts, options, is_partial);
  check_parted(options);
  check_with_vectors(options);
  const SearchSettings settings = state_->settings_of_search(options);
  const shards::BrokerSettings how = state_->how(options, is_partial);
  const auto& rows = state_->broker.parts().front().vectors;
  if (texts.empty() || options.vectors_alone) {
    PartedBatch batch = state_->batch_of(state_->broker.nearest(vectors, settings.k, how), options);
    batch.scores_are_distances = !vector::larger_is_nearer(rows->metric);
    return batch;
  }
  const std::vector<Query> queries = state_->parse(texts, options);
  return state_->batch_of(
      state_->broker.search_hybrid(queries, vectors, settings, options.fusion, how), options);
}

}  // namespace warpdex
