#include "shards/sorted_batch.hpp"

#include <algorithm>
#include <compare>
#include <limits>
#include <optional>
#include <utility>

#include "shards/asked_query.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::shards {
namespace {

/// A document of a part's page.
struct PlaceOfHit {
  const SortedPart* part = nullptr;
  std::uint32_t number = 0;  ///< of the part
  std::size_t rank = 0;      ///< in the page
};

/// By columns, then by score, then by part and docID.
bool comes_before(const PlaceOfHit& a, const PlaceOfHit& b, std::span<const SortKey> keys) {
  const std::strong_ordering order =
      compare_values(a.part->values[a.rank], b.part->values[b.rank], keys);
  if (order != std::strong_ordering::equal) return order == std::strong_ordering::less;
  const Hit& one = a.part->page.hits[a.rank];
  const Hit& other = b.part->page.hits[b.rank];
  if (one.score != other.score) return one.score > other.score;
  return a.number != b.number ? a.number < b.number : one.document < other.document;
}

}  // namespace

MergedBatch SortedBatch::run(std::span<const Query> queries,
                             std::span<const SearchSettings> settings) {
  if (how_.after && how_.after->part >= calls_.parts()) {
    throw UsageError("the cursor is of a part that is not there");
  }
  terms_.learn(queries);
  begin(queries, settings);
  Numbers all(queries_.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  ask_all(all);
  if (const Numbers again = fall_back(settings); !again.empty()) ask_all(again);
  MergedBatch batch;
  for (Asked& asked : queries_) batch.answers.push_back(merged(asked));
  batch.coverage.has_whole_statistics = terms_.are_whole();
  const bool is_complete = calls_.coverage(whole_).missing.empty();
  for (MergedAnswer& answer : batch.answers) {
    answer.is_complete = is_complete;
    if (!is_complete) answer.max_missing_score = std::numeric_limits<float>::infinity();
  }
  return batch;
}

void SortedBatch::begin(std::span<const Query> queries, std::span<const SearchSettings> settings) {
  for (std::size_t i = 0; i < queries.size(); ++i) {
    Asked& asked = queries_.emplace_back(Asked{.query = &queries[i], .settings = settings[i]});
    const bool is_or = settings[i].mode == QueryMode::kOr || queries[i].tree;
    asked.settings.mode = is_or ? QueryMode::kOr : QueryMode::kAnd;
    asked.settings.count = false;
    asked.settings.known_threshold = 0;
  }
}

/// Those of and-or that AND finds too few matches of.
SortedBatch::Numbers SortedBatch::fall_back(std::span<const SearchSettings> wanted) {
  Numbers again;
  for (std::size_t i = 0; i < queries_.size(); ++i) {
    Asked& asked = queries_[i];
    if (wanted[i].mode != QueryMode::kAndOr || asked.query->tree) continue;
    std::uint64_t matches = 0;
    for (const SortedPart& part : asked.parts) matches += part.matches;
    if (matches >= wanted[i].and_or_min_matches()) continue;
    asked.settings.mode = QueryMode::kOr;
    asked.fell_back = true;
    again.push_back(i);
  }
  return again;
}

SortedRequest SortedBatch::request_of(const Numbers& numbers) const {
  SortedRequest request{.search = {.filter = how_.filter, .wants_names = how_.wants_names},
                        .keys = how_.sort};
  for (const std::size_t number : numbers) {
    request.search.queries.push_back(*queries_[number].query);
    request.search.settings.push_back(queries_[number].settings);
  }
  request.search.whole = terms_.statistics_of(request.search.queries);
  return request;
}

/// Asks for pages. The part that has the document of the cursor says first where that stands.
void SortedBatch::ask_all(const Numbers& numbers) {
  for (const std::size_t number : numbers) queries_[number].parts.assign(calls_.parts(), {});
  SortedRequest request = request_of(numbers);
  std::vector<std::uint32_t> before;
  std::vector<std::uint32_t> rest;
  for (std::uint32_t part = 0; part < calls_.parts(); ++part) {
    if (calls_.is_missing(part) || (how_.after && part == how_.after->part)) continue;
    (how_.after && part < how_.after->part ? before : rest).push_back(part);
  }
  if (how_.after) {
    const std::uint32_t part = how_.after->part;
    request.behind_document = how_.after->document;
    if (!calls_.is_missing(part)) ask_parts(numbers, request, {part});
    if (calls_.is_missing(part)) {
      throw IoError("part " + std::to_string(part) +
                    ", which has the document of the cursor, does not answer; try again");
    }
    request.behind_document.reset();
    for (const std::size_t number : numbers) {
      const SortedPart& own = queries_[number].parts[part];
      request.behind.push_back({own.values_of_start, own.page.score.value_or(0)});
    }
    ask_parts(numbers, request, before);
    request.with_ties = true;
  }
  ask_parts(numbers, request, rest);
}

void SortedBatch::ask_parts(const Numbers& numbers, SortedRequest& request,
                            const std::vector<std::uint32_t>& parts) {
  std::vector<PartMessage> messages;
  for (const std::uint32_t part : parts) {
    request.search.version = whole_.parts()[part].version;
    messages.push_back({part, write(request)});
  }
  calls_.ask(messages, [&](std::uint32_t part, const std::string& bytes) {
    SortedAnswer answer = read_sorted_answer(bytes);
    check(answer, request);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      queries_[numbers[i]].parts[part] = std::move(answer.queries[i]);
    }
  });
}

/// Throws FormatError where it is no answer to the request.
void SortedBatch::check(const SortedAnswer& answer, const SortedRequest& request) const {
  if (answer.queries.size() != request.search.queries.size()) {
    throw FormatError("it answers other queries");
  }
  for (std::size_t i = 0; i < answer.queries.size(); ++i) {
    const SortedPart& part = answer.queries[i];
    const std::size_t hits = part.page.hits.size();
    if (hits > request.search.settings[i].k) throw FormatError("it has too many documents");
    if (request.search.wants_names && part.names.size() != hits) {
      throw FormatError("it has no names of documents");
    }
    const auto fits = [&](const SortValues& values) { return values.size() == how_.sort.size(); };
    if (!std::ranges::all_of(part.values, fits) ||
        (request.behind_document && !fits(part.values_of_start))) {
      throw FormatError("it has other columns");
    }
    for (std::size_t rank = 1; rank < hits; ++rank) {
      if (comes_before({&part, 0, rank - 1}, {&part, 0, rank}, how_.sort)) continue;
      throw FormatError("it is not in order");
    }
  }
}

MergedAnswer SortedBatch::merged(Asked& asked) const {
  MergedAnswer answer{.fell_back_to_or = asked.fell_back};
  std::uint64_t terms = 0;
  std::uint64_t equal = 0;
  std::vector<PlaceOfHit> places;
  for (std::uint32_t number = 0; number < asked.parts.size(); ++number) {
    const SortedPart& part = asked.parts[number];
    terms += part.most_terms;
    equal += part.page.equal;
    answer.matches += part.matches;
    for (std::size_t rank = 0; rank < part.page.hits.size(); ++rank) {
      places.push_back({&part, number, rank});
    }
  }
  check_terms(terms);
  check_equal(equal);
  if (how_.after && !asked.parts[how_.after->part].page.score) {
    throw UsageError("the document of the cursor does not match");
  }
  const std::size_t k = std::min<std::size_t>(places.size(), asked.settings.k);
  std::ranges::partial_sort(
      places, places.begin() + static_cast<std::ptrdiff_t>(k),
      [&](const PlaceOfHit& a, const PlaceOfHit& b) { return comes_before(a, b, how_.sort); });
  places.resize(k);
  for (const PlaceOfHit& place : places) {
    const Hit& hit = place.part->page.hits[place.rank];
    answer.hits.push_back({place.number, hit.document, hit.score});
    if (how_.wants_names) answer.names.push_back(place.part->names[place.rank]);
  }
  return answer;
}

}  // namespace warpdex::shards
