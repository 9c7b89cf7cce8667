// Builds batches slice by slice, large batches on all threads. First each slice is measured. Then,
// as the places of all are known, each is written there.
#include "gpu/batch/batch_builder.hpp"

#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <utility>

#include "gpu/batch/image_writer.hpp"
#include "gpu/choice/or_choice.hpp"
#include "warpdex/query/filter/document_filter.hpp"

namespace warpdex::gpu {
namespace {

/// Queries of a slice: some microseconds of work.
constexpr std::uint32_t kPlannedAtATime = 32;
/// Fewer slices are done before other threads have woken up.
constexpr std::size_t kFewSlices = 4;

/// With fewer lists, a kernel that makes them takes longer than to send them.
constexpr std::uint32_t kManyLists = 512;

/// Of the lists that are decoded once, those that one of so many documents has may be marked in bit
/// sets.
constexpr std::uint32_t kMarkedShare = 128;

}  // namespace

BatchBuilder::BatchBuilder(std::vector<const PlacedIndex*> segments, const GpuAblation& ablation,
                           std::shared_ptr<Slices> slices)
    : segments_(std::move(segments)), all_slices_(std::move(slices)), ablation_(ablation) {}

/// Runs several slices at a time, if there are many, each on the thread that ran it the last time,
/// in whose cache it is. A thread that waits for the last ones must not take other tasks meanwhile:
/// these might want the same lane.
template <typename Work>
void BatchBuilder::for_each_slice(const Work& work) {
  if (slices_.size() < kFewSlices) {
    for (QuerySlice& slice : slices_) work(slice);
    return;
  }
  tbb::this_task_arena::isolate([&] {
    tbb::parallel_for(
        std::size_t{0}, slices_.size(), [&](std::size_t i) { work(slices_[i]); },
        tbb::static_partitioner());
  });
}

void BatchBuilder::cut(std::size_t queries) {
  const std::size_t slices = (queries + kPlannedAtATime - 1) / kPlannedAtATime;
  if (all_slices_->all.size() < slices) all_slices_->all.resize(slices);
  slices_ = std::span(all_slices_->all).first(slices);
  for (std::size_t i = 0; i < slices; ++i) {
    slices_[i].begin = static_cast<std::uint32_t>(i * kPlannedAtATime);
    slices_[i].end =
        static_cast<std::uint32_t>(std::min<std::size_t>((i + 1) * kPlannedAtATime, queries));
  }
}

const BatchShape& BatchBuilder::measure(SegmentPlans batch, std::span<const std::uint32_t> slots,
                                        std::span<const SearchSettings> settings,
                                        const Answer* answers_so_far, bool may_guess) {
  batch_ = batch;
  slots_ = slots;
  rules_.settings = settings;
  const ScorerSettings wanted = slots.empty() ? ScorerSettings{} : rules_.of(slots[0]).scorer;
  rules_.scorer = effective_scorer(segments_[0].index.settings(), wanted);
  const DocumentFilter* const filter = slots.empty() ? nullptr : rules_.of(slots[0]).documents;
  rules_.is_filtered = filter != nullptr;
  rules_.passing_share = 0;
  if (rules_.is_filtered && may_guess) {
    rules_.passing_share = static_cast<double>(filter->count) /
                           static_cast<double>(std::max<std::size_t>(filter->documents.rows(), 1));
  }
  rules_.has_seeds = !ablation_.no_seeds && (!rules_.is_filtered || rules_.passing_share > 0);
  set_fields();
  rules_.flags = tile_flags(ablation_.or_by, form());
  if (ablation_.exhaustive) rules_.flags |= kExhaustive;
  const auto all = static_cast<std::uint32_t>(segments_.size());
  rules_.adds_up_long = adds_up_long(ablation_.or_by, slots.size(), segments_.tiles(0, all),
                                     segments_[0].has_all_lists);
  cut(slots.size());
  if (batch.are_of_all()) all_slices_->rows.open();
  for_each_slice([&](QuerySlice& slice) { measure(slice, answers_so_far); });
  add_up();
  if (shape_.and_queries + shape_.and_fallback_queries > 0) order_ranges();
  choose_stored();
  return shape_;
}

/// What BM25 knows of text fields: the same for all plans.
void BatchBuilder::set_fields() {
  fields_ = {};
  if (slots_.empty()) return;
  const std::vector<CollectionStatistics>& texts = batch_[slots_[0]].text_statistics;
  if (texts.size() > FieldConstants::kMost) return;
  for (const CollectionStatistics& text : texts) {
    fields_.c1[fields_.count++] = make_term_scorer(rules_.scorer, text, 1, 1, 1).c1;
  }
}

void BatchBuilder::measure(QuerySlice& slice, const Answer* answers_so_far) {
  slice.clear();
  QueryMeasurer measurer(segments_, rules_, answers_so_far, all_slices_->rows, slice);
  measurer.measure(batch_, slots_.subspan(slice.begin, slice.end - slice.begin));
  slice.count_ranges(are_few_);
}

/// Adds the slices up, in order, and sets what follows from the sums.
void BatchBuilder::add_up() {
  shape_ = {};
  std::uint64_t postings = 0;
  for (const QuerySlice& slice : slices_) postings += slice.shape.postings;
  const bool are_few = postings < kSmallBatchPostings;
  if (are_few != are_few_) {
    are_few_ = are_few;
    for_each_slice([are_few](QuerySlice& slice) { slice.count_ranges(are_few); });
  }
  for (QuerySlice& slice : slices_) {
    if (are_few) slice.shape.table_ranges = slice.short_ranges;
    slice.before = shape_;
    shape_.add(slice.shape);
  }
  shape_.range_blocks = are_few ? kShortRangeBlocks : kRangeBlocks;
  shape_.segments = static_cast<std::uint32_t>(segments_.size());
  shape_.sends_entries = shape_.lists >= kManyLists;
  shape_.form = form();
  shape_.has_static = segments_.has_static();
  shape_.row_shift = segments_[segments_.size() - 1].first_tile();
}

/// Finds the places of the ranges of AND.
void BatchBuilder::order_ranges() {
  order_.clear();
  fallback_order_.clear();
  for (QuerySlice& slice : slices_) {
    order_.add(slice.and_ranges.counts());
    fallback_order_.add(slice.and_fallback_ranges.counts());
  }
  order_.finish();
  fallback_order_.finish();
  for (QuerySlice& slice : slices_) {
    order_.place(slice.and_ranges.counts());
    fallback_order_.place(slice.and_fallback_ranges.counts());
  }
}

/// Numbers the lists of OR if they may be decoded once for all queries.
void BatchBuilder::choose_stored() {
  store_.clear();
  OrFacts facts;
  for (const SearchSettings& settings : rules_.settings) facts.k = std::max(facts.k, settings.k);
  facts.or_by = ablation_.or_by;
  facts.searches_stored = searches_stored_;
  facts.documents = segments_[0].index.counts().documents;
  shape_.stored_rule = gpu::choose_stored(shape_, facts);
  if (!shape_.stores_lists()) return;
  store_.open(segments_[0].index.counts().terms);
  for_each_slice([this](QuerySlice& slice) { claim_lists(slice); });
  add_stored();
  shape_.stored_blocks = store_.blocks();
  shape_.stored_rule = gpu::choose_stored(shape_, facts);
  if (!shape_.stores_lists()) store_.clear();
  shape_.stored_rows = store_.rows();
  shape_.stored_blocks = store_.blocks();
  shape_.stored_ranges = store_.ranges();
  if (shape_.stored_rule == OrRule::kSearchStored) shape_.stored_marked = count_marked();
}

/// Lists that may be marked: those of the first rows that are long enough.
std::uint32_t BatchBuilder::count_marked() const {
  const std::uint64_t documents = segments_[0].index.counts().documents;
  const std::span rows = std::span(claimed_).first(std::min(store_.rows(), kMaxMarked));
  return static_cast<std::uint32_t>(std::ranges::count_if(rows, [&](const PostingsEntry* list) {
    return std::uint64_t{list->document_frequency} * kMarkedShare >= documents;
  }));
}

/// Adds all claimed lists. Those that may be marked, which are the longest, come first.
void BatchBuilder::add_stored() {
  claimed_.clear();
  for (const QuerySlice& slice : slices_) {
    claimed_.insert(claimed_.end(), slice.stored.begin(), slice.stored.end());
  }
  const std::size_t marked = std::min<std::size_t>(claimed_.size(), kMaxMarked);
  std::ranges::partial_sort(claimed_, claimed_.begin() + static_cast<std::ptrdiff_t>(marked),
                            std::ranges::greater{}, &PostingsEntry::document_frequency);
  for (const PostingsEntry* const list : claimed_) store_.add(*list);
  store_.close();
}

void BatchBuilder::claim_lists(QuerySlice& slice) {
  slice.stored.clear();
  for (const SliceQuery& query : slice.queries) {
    if (!slice.has_or(query)) continue;
    for (const SliceTerm& term : slice.terms_of(query)) {
      if (store_.claim(term.planned->entry)) slice.stored.push_back(&term.planned->entry);
    }
  }
}

void BatchBuilder::read_guesses(std::vector<float>& guesses) const {
  for (const QuerySlice& slice : slices_) {
    for (const SliceQuery& query : slice.queries) guesses[query.common.slot] = query.guess;
  }
}

std::uint32_t BatchBuilder::first_without_or() const {
  std::uint32_t count = 0;
  for (const QuerySlice& slice : slices_) {
    for (const SliceQuery& query : slice.queries) {
      if (slice.has_or(query)) return count;
      ++count;
    }
  }
  return count;
}

std::vector<std::uint32_t> BatchBuilder::unanswerable() const {
  std::vector<std::uint32_t> slots;
  for (const QuerySlice& slice : slices_) {
    slots.insert(slots.end(), slice.unanswerable.begin(), slice.unanswerable.end());
  }
  return slots;
}

void BatchBuilder::write(std::uint32_t capacity, const ImageParts& host, const ImageParts& device) {
  if (shape_.sends_entries) std::ranges::copy(segments_.tables(), host.tables);
  const ImageTarget target{shape_, host, device, capacity};
  for_each_slice([&](QuerySlice& slice) { ImageWriter(segments_, store_, target, slice).write(); });
}

}  // namespace warpdex::gpu
