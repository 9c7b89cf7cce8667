// Lays batches out in page-locked memory, and reads the answers there.
#include "gpu/run/blocks_engine.hpp"

#include <algorithm>
#include <atomic>

#include "gpu/index/gpu_snapshot_state.hpp"
#include "gpu/run/batch_memory.hpp"
#include "gpu/run/segment_engine.hpp"
#include "plan/sum_slack.hpp"
#include "warpdex/core/cuda/arena.hpp"
#include "warpdex/core/cuda/chip.hpp"
#include "warpdex/core/cuda/copies.hpp"
#include "warpdex/core/cuda/device.hpp"
#include "warpdex/core/cuda/stream_priority.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/waiting.hpp"

namespace warpdex::gpu {
namespace {

/// Queries of fewer terms, on average, are answered faster by lists.
constexpr std::size_t kFewestTerms = 5;

const SearchSettings& settings_of(std::span<const SearchSettings> settings, std::size_t query) {
  return settings[settings.size() == 1 ? 0 : query];
}

/// A query's plan for a segment.
const PlannedQuery& plan_of(const PlannedQuery& plan, std::size_t segment) {
  return plan.segments.empty() ? plan : plan.segments[segment];
}

bool are_for_blocks(const SearchSettings& settings) {
  return settings.mode == QueryMode::kOr && !settings.count && settings.documents == nullptr &&
         settings.k <= kMostBlockHits;
}

std::uint32_t most_hits(std::span<const SearchSettings> settings) {
  return std::ranges::max(settings, {}, &SearchSettings::k).k;
}

bool has_only_scoring(const PlannedQuery& plan) {
  return std::ranges::none_of(
      plan.terms, [](const PlannedTerm& term) { return term.is_must || term.is_prohibited; });
}

}  // namespace

/// A batch's memory, and its answers.
class BlocksEngine::Batch final : public BatchAnswers::Source {
 public:
  Batch(const BlocksEngine& engine, int device) : engine_(engine), stream_(device) {}

  /// False where there is no memory.
  bool start(std::span<const PlannedQuery> plans, std::span<const SearchSettings> settings);
  bool is_done() const { return stream_.is_idle(); }
  void wait(std::chrono::microseconds spin) const {
    wait_until([this] { return is_done(); }, spin);
  }

  std::size_t size() const override { return queries_; }
  AnswerView answer(std::size_t query) const override {
    const auto* const counts = static_cast<const std::uint32_t*>(answers_.data());
    const auto* const hits = reinterpret_cast<const Hit*>(
        static_cast<const std::uint8_t*>(answers_.data()) + hits_begin_);
    const std::span found(hits + query * most_, counts[query]);
    return {found, found.size(), false, true};
  }

 private:
  /// Parts of the batch in memory that begins there.
  struct Parts {
    Parts(void* begin, std::size_t segments, std::size_t queries, std::size_t terms);
    PlacedBlocks* segments;
    BlockQuery* queries;
    std::uint32_t* ends;
    BlockTerm* terms;
    std::size_t bytes;
  };

  void fill(const Parts& parts, std::span<const PlannedQuery> plans,
            std::span<const SearchSettings> settings) const;
  std::size_t count_terms(std::span<const PlannedQuery> plans) const;

  const BlocksEngine& engine_;
  Stream stream_;
  PinnedBuffer image_;
  AccountedBuffer memory_;
  PinnedBuffer answers_;  ///< counts, then hits
  std::size_t hits_begin_ = 0;
  std::size_t queries_ = 0;
  std::size_t most_ = 0;
};

BlocksEngine::Batch::Parts::Parts(void* begin, std::size_t segment_count, std::size_t query_count,
                                  std::size_t term_count) {
  Arena arena(begin);
  segments = arena.take<PlacedBlocks>(segment_count);
  queries = arena.take<BlockQuery>(query_count);
  ends = arena.take<std::uint32_t>(query_count * segment_count);
  terms = arena.take<BlockTerm>(term_count);
  bytes = arena.used();
}

std::size_t BlocksEngine::Batch::count_terms(std::span<const PlannedQuery> plans) const {
  std::size_t terms = 0;
  for (const PlannedQuery& plan : plans) {
    for (std::size_t i = 0; i < engine_.segments_.size(); ++i) {
      terms += plan_of(plan, i).terms.size();
    }
  }
  return terms;
}

void BlocksEngine::Batch::fill(const Parts& parts, std::span<const PlannedQuery> plans,
                               std::span<const SearchSettings> settings) const {
  std::ranges::copy(engine_.segments_, parts.segments);
  const IndexSettings& index = engine_.snapshot_.snapshot().settings();
  const std::uint64_t documents = engine_.snapshot_.snapshot().docid_end();
  std::uint32_t* end = parts.ends;
  std::uint32_t terms = 0;
  for (std::size_t query = 0; query < plans.size(); ++query) {
    const SearchSettings& own = settings_of(settings, query);
    const std::uint32_t first = terms;
    std::size_t lists = 0;
    for (std::size_t i = 0; i < engine_.segments_.size(); ++i) {
      const PlannedQuery& plan = plan_of(plans[query], i);
      for (const PlannedTerm& term : plan.terms) {
        parts.terms[terms++] = {term.entry.term_number, term.weight};
      }
      *end++ = terms;
      lists = std::max(lists, plan.terms.size());
    }
    parts.queries[query] = {
        first, static_cast<std::uint32_t>(std::clamp<std::uint64_t>(documents, 1, own.k)),
        sum_slack(sums_are_exact(index, plans[query]), lists), own.start_threshold()};
  }
}

bool BlocksEngine::Batch::start(std::span<const PlannedQuery> plans,
                                std::span<const SearchSettings> settings) {
  const CurrentDevice current(stream_.device());
  const std::size_t segments = engine_.segments_.size();
  const std::size_t terms = count_terms(plans);
  queries_ = plans.size();
  most_ = most_hits(settings);
  const std::size_t bytes = Parts(nullptr, segments, queries_, terms).bytes;
  Resources& resources = engine_.snapshot_.state().resources;
  if (memory_.size() < bytes &&
      !memory_.allocate(bytes + bytes / 2, resources.memory(), resources.device())) {
    return false;
  }
  grow(image_, bytes);
  hits_begin_ = aligned_piece(queries_ * sizeof(std::uint32_t));
  grow(answers_, hits_begin_ + queries_ * most_ * sizeof(Hit));
  fill(Parts(image_.data(), segments, queries_, terms), plans, settings);
  copy_to_gpu(static_cast<std::uint8_t*>(memory_.data()),
              static_cast<const std::uint8_t*>(image_.data()), bytes, stream_);
  const Parts parts(memory_.data(), segments, queries_, terms);
  const BlockShape shape = engine_.shape(settings);
  auto* const answers = static_cast<std::uint8_t*>(answers_.device_data());
  launch_search_blocks({.segments = parts.segments,
                        .queries = parts.queries,
                        .term_ends = parts.ends,
                        .terms = parts.terms,
                        .counts = reinterpret_cast<std::uint32_t*>(answers),
                        .hits = reinterpret_cast<Hit*>(answers + hits_begin_),
                        .query_count = static_cast<std::uint32_t>(queries_),
                        .segment_count = static_cast<std::uint32_t>(segments),
                        .most = static_cast<std::uint32_t>(most_),
                        .superblocks = shape.superblocks,
                        .threads = shape.threads},
                       stream_);
  return true;
}

BlocksEngine::BlocksEngine(const GpuSnapshot& snapshot, std::shared_ptr<const GpuBlocks> blocks,
                           const GpuEngineSettings& settings, std::uint32_t together)
    : snapshot_(snapshot),
      blocks_(std::move(blocks)),
      max_batches_(settings.max_batches),
      is_background_(settings.is_background),
      spin_(settings.spin) {
  const GpuBlocks::State::OfGpu* const placed = blocks_->state().on(snapshot.device());
  const auto& all = snapshot_.state().segments;
  is_of_use_ = placed != nullptr && placed->size() == all.size();
  std::uint32_t most = 0;
  for (std::size_t i = 0; is_of_use_ && i < all.size(); ++i) {
    const UploadedBlocks& own = *(*placed)[i];
    segments_.push_back({own.lists, own.begins, all[i].own_bits(), own.blocks->superblocks(),
                         all[i].first_document});
    most = std::max(most, own.blocks->superblocks());
    is_of_use_ = all[i].uploaded->index->sections().static_scores.empty();
  }
  const CurrentDevice current(snapshot.device());
  shared_memory_ = current_chip().shared_memory_of_block;
  superblocks_ = std::min(most, together);
  is_of_use_ = is_of_use_ && most > 0;
}

BlockShape BlocksEngine::shape(std::span<const SearchSettings> settings) const {
  return block_shape(shared_memory_, most_hits(settings), superblocks_);
}

BlocksEngine::~BlocksEngine() {
  for (const auto& [ticket, batch] : batches_) {
    try {
      batch->wait(spin_);
    } catch (...) {
      // It has failed, so nothing of it is under way.
    }
  }
}

bool BlocksEngine::takes(std::span<const PlannedQuery> plans,
                         std::span<const SearchSettings> settings) const {
  if (!is_of_use_ || plans.empty() || !std::ranges::all_of(settings, are_for_blocks)) return false;
  if (shape(settings).superblocks == 0) return false;
  std::size_t terms = 0;
  for (const PlannedQuery& plan : plans) {
    if (plan.misses_must || excludes_words(plan) || !has_only_scoring(plan)) return false;
    for (std::size_t i = 0; i < segments_.size(); ++i) {
      const PlannedQuery& own = plan_of(plan, i);
      if (own.terms.size() > kMostBlockTerms || !has_only_scoring(own)) return false;
    }
    terms += plan.terms.size();
  }
  return terms >= kFewestTerms * plans.size();
}

std::shared_ptr<BlocksEngine::Batch> BlocksEngine::take_batch() {
  for (const auto& each : known_) {
    if (each.use_count() > 1) continue;
    // Another thread may have released the answers. What it read comes before what a batch writes.
    std::atomic_thread_fence(std::memory_order_acquire);
    return each;
  }
  if (known_.size() == max_batches_) throw UsageError(too_many_batches(max_batches_));
  const StreamPriorityScope priority(is_background_ ? StreamPriority::kUsual
                                                    : StreamPriority::kFirst);
  known_.push_back(std::make_shared<Batch>(*this, snapshot_.device()));
  return known_.back();
}

std::optional<Ticket> BlocksEngine::submit(std::span<const PlannedQuery> plans,
                                           std::span<const SearchSettings> settings) {
  std::shared_ptr<Batch> batch = take_batch();
  if (!batch->start(plans, settings)) return std::nullopt;
  batches_.emplace(++last_ticket_, std::move(batch));
  return Ticket{last_ticket_};
}

BlocksEngine::Batches::iterator BlocksEngine::find(Ticket ticket) {
  const auto found = batches_.find(static_cast<std::uint64_t>(ticket));
  if (found == batches_.end()) throw UsageError(unknown_ticket(ticket));
  return found;
}

bool BlocksEngine::poll(Ticket ticket) {
  const auto found = find(ticket);
  try {
    return found->second->is_done();
  } catch (...) {
    batches_.erase(found);
    throw;
  }
}

EarlyAnswers BlocksEngine::early_answers(Ticket ticket) {
  find(ticket);
  return {};
}

BatchAnswers BlocksEngine::wait(Ticket ticket) {
  const auto found = find(ticket);
  const std::shared_ptr<Batch> batch = std::move(found->second);
  batches_.erase(found);
  batch->wait(spin_);
  queries_ += batch->size();
  return BatchAnswers(batch);
}

}  // namespace warpdex::gpu
