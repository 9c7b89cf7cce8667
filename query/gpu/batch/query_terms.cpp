// Finds the lists of a slice's terms: in the rows of a snapshot, or each for itself.
#include <algorithm>
#include <cmath>

#include "gpu/batch/list_writer.hpp"
#include "gpu/batch/query_measurer.hpp"
#include "scorers/scorers.hpp"

namespace warpdex::gpu {
namespace {

void prefetch_bytes(const void* begin, std::size_t size) {
  constexpr std::size_t kCacheLine = 64;
  const auto* const bytes = static_cast<const std::uint8_t*>(begin);
  for (std::size_t i = 0; i < size; i += kCacheLine) __builtin_prefetch(bytes + i);
}

void prefetch_terms(const PlannedQuery& plan) {
  prefetch_bytes(plan.terms.data(), plan.terms.size() * sizeof(PlannedTerm));
}

/// Adds a term to the roles, as the next of its query.
void add_role(const PlannedTerm& term, std::uint32_t number, TermRoles& roles) {
  (term.is_prohibited ? roles.prohibited : roles.scoring).insert(number);
  if (term.is_must) roles.must.insert(number);
  if (term.weight > 0) roles.weighted.insert(number);
}

}  // namespace

/// Adds a query with its terms, scoring ones first, without their lists. A query that is not for
/// the GPU has none.
void QueryMeasurer::start_query(const SegmentPlans& plans, std::uint32_t slot) {
  const PlannedQuery& plan = plans[slot];
  SliceQuery& query = slice_.queries.emplace_back();
  query.common.state = slice_.begin + static_cast<std::uint32_t>(slice_.queries.size()) - 1;
  query.common.slot = slot;
  query.first_term = static_cast<std::uint32_t>(slice_.terms.size());
  if (plan.terms.size() > kMaxGpuTerms || excludes_words(plan)) {
    slice_.unanswerable.push_back(slot);
    return;
  }
  query.roles.misses_must = plan.misses_must;
  query.roles.misses_unsigned = plan.misses_unsigned;
  add_terms(plans, plan, query, false);
  if (query.term_count < plan.terms.size()) add_terms(plans, plan, query, true);
}

/// Adds the terms that are prohibited, or those that are not.
void QueryMeasurer::add_terms(const SegmentPlans& plans, const PlannedQuery& plan,
                              SliceQuery& query, bool prohibited) {
  for (const PlannedTerm& term : plan.terms) {
    if (term.is_prohibited != prohibited) continue;
    add_role(term, query.term_count++, query.roles);
    SliceTerm& own = slice_.terms.emplace_back();
    own.planned = &term;
    own.own_list = kNone;
    if (!plans.are_of_all()) {
      segments_[0].prefetch(term.entry);
      continue;
    }
    own.key = TermRows::key_of(plan, term);
    rows_.prefetch(own.key);
  }
}

/// Plans lie apart, so what one read leads to is prefetched step by step, for one of the next
/// queries each.
void QueryMeasurer::prefetch(const SegmentPlans& plans, std::span<const std::uint32_t> slots,
                             std::size_t next) {
  const bool are_of_all = plans.are_of_all();
  if (are_of_all && next + 2 < slots.size()) {
    __builtin_prefetch(&plans.in(slots[next + 2], 0));
  }
  if (next + 1 >= slots.size()) return;
  prefetch_terms(plans[slots[next + 1]]);
  if (are_of_all) prefetch_terms(plans.in(slots[next + 1], 0));
}

/// Of several segments: a term's row, or lists of its own where there is no room for one.
void QueryMeasurer::find_row(std::span<const PlannedQuery> plans, SliceTerm& term) {
  std::optional<TermRow> row = rows_.find(term.key);
  if (!row) row = rows_.add(term.key, segments_, plans, *term.planned);
  if (row) {
    term.row = *row;
    prefetch_bytes(row->lists, segments_.size() * sizeof(TermList));
    if (row->on_gpu == nullptr) send_lists(term);
    return;
  }
  slice_.own_lists.resize(slice_.own_lists.size() + segments_.size());
  term.row.sums = describe_in_all(segments_, plans, *term.planned, slice_.own_packed,
                                  std::span(slice_.own_lists).last(segments_.size()));
  send_lists(term);
}

/// The GPU has no row of the term, so a large batch sends the lists.
void QueryMeasurer::send_lists(SliceTerm& term) {
  term.own_list = slice_.shape.own_lists;
  slice_.shape.own_lists += static_cast<std::uint32_t>(segments_.size());
  slice_.shape.own_raw_lists += term.row.sums.raw_lists;
}

/// The lists of all terms of the slice.
void QueryMeasurer::find_lists(const SegmentPlans& plans) {
  if (!plans.are_of_all()) return describe_lists();
  for (const SliceQuery& query : slice_.queries) {
    const std::span in_all = plans.in_all(query.common.slot, segments_.size());
    for (SliceTerm& term : slice_.terms_of(query)) find_row(in_all, term);
  }
  const TermList* next = slice_.own_lists.data();
  for (SliceTerm& term : slice_.terms) {
    if (term.row.lists != nullptr) continue;
    term.row.lists = next;
    term.row.packed = slice_.own_packed.data();
    next += segments_.size();
  }
}

/// The same in one segment.
void QueryMeasurer::describe_lists() {
  slice_.own_lists.resize(slice_.terms.size());
  TermList* list = slice_.own_lists.data();
  for (const SliceQuery& query : slice_.queries) {
    const bool wants_seeds =
        rules_.has_seeds && rules_.of(query.common.slot).mode != QueryMode::kAnd;
    for (SliceTerm& term : slice_.terms_of(query)) {
      describe_term(segments_[0], *term.planned, wants_seeds, slice_.own_packed, *list);
      term.row.sums.add(list->source);
      term.row.lists = list++;
      send_lists(term);
    }
  }
  for (SliceTerm& term : slice_.terms) term.row.packed = slice_.own_packed.data();
}

/// How the lists of a query score: in all segments alike.
void QueryMeasurer::set_scorers(const PlannedQuery& whole, const SliceQuery& query) {
  const IndexCounts& counts = segments_[0].index.counts();
  const bool reads_occurrences = facts_of(rules_.scorer.kind).reads_occurrences;
  for (SliceTerm& term : slice_.terms_of(query)) {
    const bool is_of_snapshot = term.planned->document_frequency != 0;
    const TermList& first = term.row.lists[0];
    const TermScorer scorer =
        make_term_scorer(rules_.scorer, whole.statistics_for(*term.planned, counts),
                         is_of_snapshot ? term.planned->document_frequency : first.source.size,
                         is_of_snapshot ? term.planned->collection_frequency : first.occurrences,
                         term.planned->weight > 0 ? term.planned->weight : 1.0F);
    term.weight = scorer.weight;
    term.c0 = scorer.c0;
    term.c1 = scorer.c1;
    term.c2 = scorer.c2;
    std::uint64_t largest = 0;
    if (reads_occurrences) {
      for (std::size_t i = 0; i < segments_.size(); ++i) {
        const TermList& list = term.row.lists[i];
        if (list.source.size == 0) continue;
        largest = std::max(largest, largest_frequency(list.source.size, list.occurrences));
      }
    }
    term.bound = largest_score(scorer, largest);
  }
}

void QueryMeasurer::measure(const SegmentPlans& plans, std::span<const std::uint32_t> slots) {
  for (std::size_t i = 0; i < slots.size(); ++i) {
    prefetch(plans, slots, i);
    start_query(plans, slots[i]);
  }
  find_lists(plans);
  for (SliceQuery& query : slice_.queries) measure_query(plans, query);
}

}  // namespace warpdex::gpu
