#include "shards/nearest_search.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "shards/part_calls.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/query/hybrid/fusion.hpp"

namespace warpdex::shards {
namespace {

const vector::RowSettings& vectors_of(const Whole& whole) {
  const auto& vectors = whole.parts()[0].vectors;
  if (!vectors) {
    const std::string& schema = whole.parts()[0].schema;
    const bool is_named =
        schema != schema_to_json({}) && !vector_fields(parse_schema(schema)).empty();
    throw UsageError(
        is_named ? "the parts have the vectors of a schema alone, which are not searched in "
                   "parts; search them by words, or build one index"
                 : "the parts have no vectors; search them by words");
  }
  if (!vectors->index.is_flat()) {
    throw UsageError("the parts find vectors by " + vectors->index.kind +
                     ", by lists or codes of their own, which one index would not have; build "
                     "them with --vector-index flat");
  }
  return *vectors;
}

/// The answers with larger scores for nearer documents, as merge_hits() takes them.
std::vector<PartAnswer> nearness_of(NearestAnswer answer, std::size_t queries, std::uint32_t k,
                                    bool is_distance, bool has_names) {
  if (answer.queries.size() != queries) throw FormatError("it answers other queries");
  std::vector<PartAnswer> answers(queries);
  for (std::size_t i = 0; i < queries; ++i) {
    answers[i].hits = std::move(answer.queries[i].hits);
    answers[i].names = std::move(answer.queries[i].names);
    for (Hit& hit : answers[i].hits) hit.score = is_distance ? -hit.score : hit.score;
    const bool is_in_order =
        std::ranges::is_sorted(answers[i].hits, [](const Hit& a, const Hit& b) {
          return a.score > b.score || (a.score == b.score && a.document < b.document);
        });
    if (!is_in_order || answers[i].hits.size() > k) throw FormatError("it is not in order");
    if (has_names && answers[i].names.size() != answers[i].hits.size()) {
      throw FormatError("it has no names of documents");
    }
  }
  return answers;
}

/// One query's answer of all parts.
MergedAnswer merged(std::span<const PartAnswer> parts, std::uint32_t k, bool is_distance,
                    bool has_names) {
  MergedAnswer answer{.hits = merge_hits(parts, k)};
  std::vector<std::size_t> taken(parts.size());
  for (GlobalHit& hit : answer.hits) {
    if (has_names) answer.names.push_back(parts[hit.part].names[taken[hit.part]++]);
    if (is_distance) hit.score = -hit.score;
  }
  answer.matches = answer.hits.size();
  return answer;
}

/// Numbers of the documents of two lists, in the order of parts and docIDs: fusion knows one docID.
class DocumentNumbers {
 public:
  DocumentNumbers(const MergedAnswer& a, const MergedAnswer& b) {
    for (const MergedAnswer* answer : {&a, &b}) {
      for (const GlobalHit& hit : answer->hits) documents_.push_back({hit.part, hit.document});
    }
    std::ranges::sort(documents_);
    const auto rest = std::ranges::unique(documents_);
    documents_.erase(rest.begin(), rest.end());
  }

  std::vector<Hit> numbered(const MergedAnswer& answer) const {
    std::vector<Hit> hits;
    for (const GlobalHit& hit : answer.hits) {
      hits.push_back({number_of({hit.part, hit.document}), hit.score});
    }
    return hits;
  }
  const PlaceInParts& place(std::uint32_t number) const { return documents_[number]; }
  std::uint32_t number_of(const PlaceInParts& document) const {
    const auto place = std::ranges::lower_bound(documents_, document);
    return static_cast<std::uint32_t>(place - documents_.begin());
  }
  std::size_t size() const { return documents_.size(); }

 private:
  std::vector<PlaceInParts> documents_;
};

MergedAnswer fused(const MergedAnswer& words, const MergedAnswer& near, vector::Metric metric,
                   const FusionSettings& fusion, std::uint32_t k) {
  const DocumentNumbers numbers(words, near);
  std::vector<const std::string*> names(numbers.size());
  for (const MergedAnswer* half : {&words, &near}) {
    for (std::size_t i = 0; i < half->names.size(); ++i) {
      names[numbers.number_of({half->hits[i].part, half->hits[i].document})] = &half->names[i];
    }
  }
  MergedAnswer answer;
  for (const Hit& hit : fuse(numbers.numbered(words), numbers.numbered(near), metric, fusion, k)) {
    const auto& [part, document] = numbers.place(hit.document);
    answer.hits.push_back({part, document, hit.score});
    if (names[hit.document] != nullptr) answer.names.push_back(*names[hit.document]);
  }
  answer.matches = answer.hits.size();
  answer.is_complete = words.is_complete && near.is_complete;
  // Any document may come to the top of both halves.
  if (!answer.is_complete) answer.max_missing_score = std::numeric_limits<float>::infinity();
  return answer;
}

}  // namespace

MergedBatch nearest_in_parts(const Whole& whole, const AskParts& ask, std::span<const float> rows,
                             std::uint32_t k, const BrokerSettings& how) {
  const vector::RowSettings& vectors = vectors_of(whole);
  const bool is_distance = !vector::larger_is_nearer(vectors.metric);
  if (rows.size() % vectors.dimension != 0) {
    throw UsageError("the vectors of the queries are to have " + std::to_string(vectors.dimension) +
                     " components each");
  }
  const std::size_t queries = rows.size() / vectors.dimension;
  if (queries > kMaxBatch) {
    throw UsageError("a message holds " + std::to_string(kMaxBatch) +
                     " queries at most; ask for fewer at once");
  }
  PartCalls calls(whole.parts().size(), ask, how);
  std::vector<PartMessage> messages;
  for (std::uint32_t part = 0; part < calls.parts(); ++part) {
    messages.push_back({part, write(NearestRequest{.version = whole.parts()[part].version,
                                                   .k = k,
                                                   .queries = static_cast<std::uint32_t>(queries),
                                                   .rows = {rows.begin(), rows.end()},
                                                   .filter = how.filter,
                                                   .wants_names = how.wants_names})});
  }
  std::vector<std::vector<PartAnswer>> answers(queries, std::vector<PartAnswer>(calls.parts()));
  calls.ask(messages, [&](std::uint32_t part, const std::string& bytes) {
    auto own = nearness_of(read_nearest_answer(bytes), queries, k, is_distance, how.wants_names);
    for (std::size_t i = 0; i < queries; ++i) answers[i][part] = std::move(own[i]);
  });
  MergedBatch batch{.coverage = calls.coverage(whole), .rounds = calls.rounds()};
  const bool is_complete = batch.coverage.missing.empty();
  for (const std::vector<PartAnswer>& query : answers) {
    MergedAnswer& answer =
        batch.answers.emplace_back(merged(query, k, is_distance, how.wants_names));
    answer.is_complete = is_complete;
    if (!is_complete) answer.max_missing_score = std::numeric_limits<float>::infinity();
  }
  return batch;
}

MergedBatch fuse_parts(const Whole& whole, MergedBatch words, MergedBatch near,
                       const FusionSettings& fusion, std::uint32_t k) {
  const vector::Metric metric = vectors_of(whole).metric;
  MergedBatch batch{.coverage = std::move(words.coverage),
                    .rounds = words.rounds + near.rounds,
                    .asked_again = words.asked_again};
  for (Coverage::Missing& missing : near.coverage.missing) {
    const auto same =
        std::ranges::find(batch.coverage.missing, missing.part, &Coverage::Missing::part);
    if (same != batch.coverage.missing.end()) continue;
    batch.coverage.searched -= whole.parts()[missing.part].documents;
    batch.coverage.missing.push_back(std::move(missing));
  }
  for (std::size_t i = 0; i < words.answers.size(); ++i) {
    batch.answers.push_back(fused(words.answers[i], near.answers[i], metric, fusion, k));
  }
  return batch;
}

}  // namespace warpdex::shards
