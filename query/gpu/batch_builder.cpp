// Builds batches: roles, scorers, scales and thresholds of queries, and the stretches of their
// lists that kernels share out.
#include "warpdex/query/gpu/batch_builder.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "warpdex/indexer/format/impacts.hpp"
#include "warpdex/indexer/format/postings.hpp"
#include "warpdex/query/gpu/length_codes.hpp"
#include "warpdex/query/seed_threshold.hpp"

namespace warpdex::gpu {
namespace {

/// What a list's scores cannot pass, whatever its postings.
float largest_score(const TermScorer& scorer, std::uint64_t largest_frequency) {
  switch (scorer.kind) {
    case ScorerKind::kImpact: return scorer.weight * static_cast<float>(kMaxImpact);
    case ScorerKind::kBm25: return scorer.weight;
    case ScorerKind::kQueryLikelihood: break;
  }
  return scorer.weight * std::log1p(static_cast<float>(largest_frequency) * scorer.c0) * 1.00001F;
}

ScoreForm form_of(ScorerKind kind) {
  switch (kind) {
    case ScorerKind::kImpact: return ScoreForm::kImpact;
    case ScorerKind::kBm25: return ScoreForm::kBm25;
    case ScorerKind::kQueryLikelihood: break;
  }
  return ScoreForm::kQueryLikelihood;
}

/// Orders stretches by their place in their query, so that all queries' thresholds rise together.
/// Counting sort, O(stretches).
void interleave(std::vector<Stretch>& stretches) {
  std::vector<std::uint32_t> starts;
  for (const Stretch& stretch : stretches) {
    const std::uint32_t place = stretch.first / kAndBlocks;
    if (place + 1 >= starts.size()) starts.resize(place + 2);
    ++starts[place + 1];
  }
  for (std::size_t i = 1; i < starts.size(); ++i) starts[i] += starts[i - 1];
  std::vector<Stretch> ordered(stretches.size());
  for (const Stretch& stretch : stretches) ordered[starts[stretch.first / kAndBlocks]++] = stretch;
  stretches = std::move(ordered);
}

/// Fewer postings do not fill the GPU by long stretches.
constexpr std::uint64_t kFewPostings = std::uint64_t{1} << 25;

/// CTAs that a list is shared out to before AND takes more of its blocks together.
constexpr std::uint32_t kAndStretches = 512;

/// Looking documents up in the lists of longer queries may cost far more than adding up.
constexpr std::uint32_t kLongQuery = 8;

std::uint32_t ceil_divide(std::uint32_t value, std::uint32_t divisor) {
  return (value + divisor - 1) / divisor;
}

}  // namespace

void BatchImage::clear() {
  lists.clear();
  and_queries.clear();
  second_queries.clear();
  or_queries.clear();
  finals.clear();
  table_stretches.clear();
  and_stretches.clear();
  second_stretches.clear();
  raw.clear();
  cpu_queries.clear();
  row_entries = 0;
  tile_entries = 0;
  postings = 0;
  or_blocks = 0;
  or_postings = 0;
  adds_up_only = true;
  needs_rounds = false;
}

std::uint32_t blocks_of_and_chunk(std::uint32_t list_blocks, bool are_few) {
  std::uint32_t blocks = kAndBlocks;
  while (are_few && blocks > 1 && list_blocks <= kAndStretches * blocks / 2) blocks /= 2;
  return blocks;
}

std::vector<Wave> BatchImage::waves(std::uint32_t at_once) const {
  std::vector<Wave> waves;
  std::uint32_t stretch = 0;
  const auto queries = static_cast<std::uint32_t>(or_queries.size());
  for (std::uint32_t first = 0; first < queries; first += at_once) {
    Wave wave{first, std::min(at_once, queries - first), stretch, 0, false};
    for (; stretch < table_stretches.size(); ++stretch) {
      const List& list = lists[table_stretches[stretch].owner];
      if (list.owner >= first + wave.queries) break;
      wave.has_prohibited |= (list.flags & kProhibited) != 0;
    }
    wave.stretches = stretch - wave.first_stretch;
    waves.push_back(wave);
  }
  return waves;
}

BatchBuilder::BatchBuilder(const GpuIndex::State& index, const GpuAblation& ablation)
    : index_(index) {
  has_seeds_ = !ablation.no_seeds;
  if (ablation.exhaustive) ablation_ |= kExhaustive;
  if (ablation.or_by == OrMethod::kAddingUp) ablation_ |= kNoLookups;
  if (ablation.or_by == OrMethod::kLookingUp) ablation_ |= kNoTiles;
  tiles_ = ceil_divide(static_cast<std::uint32_t>(index.index.counts().documents), kTileDocuments);
}

ScoreForm BatchBuilder::form(const SearchSettings& settings) const {
  return form_of(effective_scorer(index_.index.settings(), settings.scorer).kind);
}

void BatchBuilder::build(std::span<const PlannedQuery> batch, std::span<const std::uint32_t> slots,
                         const SearchSettings& settings, std::uint32_t capacity,
                         BatchImage& image) {
  image.clear();
  settings_ = settings;
  settings_.scorer = effective_scorer(index_.index.settings(), settings.scorer);
  capacity_ = capacity;
  for (const std::uint32_t slot : slots) {
    for (const PlannedTerm& term : batch[slot].terms) {
      image.postings += term.entry.document_frequency;
    }
  }
  image.stretch_blocks = image.postings < kFewPostings ? kShortStretchBlocks : kStretchBlocks;
  for (std::uint32_t state = 0; state < slots.size(); ++state) {
    const std::uint32_t slot = slots[state];
    const PlannedQuery& plan = batch[slot];
    Query nothing{};
    nothing.state = state;
    nothing.slot = slot;
    image.finals.push_back(nothing);
    if (plan.terms.size() > kMostLists) {
      image.cpu_queries.push_back(slot);
      continue;
    }
    check_impact_sum(index_.index, plan);
    if (settings.mode == QueryMode::kOr) {
      add_query(plan, false, false, state, slot, image);
    } else {
      const bool is_one_list = add_query(plan, true, false, state, slot, image);
      if (settings.mode == QueryMode::kAndOr && !is_one_list) {
        add_query(plan, false, true, state, slot, image);
      }
    }
  }
  interleave(image.and_stretches);
  interleave(image.second_stretches);
}

bool BatchBuilder::add_query(const PlannedQuery& plan, bool unsigned_is_required, bool is_fallback,
                             std::uint32_t state, std::uint32_t slot, BatchImage& image) {
  const Roles roles = assign_roles(plan, unsigned_is_required);
  if (roles.is_empty) return false;
  const bool is_one_list = roles.is_one_list() && !is_fallback;
  // OR that comes second reads the lists of AND's, if it had any.
  const Query& first = image.finals[state];
  const bool has_lists = is_fallback && !roles.has_required && first.scoring > 0;
  Query query{};
  query.first_list = has_lists ? first.first_list : static_cast<std::uint32_t>(image.lists.size());
  query.scoring = static_cast<std::uint32_t>(roles.scoring.size());
  query.lists = query.scoring + static_cast<std::uint32_t>(roles.prohibited.size());
  query.k = settings_.k;
  query.state = state;
  query.slot = slot;
  query.flags = (settings_.count ? kCount : 0U) | (is_fallback ? kFallback : 0U) | ablation_;
  query.least = settings_.mode == QueryMode::kAndOr ? settings_.and_or_least() : 0;
  query.capacity = capacity_;
  query.lengths_are_coded = index_.longest_document < kTooLong ? 1 : 0;
  query.candidates = state * capacity_;
  if (!has_lists) add_lists(roles, image);
  set_scale(query, image);
  if (is_one_list) {
    if (roles.has_required || settings_.count) query.flags |= kOneList;
    query.flags &= ~kCount;
    PlannedQuery alone{{*roles.scoring[0]}, false, false};
    alone.terms[0].is_must = false;
    set_seed(alone, query);
    add_or(query, image);
  } else if (roles.has_required && is_fallback) {
    add_and(query, image.second_queries, image.second_stretches, image);
  } else if (roles.has_required) {
    add_and(query, image.and_queries, image.and_stretches, image);
  } else {
    set_seed(plan, query);
    add_or(query, image);
  }
  image.finals[state] = query;
  return is_one_list;
}

void BatchBuilder::add_lists(const Roles& roles, BatchImage& image) {
  for (std::size_t i = 0; i < roles.scoring.size(); ++i) {
    add_list(*roles.scoring[i], roles.is_required[i] ? kRequired : 0U, image);
  }
  for (const PlannedTerm* term : roles.prohibited) add_list(*term, kProhibited, image);
}

void BatchBuilder::add_list(const PlannedTerm& term, std::uint32_t flags, BatchImage& image) {
  List list{};
  std::uint64_t occurrences = term.entry.collection_frequency;
  list.size = term.entry.document_frequency;
  list.blocks = ceil_divide(list.size, kBlockSize);
  list.row = kNone;
  list.flags = flags;
  std::uint64_t largest = 0;
  if (term.entry.is_short()) {
    add_raw(term, list, occurrences, image);
    largest = occurrences;
  } else {
    index_.place(term.entry, list);
    largest = occurrences - list.size + 1;  // all others occur once at least
  }
  if (largest >= (1U << 23)) list.flags |= kHugeFrequencies;
  const IndexCounts& counts = index_.index.counts();
  const TermScorer scorer =
      make_term_scorer(settings_.scorer, {counts.documents, counts.tokens}, list.size, occurrences,
                       std::max(term.multiplicity, 1U));
  list.weight = scorer.weight;
  list.c0 = scorer.c0;
  list.c1 = scorer.c1;
  list.bound = largest_score(scorer, largest);
  image.lists.push_back(list);
}

/// Pointers to raw lists are offsets into BatchImage::raw, in bytes, until upload.
void BatchBuilder::add_raw(const PlannedTerm& term, List& list, std::uint64_t& occurrences,
                           BatchImage& image) {
  const std::size_t first = image.raw.size();
  image.raw.resize(first + 2 * kRawEntries);
  std::uint32_t* const docids = image.raw.data() + first;
  std::uint32_t* const values = docids + kRawEntries;
  const Index& index = index_.index;
  read_short_list(index.settings().codec, index.sections(), term.entry, index.counts().documents,
                  docids, values);
  occurrences = std::accumulate(values, values + list.size, std::uint64_t{0});
  for (std::uint32_t i = 0; i < list.size; ++i) --values[i];
  std::fill(docids + list.size, docids + kRawEntries, kNone);
  std::fill(values + list.size, values + kRawEntries, 0U);
  list.flags |= kRaw;
  const auto offset = [](std::size_t entries) {
    return reinterpret_cast<const std::uint8_t*>(entries * sizeof(std::uint32_t));
  };
  list.docids.bytes = offset(first);
  list.frequencies.bytes = offset(first + kRawEntries);
  list.last_docids = reinterpret_cast<const std::uint32_t*>(offset(first + list.size - 1));
}

/// Sums of lists' bounds fit 16 bits; static scores, which are added to few documents, 31.
void BatchBuilder::set_scale(Query& query, const BatchImage& image) const {
  double bounds = 0;
  double weights = 0;
  for (std::uint32_t i = 0; i < query.scoring; ++i) {
    bounds += image.lists[query.first_list + i].bound;
    weights += image.lists[query.first_list + i].weight;
  }
  const double largest_static = index_.largest_static;
  double scale = 1;
  query.slack = 0;
  if (settings_.scorer.kind != ScorerKind::kImpact || bounds > 65'535) {
    scale = bounds > 0 ? kLargestSum / bounds : 1.0;
    if (largest_static > 0) scale = std::min(scale, (1U << 30) / largest_static);
    query.slack = 2 * query.scoring + 2;
    if (settings_.scorer.kind == ScorerKind::kQueryLikelihood) query.slack += 4 * query.scoring;
  }
  query.scale = static_cast<float>(scale);
  query.static_scale = index_.static_scores != nullptr ? query.scale : 0.F;
  query.weights = static_cast<float>(weights * scale);
  const double most = (bounds + largest_static) * scale + 4 * query.slack;
  while (static_cast<std::uint64_t>(most) >> query.bin_shift >= kBins) ++query.bin_shift;
}

/// A threshold that a sum in units must reach: sums are not below scores, but rounding may be.
void BatchBuilder::set_seed(const PlannedQuery& plan, Query& query) const {
  if (!has_seeds_) return;
  const float seed = seed_threshold(index_.index, plan, settings_.scorer, settings_.k);
  const bool is_exact = settings_.scorer.kind == ScorerKind::kImpact && query.slack == 0;
  query.seed = static_cast<std::uint32_t>(
      is_exact ? seed : std::max(0.F, std::floor(seed * query.scale) - 1.F));
}

void BatchBuilder::add_or(Query& query, BatchImage& image) {
  image.adds_up_only &= (query.flags & kAddsUpOnly) != 0;
  image.needs_rounds |= (query.flags & (kAddsUpOnly | kNoTiles)) != 0;
  image.needs_rounds |= query.scoring > kLongQuery;
  query.row = image.tile_entries;
  image.tile_entries += tiles_;
  for (std::uint32_t i = 0; i < query.lists; ++i) {
    List& list = image.lists[query.first_list + i];
    list.owner = static_cast<std::uint32_t>(image.or_queries.size());
    list.place = i;
    list.row = image.row_entries;
    image.row_entries += tile_row(tiles_);
    image.or_blocks += list.blocks;
    image.or_postings += list.size;
    for (std::uint32_t block = 0; block < list.blocks; block += image.stretch_blocks) {
      image.table_stretches.push_back(
          {query.first_list + i, block, std::min(image.stretch_blocks, list.blocks - block)});
    }
  }
  image.or_queries.push_back(query);
}

void BatchBuilder::add_and(const Query& query, std::vector<Query>& queries,
                           std::vector<Stretch>& stretches, const BatchImage& image) {
  std::uint32_t driver = query.first_list;
  while ((image.lists[driver].flags & kRequired) == 0) ++driver;
  const auto owner = static_cast<std::uint32_t>(queries.size());  // second ones are moved later
  const std::uint32_t blocks = image.lists[driver].blocks;
  const std::uint32_t step = blocks_of_and_chunk(blocks, image.stretch_blocks < kStretchBlocks);
  for (std::uint32_t block = 0; block < blocks; block += step) {
    stretches.push_back({owner, block, std::min(step, blocks - block)});
  }
  queries.push_back(query);
}

}  // namespace warpdex::gpu
