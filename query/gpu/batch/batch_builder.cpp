// Builds batches piece by piece, large ones on all threads: first what each takes is counted, then,
// as the places of all are known, each is written.
#include "gpu/batch/batch_builder.hpp"

#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>

#include "gpu/batch/query_entries.hpp"

namespace warpdex::gpu {
namespace {

ScoreForm form_of(ScorerKind kind) {
  switch (kind) {
    case ScorerKind::kImpact: return ScoreForm::kImpact;
    case ScorerKind::kBm25: return ScoreForm::kBm25;
    case ScorerKind::kQueryLikelihood: break;
  }
  return ScoreForm::kQueryLikelihood;
}

/// Queries of a piece: some microseconds' work.
constexpr std::uint32_t kPieceQueries = 32;
/// Fewer pieces are done before other threads have woken up.
constexpr std::size_t kPiecesToShare = 4;

/// Fewer postings do not fill the GPU by long stretches.
constexpr std::uint64_t kFewPostings = std::uint64_t{1} << 26;

/// Looking documents up in the lists of longer queries may cost far more than adding up: over 25
/// million documents, 9 terms take a third less time for ten answers, 16 a quarter more for a
/// thousand.
constexpr std::uint32_t kLongQuery = 12;

/// Weights that are not whole, and sums of impacts that a float rounds, are the CPU engine's.
bool is_for_gpu(const Index& index, const PlannedQuery& plan) {
  return plan.terms.size() <= kMostLists && has_whole_weights(plan) &&
         (!index.settings().impacts || sums_are_exact(index, plan));
}

std::uint32_t stretch_count(std::uint32_t blocks, std::uint32_t stretch_blocks) {
  return (blocks + stretch_blocks - 1) / stretch_blocks;
}

/// Asks for what writing the list will read of the mapped index.
void prefetch(const IndexSections& sections, const PostingsEntry& entry) {
  __builtin_prefetch(
      entry.is_short() ? static_cast<const void*>(sections.short_lists.data() + entry.short_offset)
                       : sections.seeds.data() + entry.first_seed);
}

}  // namespace

BatchBuilder::BatchBuilder(const PlacedIndex& index, const GpuAblation& ablation) : index_(index) {
  rules_.has_seeds = !ablation.no_seeds;
  if (ablation.exhaustive) rules_.ablation |= kExhaustive;
  if (ablation.or_by == OrMethod::kAddingUp) rules_.ablation |= kNoLookups;
  const bool looks_up =
      ablation.or_by == OrMethod::kLookingUp || ablation.or_by == OrMethod::kSearching;
  if (looks_up) rules_.ablation |= kNoTiles;
  rules_.tiles = static_cast<std::uint32_t>((index.index.counts().documents + kTileDocuments - 1) /
                                            kTileDocuments);
}

ScoreForm BatchBuilder::form() const { return form_of(rules_.scorer.kind); }

/// Several pieces at a time, if there are many. A thread that waits for the last ones takes nothing
/// else meanwhile: what that did might want the same searcher.
template <typename Work>
void BatchBuilder::for_each_piece(const Work& work) {
  if (pieces_.size() < kPiecesToShare) {
    for (Piece& piece : pieces_) work(piece);
    return;
  }
  tbb::this_task_arena::isolate([&] {
    tbb::parallel_for(
        std::size_t{0}, pieces_.size(), [&](std::size_t i) { work(pieces_[i]); },
        tbb::simple_partitioner());
  });
}

void BatchBuilder::cut(std::size_t queries) {
  const std::size_t pieces = (queries + kPieceQueries - 1) / kPieceQueries;
  if (all_pieces_.size() < pieces) all_pieces_.resize(pieces);
  pieces_ = std::span(all_pieces_).first(pieces);
  for (std::size_t i = 0; i < pieces; ++i) {
    pieces_[i].begin = static_cast<std::uint32_t>(i * kPieceQueries);
    pieces_[i].end =
        static_cast<std::uint32_t>(std::min<std::size_t>((i + 1) * kPieceQueries, queries));
  }
}

const BatchShape& BatchBuilder::measure(std::span<const PlannedQuery> batch,
                                        std::span<const std::uint32_t> slots,
                                        std::span<const SearchSettings> settings) {
  batch_ = batch;
  slots_ = slots;
  rules_.settings = settings;
  const ScorerSettings wanted = slots.empty() ? ScorerSettings{} : rules_.of(slots[0]).scorer;
  rules_.scorer = effective_scorer(index_.index.settings(), wanted);
  cut(slots.size());
  for_each_piece([this](Piece& piece) { measure(piece); });
  add_up();
  if (shape_.and_queries + shape_.second_queries > 0) order_stretches();
  return shape_;
}

void BatchBuilder::measure(Piece& piece) const {
  const IndexSections& sections = index_.index.sections();
  piece.shape = {};
  piece.short_stretches = 0;
  piece.and_stretches.clear();
  piece.second_stretches.clear();
  piece.unanswerable.clear();
  for (std::uint32_t state = piece.begin; state < piece.end; ++state) {
    const PlannedQuery& plan = batch_[slots_[state]];
    BatchShape alone;  // its lists, and what they are if OR reads them
    alone.lists = static_cast<std::uint32_t>(plan.terms.size());
    std::uint32_t short_stretches = 0;
    for (const PlannedTerm& term : plan.terms) {
      const std::uint32_t blocks = block_count(term.entry.document_frequency);
      alone.postings += term.entry.document_frequency;
      alone.raw_lists += term.entry.is_short() ? 1 : 0;
      alone.or_blocks += blocks;
      alone.table_stretches += stretch_count(blocks, kStretchBlocks);
      short_stretches += stretch_count(blocks, kShortStretchBlocks);
      prefetch(sections, term.entry);
    }
    ++piece.shape.queries;
    piece.shape.postings += alone.postings;
    if (!is_for_gpu(index_.index, plan)) {
      piece.unanswerable.push_back(slots_[state]);
      continue;
    }
    const SearchSettings& settings = rules_.of(slots_[state]);
    for (const QueryEntry& entry : entries_of(plan, settings.mode)) {
      measure_entry(plan, entry, settings.count, alone, piece);
      if (entry.kind == EntryKind::kOr) piece.short_stretches += short_stretches;
    }
  }
}

/// `alone`: of the query's lists.
void BatchBuilder::measure_entry(const PlannedQuery& plan, const QueryEntry& entry, bool counts,
                                 const BatchShape& alone, Piece& piece) const {
  BatchShape& shape = piece.shape;
  shape.has_fallback |= entry.is_fallback;
  if (!entry.shares_lists) {
    shape.lists += alone.lists;
    shape.raw_lists += alone.raw_lists;
  }
  if (entry.kind != EntryKind::kOr) {
    const std::uint32_t blocks = block_count(driver_of(plan, entry).entry.document_frequency);
    const bool is_second = entry.kind == EntryKind::kSecond;
    ++(is_second ? shape.second_queries : shape.and_queries);
    (is_second ? piece.second_stretches : piece.and_stretches).add(blocks);
    return;
  }
  const std::uint32_t flags = flags_of(entry, counts, rules_.ablation);
  shape.adds_up_only &= (flags & kAddsUpOnly) != 0;
  shape.needs_rounds |= (flags & (kAddsUpOnly | kNoTiles)) != 0;
  shape.needs_rounds |= entry.roles.scoring > kLongQuery;
  ++shape.or_queries;
  shape.or_lists += alone.lists;
  shape.or_blocks += alone.or_blocks;
  shape.or_postings += alone.postings;
  shape.table_stretches += alone.table_stretches;
}

/// Adds the pieces up, in their order, and sets what follows from all of them.
void BatchBuilder::add_up() {
  shape_ = {};
  std::uint64_t postings = 0;
  for (const Piece& piece : pieces_) postings += piece.shape.postings;
  const bool are_few = postings < kFewPostings;
  for (Piece& piece : pieces_) {
    if (are_few) piece.shape.table_stretches = piece.short_stretches;
    piece.before = shape_;
    shape_.add(piece.shape);
  }
  shape_.stretch_blocks = are_few ? kShortStretchBlocks : kStretchBlocks;
  shape_.row_entries = shape_.or_lists * tile_row(rules_.tiles);
  shape_.tile_entries = shape_.or_queries * rules_.tiles;
}

/// Counts the stretches of AND and finds their places.
void BatchBuilder::order_stretches() {
  const bool are_few = shape_.stretch_blocks < kStretchBlocks;
  for_each_piece([are_few](Piece& piece) {
    piece.shape.and_stretches = piece.and_stretches.count(are_few);
    piece.shape.second_stretches = piece.second_stretches.count(are_few);
  });
  and_order_.clear();
  second_order_.clear();
  for (Piece& piece : pieces_) {
    shape_.and_stretches += piece.shape.and_stretches;
    shape_.second_stretches += piece.shape.second_stretches;
    and_order_.add(piece.and_stretches.counts());
    second_order_.add(piece.second_stretches.counts());
  }
  and_order_.finish();
  second_order_.finish();
  for (Piece& piece : pieces_) {
    and_order_.place(piece.and_stretches.counts());
    second_order_.place(piece.second_stretches.counts());
  }
}

std::vector<std::uint32_t> BatchBuilder::unanswerable() const {
  std::vector<std::uint32_t> slots;
  for (const Piece& piece : pieces_) {
    slots.insert(slots.end(), piece.unanswerable.begin(), piece.unanswerable.end());
  }
  return slots;
}

void BatchBuilder::write(std::uint32_t capacity, const Answer* answers_so_far,
                         const ImageParts& host, const ImageParts& device) {
  const QueryWriter::Target target{shape_, host, device, capacity, answers_so_far};
  for_each_piece([&](Piece& piece) {
    QueryWriter writer(index_, rules_, target, piece.before, piece.and_stretches,
                       piece.second_stretches);
    for (std::uint32_t state = piece.begin; state < piece.end; ++state) {
      const PlannedQuery& plan = batch_[slots_[state]];
      writer.write(plan, slots_[state], is_for_gpu(index_.index, plan));
    }
  });
}

}  // namespace warpdex::gpu
