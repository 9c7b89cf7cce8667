#include "warpdex/index_reader.hpp"

#include <algorithm>
#include <iterator>
#include <mutex>
#include <set>
#include <utility>

#include "index_statistics.hpp"
#include "term_cursor.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/indexer/analysis/analyzer.hpp"
#include "warpdex/indexer/format/postings.hpp"
#include "warpdex/indexer/format/snapshot.hpp"
#include "warpdex/indexer/format/stored_fields.hpp"
#include "warpdex/indexer/format/text_fields.hpp"
#include "warpdex/query/explain/explain.hpp"
#include "warpdex/query/filter/document_filter.hpp"
#include "warpdex/query/index_vectors.hpp"
#include "warpdex/query/plan/plan.hpp"
#include "warpdex/query/spelling.hpp"
#include "warpdex/query/tree/tree_query.hpp"
#include "warpdex/query/tree/tree_searcher.hpp"
#include "warpdex/searcher.hpp"

namespace warpdex {
namespace {

std::uint64_t sum_of(const Postings& postings) {
  std::uint64_t sum = 0;
  for (const std::uint32_t frequency : postings.frequencies) sum += frequency;
  return sum;
}

}  // namespace

struct IndexReader::State {
  explicit State(const Snapshot& read) : snapshot(read) {}

  /// A document's segment, and its number there.
  struct Place {
    const Index& index;
    std::uint32_t document;
  };

  Place place_of(std::uint32_t document) const {
    const Snapshot::Segment& segment = snapshot.segments()[snapshot.segment_of(document)];
    return {*segment.index, document - segment.first_document};
  }

  /// The number of a text field; of none, the first.
  std::size_t text_field(std::string_view name) const {
    if (name.empty()) return 0;
    const std::vector<Field> fields = text_fields(snapshot.settings().schema);
    const auto found = std::ranges::find(fields, name, &Field::name);
    if (found != fields.end()) return static_cast<std::size_t>(found - fields.begin());
    std::string names;
    for (const Field& field : fields) names += (names.empty() ? "'" : ", '") + field.name + "'";
    throw UsageError("the index has no text field '" + std::string(name) + "'; " +
                     (names.empty() ? "its text has no name" : "it has " + names));
  }

  const SpellingCorrector& corrector() const {
    std::call_once(corrector_made, [this] { spelling.emplace(snapshot); });
    return *spelling;
  }

  Snapshot snapshot;
  mutable std::once_flag corrector_made{};
  mutable std::optional<SpellingCorrector> spelling{};
};

IndexReader::IndexReader(const std::filesystem::path& folder)
    : state_(std::make_unique<State>(Snapshot::open(folder))) {}
IndexReader::IndexReader(const Searcher& searcher)
    : state_(std::make_unique<State>(searcher.snapshot())) {}
IndexReader::~IndexReader() = default;
IndexReader::IndexReader(IndexReader&&) noexcept = default;
IndexReader& IndexReader::operator=(IndexReader&&) noexcept = default;

const std::filesystem::path& IndexReader::folder() const { return state_->snapshot.folder(); }
const IndexSettings& IndexReader::settings() const { return state_->snapshot.settings(); }
vector::RowSettings IndexReader::vector_settings(std::string_view field) const {
  return warpdex::vector_settings(state_->snapshot, find_vectors(state_->snapshot, field));
}
std::size_t IndexReader::segments() const { return state_->snapshot.segments().size(); }
void IndexReader::require_merged() const { state_->snapshot.require_plain(); }
std::uint64_t IndexReader::commit() const { return state_->snapshot.commit(); }
std::uint64_t IndexReader::documents() const { return state_->snapshot.documents(); }
std::uint64_t IndexReader::removed_documents() const {
  return state_->snapshot.removed_documents();
}
std::uint32_t IndexReader::document_end() const { return state_->snapshot.docid_end(); }
double IndexReader::average_length() const {
  return state_->snapshot.statistics().average_length();
}
IndexStatistics IndexReader::statistics() const { return statistics_of(state_->snapshot); }

std::optional<TermStatistics> IndexReader::statistics(std::string_view term) const {
  const Snapshot& snapshot = state_->snapshot;
  const PlannedQuery plan = plan_query(snapshot, Query{"", {{std::string(term)}}});
  if (plan.terms.empty()) return std::nullopt;
  const PlannedTerm& planned = plan.terms[0];
  TermStatistics found{std::string(term), planned.document_frequency, planned.collection_frequency};
  if (planned.document_frequency == 0) {  // of a plain index
    found.document_frequency = planned.entry.document_frequency;
    found.collection_frequency =
        planned.entry.is_short()
            ? sum_of(read_postings(*snapshot.segments()[0].index, planned.entry))
            : planned.entry.collection_frequency;
  }
  return found;
}

std::string IndexReader::term_in(std::string_view field, std::string_view term) const {
  return field_mark(state_->text_field(field)) + std::string(term);
}

std::string IndexReader::shown(std::string_view term) const {
  return shown_term(settings().schema, term);
}

std::string IndexReader::word_of(std::string_view term) const {
  return std::string(text_count(settings().schema) > 1 ? without_mark(term) : term);
}

void IndexReader::for_each_term(const std::function<bool(const TermStatistics&)>& visit,
                                std::string_view prefix, std::string_view field) const {
  const std::string mark = field_mark(state_->text_field(field));
  for (TermUnion terms(state_->snapshot, mark + std::string(prefix)); terms.next();) {
    std::optional<TermStatistics> found = statistics(terms.term());
    if (!found) continue;
    found->term.erase(0, mark.size());
    if (!visit(*found)) return;
  }
}

std::vector<TermStatistics> IndexReader::suggest(std::string_view prefix, std::size_t count,
                                                 std::string_view field) const {
  const std::size_t number = state_->text_field(field);
  const std::string mark = field_mark(number);
  const std::string folded = mark + make_analyzer(text_analyzer(settings(), number))->fold(prefix);
  const auto is_better = [](const TermStatistics& one, const TermStatistics& other) {
    return one.document_frequency > other.document_frequency ||
           (one.document_frequency == other.document_frequency && one.term < other.term);
  };
  std::set<TermStatistics, decltype(is_better)> best(is_better);
  for (TermUnion terms(state_->snapshot, folded); count > 0 && terms.next();) {
    const bool is_full = best.size() == count;
    if (is_full && terms.most_documents() <= best.rbegin()->document_frequency) continue;
    std::optional<TermStatistics> found = statistics(terms.term());
    if (!found) continue;
    found->term.erase(0, mark.size());
    best.insert(std::move(*found));
    if (is_full) best.erase(std::prev(best.end()));
  }
  return {best.begin(), best.end()};
}

std::vector<SimilarTerm> IndexReader::similar_terms(std::string_view word,
                                                    std::size_t count) const {
  std::vector<SimilarTerm> similar;
  for (const Correction& each : state_->corrector().corrections(word, count)) {
    similar.push_back({std::string(each.term), each.documents, each.edits});
  }
  return similar;
}

std::vector<SimilarTerm> IndexReader::offered_terms(std::string_view term,
                                                    std::size_t count) const {
  constexpr std::size_t kLookedAt = 20;
  const std::unique_ptr<Analyzer> analyzer = make_analyzer(text_analyzer(settings(), 0));
  std::vector<SimilarTerm> similar = similar_terms(term, std::max(count, kLookedAt));
  std::vector<std::string_view> typed;
  std::erase_if(similar, [&](const SimilarTerm& one) {
    typed.clear();
    analyzer->analyze(one.term, typed);
    return typed.size() != 1 || typed[0] != one.term;
  });
  if (similar.size() > count) similar.resize(count);
  return similar;
}

std::vector<std::uint32_t> IndexReader::matching(const Query& query,
                                                 std::string_view filter) const {
  auto documents = TreeSearcher(state_->snapshot).matches(tree_of(query)).documents;
  if (filter.empty()) return documents;
  const FilterNode condition = parse_filter(filter);
  check_filter(condition, settings().schema);
  const DocumentFilter passing = evaluate_filter(state_->snapshot, condition);
  std::erase_if(documents,
                [&](std::uint32_t document) { return !passing.documents.contains(document); });
  return documents;
}

std::vector<TermPosting> IndexReader::postings(std::string_view term) const {
  std::vector<TermPosting> found;
  for (const Snapshot::Segment& segment : state_->snapshot.segments()) {
    const std::optional<PostingsEntry> entry = segment.index->find(term);
    if (!entry) continue;
    const RemovedRows removed = segment.index->removed();
    const Postings postings = read_postings(*segment.index, *entry);
    for (std::size_t i = 0; i < postings.docids.size(); ++i) {
      if (removed.contains(postings.docids[i])) continue;
      found.push_back({segment.first_document + postings.docids[i], postings.frequencies[i]});
    }
  }
  return found;
}

std::optional<std::uint32_t> IndexReader::find(std::string_view id) const {
  return state_->snapshot.find_document(id);
}

std::string IndexReader::id(std::uint32_t document) const {
  return std::string(state_->snapshot.document_name(document));
}

bool IndexReader::is_live(std::uint32_t document) const {
  const State::Place place = state_->place_of(document);
  return !place.index.removed().contains(place.document);
}

std::uint32_t IndexReader::length(std::uint32_t document) const {
  const State::Place place = state_->place_of(document);
  return static_cast<std::uint32_t>(place.index.length_of(place.document));
}

std::vector<DocumentTerm> IndexReader::terms(std::uint32_t document) const {
  const State::Place place = state_->place_of(document);
  std::map<std::uint32_t, std::uint32_t> frequencies;  // by the term's number
  place.index.for_each_term_of_document(
      place.document,
      [&](std::uint32_t term, std::uint32_t frequency) { frequencies.emplace(term, frequency); });
  const std::vector<Field> fields = text_fields(settings().schema);
  std::vector<DocumentTerm> found;
  for (auto next = frequencies.begin(); next != frequencies.end();) {
    const std::uint64_t group = next->first / kLexiconGroup;
    place.index.for_each_term_of_group(
        group, [&](std::string_view term, const PostingsEntry& entry) {
          if (next == frequencies.end() || entry.term_number != next->first) return;
          found.push_back({std::string(term), next->second});
          if (fields.size() > 1) {
            found.back() = {std::string(without_mark(term)), next->second,
                            fields[field_of_term(term)].name};
          }
          ++next;
        });
    if (next != frequencies.end() && next->first / kLexiconGroup == group) {
      throw FormatError(
          "the lexicon is damaged; run 'warpdex verify', then restore the index or "
          "build it again");
    }
  }
  return found;
}

std::vector<float> IndexReader::vector(std::uint32_t document, std::string_view field) const {
  const std::size_t set = find_vectors(state_->snapshot, field);
  std::vector<float> components(warpdex::vector_settings(state_->snapshot, set).dimension);
  const State::Place place = state_->place_of(document);
  vector::copy_row(place.index.vectors(set).vectors, place.document, components.data());
  return components;
}

std::map<std::string, std::string> IndexReader::stored(std::uint32_t document) const {
  const StoredValues values = StoredReader(state_->snapshot).read(document);
  std::map<std::string, std::string> texts;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i]) texts.emplace(settings().stored_fields[i], *values[i]);
  }
  return texts;
}

std::map<std::string, std::vector<FieldValue>> IndexReader::values(std::uint32_t document) const {
  const State::Place place = state_->place_of(document);
  std::map<std::string, std::vector<FieldValue>> values;
  for (const ColumnView& column : place.index.columns()) {
    auto own = column.values(place.document);
    if (!own.empty()) values.emplace(column.field().name, std::move(own));
  }
  return values;
}

Explanation IndexReader::explain(const Query& query, std::uint32_t document,
                                 const ScorerSettings& scorer) const {
  return warpdex::explain(state_->snapshot, query, scorer, document);
}

}  // namespace warpdex
