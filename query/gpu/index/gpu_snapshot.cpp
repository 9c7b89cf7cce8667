// Uploads the segments and bits that the snapshot before does not have.
#include "warpdex/query/gpu/gpu_snapshot.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "gpu/index/gpu_snapshot_state.hpp"
#include "gpu/layout/layout.hpp"
#include "warpdex/core/cuda/stream.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/parallel.hpp"
#include "warpdex/core/storage/check_sections.hpp"

namespace warpdex {
namespace {

/// Scratch memory for the engines of all segments together, and of the smallest segment: with less,
/// a batch of some thousand queries would go in many parts.
constexpr std::uint64_t kScratchOfAll = std::uint64_t{8} << 30;
constexpr std::uint64_t kMinScratch = std::uint64_t{256} << 20;

bool is_same_build(const IndexSettings& one, const IndexSettings& other) {
  return one.codec.kind == other.codec.kind && one.codec.pfor_levels == other.codec.pfor_levels &&
         one.impacts.has_value() == other.impacts.has_value();
}

}  // namespace

std::uint64_t gpu::estimated_bytes(const Index& index) {
  constexpr std::uint64_t kBlockBytes = 24;  // of block metadata
  return index.sections().docids.size() + index.sections().frequencies.size() +
         kBlockBytes * index.counts().blocks + 2 * index.texts() * index.counts().documents;
}

GpuSnapshot::State::State(const Snapshot& whole, const Range& uploaded, Resources& used,
                          const State* before)
    : range(uploaded),
      is_all(range.first == 0 && range.count == whole.segments().size()),
      is_plain(whole.is_plain()),
      snapshot(is_all ? whole : whole.part(range.first, range.count)),
      resources(used) {
  const bool may_share =
      before != nullptr && is_same_build(before->snapshot.settings(), snapshot.settings());
  if (!may_share) before = nullptr;
  const std::vector<std::uint32_t> firsts = spaced_firsts(snapshot, before);
  for (std::size_t i = 0; i < firsts.size(); ++i) {
    const Index& index = *snapshot.segments()[i].index;
    if (is_at(firsts[i], find(index, before), before)) continue;
    to_come += gpu::estimated_bytes(index);
    ++segments_to_come;
  }
  for (std::size_t i = 0; i < firsts.size(); ++i) add(snapshot.segments()[i], firsts[i], before);
  join(before);
}

/// Whether a segment of the snapshot before has its first spaced docID there.
bool GpuSnapshot::State::is_at(std::uint32_t spaced_first, std::optional<std::size_t> segment,
                               const State* before) {
  return segment && before->segments[*segment].uploaded->placed.first_document == spaced_first;
}

/// The first spaced docID of each segment. Segments that are there keep theirs, so that they need
/// not be uploaded again, unless too much room would lie before them; the first has 0.
std::vector<std::uint32_t> GpuSnapshot::State::spaced_firsts(const Snapshot& snapshot,
                                                             const State* before) {
  constexpr std::uint64_t kMaxRoom = 8 * std::uint64_t{gpu::kSpaceDocuments};
  std::vector<std::uint32_t> firsts;
  std::uint64_t next = 0;
  for (const Snapshot::Segment& segment : snapshot.segments()) {
    const std::optional<std::size_t> known = find(*segment.index, before);
    if (known && next > 0) {
      const std::uint64_t old = before->segments[*known].uploaded->placed.first_document;
      if (old >= next && old - next <= next / 2 + kMaxRoom) next = old;
    }
    firsts.push_back(static_cast<std::uint32_t>(next));
    const std::uint64_t end = next + segment.index->counts().documents;
    next = (end + gpu::kSpaceDocuments - 1) / gpu::kSpaceDocuments * gpu::kSpaceDocuments;
    // Such segments are searched one by one, and each may start anywhere.
    if (next > gpu::kNone / 2) next = 0;
  }
  return firsts;
}

/// The number of a segment in the snapshot before, or none.
std::optional<std::size_t> GpuSnapshot::State::find(const Index& index, const State* before) {
  for (std::size_t i = 0; before != nullptr && i < before->segments.size(); ++i) {
    if (are_same_segment(index, *before->snapshot.segments()[i].index)) return i;
  }
  return std::nullopt;
}

/// Takes a segment over from the snapshot before, or uploads it; likewise its bits.
void GpuSnapshot::State::add(const Snapshot::Segment& from, std::uint32_t spaced_first,
                             const State* before) {
  const std::span<const std::uint64_t> removed = from.index->removed().words();
  Segment segment;
  segment.first_document = from.first_document;
  const std::optional<std::size_t> known = find(*from.index, before);
  if (known) {
    const RemovedRows old = before->snapshot.segments()[*known].index->removed();
    if (std::ranges::equal(removed, old.words())) {
      segment.removed = before->segments[*known].removed;
      segment.live_seeds = before->segments[*known].live_seeds;
    }
  }
  if (is_at(spaced_first, known, before)) {
    segment.uploaded = before->segments[*known].uploaded;
  } else {
    segment.uploaded = upload(from.index, spaced_first);
    new_memory += segment.uploaded->placed.memory();
  }
  memory += segment.uploaded->placed.memory();
  if (!removed.empty()) {
    if (!segment.removed) {
      segment.removed = upload_removed(*from.index);
      new_memory += segment.removed->size();
      segment.live_seeds = find_live_seeds(*from.index, known, before);
    }
    memory += segment.removed->size();
  }
  segments.push_back(std::move(segment));
}

/// The seeds of a segment from which documents were removed; null without a forward index. Of a
/// segment that was in the snapshot before, lists are read for new seeds only as long as that is
/// quick, or takes about as long as the counting; others wait for the next removals.
std::shared_ptr<const gpu::LiveSeeds> GpuSnapshot::State::find_live_seeds(
    const Index& index, std::optional<std::size_t> known, const State* before) {
  constexpr std::uint64_t kQuickPostings = std::uint64_t{1} << 20;  // of a thread
  constexpr std::uint64_t kReadPerCounted = 4;
  if (!index.settings().has_forward) return nullptr;
  const auto old = known ? before->segments[*known].live_seeds : nullptr;
  auto seeds = old != nullptr ? std::make_shared<gpu::LiveSeeds>(*old)
                              : std::make_shared<gpu::LiveSeeds>(index);
  // What `old` counted.
  const RemovedRows counted =
      old != nullptr ? before->snapshot.segments()[*known].index->removed() : RemovedRows();
  const std::uint64_t postings = seeds->remove(index, counted, index.removed());
  seeds->renew(index, known ? kQuickPostings * default_threads() + kReadPerCounted * postings
                            : gpu::LiveSeeds::kAll);
  return seeds;
}

/// Takes the joined tables over from the snapshot before if it has the same segments and bits.
void GpuSnapshot::State::join(const State* before) {
  const auto is_same = [](const Segment& one, const Segment& other) {
    return one.uploaded == other.uploaded && one.removed == other.removed &&
           one.first_document == other.first_document;
  };
  if (before != nullptr && std::ranges::equal(segments, before->segments, is_same)) {
    joined = before->joined;
  } else {
    std::vector<gpu::JoinedSegment> all;
    for (const Segment& each : segments) {
      all.push_back(
          {&each.uploaded->placed, {each.own_bits(), each.live_seeds.get()}, each.first_document});
    }
    joined = gpu::JoinedSegments::join(all, resources);
  }
  if (joined) memory += joined->memory();
}

std::shared_ptr<const gpu::UploadedSegment> GpuSnapshot::State::upload(
    const std::shared_ptr<const Index>& index, std::uint32_t spaced_first) {
  GpuIndexSettings settings;
  if (snapshot.segments().size() > 1) {
    const std::uint64_t share = kScratchOfAll / (snapshot.docid_end() - snapshot.docid_begin()) *
                                std::uint64_t{index->counts().documents};
    settings.scratch = std::max(share, kMinScratch);
    // If not all that is to come fits, each gets its share: else the first would leave none.
    const std::uint64_t left = resources.memory().left();
    if (to_come > left / 8 * 7) settings.memory = share_of(gpu::estimated_bytes(*index), left);
  }
  to_come -= gpu::estimated_bytes(*index);
  --segments_to_come;
  return std::make_shared<const gpu::UploadedSegment>(index, resources, settings, spaced_first);
}

/// The bytes that a segment may take of what is left: what even small ones need, and of the rest
/// as much as it has of all that is to come.
std::size_t GpuSnapshot::State::share_of(std::uint64_t bytes, std::uint64_t left) const {
  const std::uint64_t least = std::min(kMinScratch, left / (2 * segments_to_come));
  const double share = static_cast<double>(bytes) / static_cast<double>(to_come);
  return least +
         static_cast<std::size_t>(share * static_cast<double>(left - segments_to_come * least));
}

/// Kernels read the bits of whole tiles.
std::shared_ptr<const AccountedBuffer> GpuSnapshot::State::upload_removed(const Index& index) {
  check_before_upload(index, is_of_removals);
  const std::uint64_t tiles =
      (index.counts().documents + gpu::kTileDocuments - 1) / gpu::kTileDocuments;
  const std::size_t bytes = tiles * gpu::kTileDocuments / 8;
  const std::span<const std::uint64_t> words = index.removed().words();
  auto bits = std::make_shared<AccountedBuffer>();
  if (!bits->allocate(bytes, resources.memory(), resources.device())) {
    throw UsageError("there is no GPU memory left for the " + std::to_string(bytes) +
                     " bytes that say which documents were deleted; allow more by --gpu-memory, "
                     "or search on the CPU");
  }
  const Stream stream(resources.device());
  bits->buffer().fill(0, stream);
  bits->buffer().upload({reinterpret_cast<const std::uint8_t*>(words.data()), words.size_bytes()},
                        stream);
  stream.synchronize();
  return bits;
}

GpuSnapshot::GpuSnapshot(const Snapshot& snapshot, Resources& resources)
    : GpuSnapshot(snapshot, 0, snapshot.segments().size(), resources) {}
GpuSnapshot::GpuSnapshot(const Snapshot& whole, std::size_t first, std::size_t count,
                         Resources& resources)
    : state_(std::make_shared<const State>(whole, State::Range{first, count}, resources, nullptr)) {
}
GpuSnapshot::GpuSnapshot(std::shared_ptr<const State> state) : state_(std::move(state)) {}

GpuSnapshot GpuSnapshot::next(const Snapshot& later) const {
  return next(later, 0, later.segments().size());
}
GpuSnapshot GpuSnapshot::next(const Snapshot& later, std::size_t first, std::size_t count) const {
  return GpuSnapshot(std::make_shared<const State>(later, State::Range{first, count},
                                                   state_->resources, state_.get()));
}

const Snapshot& GpuSnapshot::snapshot() const { return state_->snapshot; }
int GpuSnapshot::device() const { return state_->resources.device(); }
std::size_t GpuSnapshot::memory() const { return state_->memory; }
std::size_t GpuSnapshot::new_memory() const { return state_->new_memory; }
bool GpuSnapshot::has_list(std::size_t segment, const PostingsEntry& list) const {
  const std::size_t own = segment - state_->range.first;  // past the last if before the first
  return own >= state_->segments.size() || state_->segments[own].uploaded->placed.has_list(list);
}
bool GpuSnapshot::is_resident() const {
  return std::ranges::all_of(state_->segments, [](const State::Segment& segment) {
    return segment.uploaded->placed.cache == nullptr;
  });
}

}  // namespace warpdex
