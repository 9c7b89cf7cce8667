// Reads a request, asks the snapshot or the engine, and writes the answer.
#include "warpdex/query/shards/shard.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <new>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "cpu/cpu_batch.hpp"
#include "shards/facets_search.hpp"
#include "shards/fields_of_parts.hpp"
#include "shards/near_words_of_parts.hpp"
#include "shards/sorted_search_of_part.hpp"
#include "warpdex/core/checksum.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/pool.hpp"
#include "warpdex/indexer/format/text_fields.hpp"
#include "warpdex/query/filter/document_filter.hpp"
#include "warpdex/query/hybrid/vector_half.hpp"
#include "warpdex/query/plan/plan_bounds.hpp"
#include "warpdex/query/plan/query_planner.hpp"
#include "warpdex/query/tree/tree_searcher.hpp"

namespace warpdex::shards {
namespace {

/// The part is of another version than the request.
class OtherVersion : public std::exception {};

/// The documents that match a plan; so many are looked for, one more than are wanted.
PartAnswer part_answer(const AnswerView& found, const SearchSettings& asked, std::uint32_t k) {
  PartAnswer answer;
  const std::size_t kept = std::min<std::size_t>(found.hits.size(), k);
  answer.hits.assign(found.hits.begin(), found.hits.begin() + static_cast<std::ptrdiff_t>(kept));
  // Documents that score less than the threshold need not have been looked at.
  if (asked.known_threshold > 0) answer.left_out = std::nextafter(asked.known_threshold, 0.0F);
  const bool is_full = found.hits.size() == asked.k;
  if (is_full) answer.left_out = found.hits.back().score;
  answer.matches = std::max<std::uint64_t>(found.matches, found.hits.size());
  answer.matches_are_exact = asked.count || (!is_full && asked.known_threshold == 0);
  return answer;
}

Failure failure_of(std::exception_ptr failure) {
  try {
    std::rethrow_exception(std::move(failure));
  } catch (const OtherVersion&) {
    return {Failure::Kind::kOtherVersion, "the part is of another version now"};
  } catch (const UsageError& error) {
    return {Failure::Kind::kUsage, error.what()};
  } catch (const InputError& error) {
    return {Failure::Kind::kInput, error.what()};
  } catch (const FormatError& error) {
    return {Failure::Kind::kDamage, error.what()};
  } catch (const std::bad_alloc&) {
    return {Failure::Kind::kOther, "the part has too little memory"};
  } catch (const std::exception& error) {
    return {Failure::Kind::kOther, error.what()};
  }
}

}  // namespace

std::uint64_t part_version(const Snapshot& snapshot) {
  RunningChecksum sum;
  const auto add = [&](const auto& range) {
    sum.add({reinterpret_cast<const std::uint8_t*>(std::data(range)),
             std::size(range) * sizeof *std::data(range)});
  };
  std::vector<std::uint64_t> numbers{snapshot.commit(), snapshot.segments().size(),
                                     snapshot.settings().analyzer.version};
  add(snapshot.settings().analyzer.name);
  add(schema_to_json(snapshot.settings().schema));
  for (const Snapshot::Segment& segment : snapshot.segments()) {
    const Index& index = *segment.index;
    numbers.push_back(index.counts().documents);
    for (const SectionInfo& section : index.section_infos()) numbers.push_back(section.checksum);
    add(index.removed().words());
  }
  add(numbers);
  return sum.value();
}

PartDescription describe_part(const Snapshot& snapshot) {
  const IndexSettings& settings = snapshot.settings();
  PartDescription description{.version = part_version(snapshot),
                              .commit = snapshot.commit(),
                              .documents = snapshot.documents(),
                              .collection = snapshot.statistics(),
                              .texts = snapshot.text_statistics(),
                              .analyzer = settings.analyzer.name,
                              .analyzer_version = settings.analyzer.version,
                              .schema = schema_to_json(settings.schema),
                              .impacts = settings.impacts,
                              .has_positions = settings.has_positions,
                              .positions_by_field = settings.positions_by_field,
                              .vectors = settings.vectors};
  if (settings.vectors) {
    description.vectors->index = {.kind = settings.vectors->index.kind};
  }
  const std::size_t texts = text_count(settings.schema);
  description.texts.resize(texts > 1 ? texts : 0);  // without segments, there are none
  for (const Snapshot::Segment& segment : snapshot.segments()) {
    description.largest_static_score =
        std::max(description.largest_static_score, max_static_score(*segment.index));
  }
  return description;
}

struct Shard::State {
  State(const Snapshot& of, const CpuEngineSettings& settings, RunBatch run_on_gpu)
      : snapshot(of),
        description(describe_part(of)),
        blocks(settings.blocks),
        engine(of, settings),
        on_gpu(std::move(run_on_gpu)) {
    if (description.vectors) vectors.emplace(of, settings.threads);
  }

  std::string answer(std::string_view message);
  TermsAnswer count(const TermsRequest& request) const;
  SearchAnswer search(const SearchRequest& request);
  NearestAnswer nearest(const NearestRequest& request);
  FacetsAnswer facets(const FacetsRequest& request);
  SortedAnswer sorted(const SortedRequest& request);
  NearWordsAnswer near(const NearWordsRequest& request) const;
  FoundTermsAnswer found(const FoundTermsRequest& request) const;
  FieldsAnswer fields(const FieldsRequest& request) const;
  std::shared_ptr<const DocumentFilter> filter_of(const std::string& text);
  std::vector<std::string> names_of(std::span<const Hit> hits) const;
  /// The answers to the queries that are no trees, in their places.
  void search_terms(const SearchRequest& request, std::span<const SearchSettings> settings,
                    SearchAnswer& answer);
  void search_trees(const SearchRequest& request, std::span<const SearchSettings> settings,
                    SearchAnswer& answer) const;
  void require(std::uint64_t version) const {
    if (version != description.version) throw OtherVersion();
  }

  const Snapshot snapshot;
  const PartDescription description;
  /// One query on the calling thread, several by the engine.
  BatchAnswers run(std::span<const PlannedQuery> plans, std::span<const SearchSettings> settings);

  std::shared_ptr<const SnapshotBlocks> blocks;  ///< or none
  CpuEngine engine;
  Pool<CpuSearcher> searchers;
  RunBatch on_gpu;
  std::optional<VectorHalf> vectors;
  FilterCache filters;
};

TermsAnswer Shard::State::count(const TermsRequest& request) const {
  require(request.version);
  TermsAnswer answer;
  answer.terms.reserve(request.terms.size());
  for (const std::string& term : request.terms) answer.terms.push_back(part_term(snapshot, term));
  return answer;
}

BatchAnswers Shard::State::run(std::span<const PlannedQuery> plans,
                               std::span<const SearchSettings> settings) {
  if (plans.size() > 1) return engine.run(plans, settings);
  check_settings(settings, plans.size());
  const auto batch = std::make_shared<CpuBatch>(plans, settings);
  const auto searcher =
      searchers.take([this] { return std::make_unique<CpuSearcher>(snapshot, blocks); });
  batch->work(*searcher);
  batch->rethrow_failure();
  return BatchAnswers(batch);
}

void Shard::State::search_terms(const SearchRequest& request,
                                std::span<const SearchSettings> settings, SearchAnswer& answer) {
  QueryPlanner planner(snapshot, request.whole);
  std::vector<std::size_t> numbers;
  std::vector<PlannedQuery> plans;
  std::vector<SearchSettings> asked;
  for (std::size_t i = 0; i < request.queries.size(); ++i) {
    if (request.queries[i].tree) continue;
    numbers.push_back(i);
    plans.push_back(planner.plan(request.queries[i]));
    asked.push_back(settings[i]);
  }
  if (plans.empty()) return;
  std::vector<std::size_t> left;  // places in `numbers`
  const auto take = [&](std::size_t place, const AnswerView& found) {
    answer.queries[numbers[place]] =
        part_answer(found, asked[place], request.settings[numbers[place]].k);
  };
  const auto take_batch = [&](const BatchAnswers& found) {
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (found[i].is_answered) {
        take(i, found[i]);
      } else {
        left.push_back(i);
      }
    }
  };
  if (!on_gpu) return take_batch(run(plans, asked));
  on_gpu(plans, asked, take_batch);
  if (left.empty()) return;
  std::vector<PlannedQuery> left_plans;
  std::vector<SearchSettings> left_settings;
  for (const std::size_t place : left) {
    left_plans.push_back(std::move(plans[place]));
    left_settings.push_back(asked[place]);
  }
  const BatchAnswers found = run(left_plans, left_settings);
  for (std::size_t i = 0; i < left.size(); ++i) take(left[i], found[i]);
}

void Shard::State::search_trees(const SearchRequest& request,
                                std::span<const SearchSettings> settings,
                                SearchAnswer& answer) const {
  TreeSearcher searcher(snapshot, request.whole);
  for (std::size_t i = 0; i < request.queries.size(); ++i) {
    if (!request.queries[i].tree) continue;
    check_query_tree(*request.queries[i].tree);
    const TreeResult found = searcher.search(*request.queries[i].tree, settings[i]);
    answer.queries[i] =
        part_answer({found.result.hits, found.result.matches}, settings[i], request.settings[i].k);
    answer.queries[i].most_terms = static_cast<std::uint32_t>(found.most_terms);
  }
}

SearchAnswer Shard::State::search(const SearchRequest& request) {
  require(request.version);
  const std::shared_ptr<const DocumentFilter> filter = filter_of(request.filter);
  std::vector<SearchSettings> settings = request.settings;
  for (SearchSettings& one : settings) {
    one.validate();
    one.k = std::min(one.k + 1, kMaxK);
    one.documents = filter.get();
  }
  SearchAnswer answer;
  answer.queries.resize(request.queries.size());
  search_terms(request, settings, answer);
  search_trees(request, settings, answer);
  if (!request.wants_names) return answer;
  for (PartAnswer& query : answer.queries) query.names = names_of(query.hits);
  return answer;
}

NearestAnswer Shard::State::nearest(const NearestRequest& request) {
  require(request.version);
  if (!vectors) throw UsageError("the parts have no vectors");
  if (request.rows.size() != request.queries * description.vectors->dimension) {
    throw UsageError("the vectors of the queries are to have " +
                     std::to_string(description.vectors->dimension) + " components each");
  }
  SearchSettings{.k = request.k, .scorer = {}}.validate();
  const std::shared_ptr<const DocumentFilter> filter = filter_of(request.filter);
  NearestAnswer answer;
  if (request.queries == 0) return answer;
  for (std::vector<Hit>& hits :
       vectors->nearest(request.rows, request.k, {}, filter ? &filter->documents : nullptr)) {
    NearestHits& query = answer.queries.emplace_back();
    query.hits = std::move(hits);
    if (request.wants_names) query.names = names_of(query.hits);
  }
  return answer;
}

FacetsAnswer Shard::State::facets(const FacetsRequest& request) {
  require(request.version);
  return count_facets(snapshot, request, filter_of(request.filter).get());
}

SortedAnswer Shard::State::sorted(const SortedRequest& request) {
  require(request.search.version);
  SortedAnswer answer =
      search_sorted(snapshot, engine, request, filter_of(request.search.filter).get());
  if (!request.search.wants_names) return answer;
  for (SortedPart& query : answer.queries) query.names = names_of(query.page.hits);
  return answer;
}

NearWordsAnswer Shard::State::near(const NearWordsRequest& request) const {
  require(request.version);
  return near_words(snapshot, request);
}

FoundTermsAnswer Shard::State::found(const FoundTermsRequest& request) const {
  require(request.version);
  return found_terms(snapshot, request);
}

FieldsAnswer Shard::State::fields(const FieldsRequest& request) const {
  require(request.version);
  return fields_of(snapshot, request);
}

std::shared_ptr<const DocumentFilter> Shard::State::filter_of(const std::string& text) {
  return text.empty() ? nullptr : filters.get(snapshot, text);
}

std::vector<std::string> Shard::State::names_of(std::span<const Hit> hits) const {
  std::vector<std::string> names;
  for (const Hit& hit : hits) names.emplace_back(snapshot.document_name(hit.document));
  return names;
}

std::string Shard::State::answer(std::string_view message) {
  switch (kind_of(message)) {
    case MessageKind::kDescribe: read_describe(message); return write(description);
    case MessageKind::kTermsRequest: return write(count(read_terms_request(message)));
    case MessageKind::kSearchRequest: return write(search(read_search_request(message)));
    case MessageKind::kNearestRequest: return write(nearest(read_nearest_request(message)));
    case MessageKind::kSortedRequest: return write(sorted(read_sorted_request(message)));
    case MessageKind::kNearWordsRequest: return write(near(read_near_words_request(message)));
    case MessageKind::kFoundTermsRequest: return write(found(read_found_terms_request(message)));
    case MessageKind::kFieldsRequest: return write(fields(read_fields_request(message)));
    case MessageKind::kFacetsRequest: return write(facets(read_facets_request(message)));
    default: throw UsageError("the message is an answer; send a request");
  }
}

Shard::Shard(const Snapshot& snapshot, const CpuEngineSettings& settings, RunBatch on_gpu)
    : state_(std::make_unique<State>(snapshot, settings, std::move(on_gpu))) {}
Shard::~Shard() = default;

std::string Shard::answer(std::string_view message) {
  try {
    return state_->answer(message);
  } catch (...) {
    return write(failure_of(std::current_exception()));
  }
}

}  // namespace warpdex::shards
