// Counts the lists of all queries, then writes each to its place, on many threads.
#include "gpu/hybrid/query_lists.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "gpu/batch/list_writer.hpp"
#include "gpu/batch/short_lists.hpp"
#include "gpu/kernels/kernels.cuh"
#include "plan/roles.hpp"
#include "warpdex/core/cuda/arena.hpp"
#include "warpdex/core/cuda/copies.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::gpu {
namespace {

constexpr std::size_t kTakenAtATime = 32;  ///< that a thread takes at a time

std::uint16_t flags_of(const PlannedTerm& term) {
  if (term.is_prohibited) return kProhibited;
  return static_cast<std::uint16_t>((is_required(term, true) ? kRequired : 0U) |
                                    (is_required(term, false) ? kMust : 0U));
}

/// Whether a list is decoded on the host, for each query that has it.
bool is_packed(const PlacedIndex& index, const PostingsEntry& entry) {
  return entry.document_frequency < std::min(index.fewest_raw, kBlockSize);
}

/// Writes the lists of one query in one segment.
struct SegmentWriter {
  ListWriter& writer;
  const PlacedIndex& index;
  const PlannedQuery& plan;
  List* lists;
  std::uint32_t* raw;               ///< where the next decoded list goes, on the host
  const std::uint32_t* device_raw;  ///< where it will be on the GPU
  std::vector<std::uint32_t> packed = {};

  void write(bool prohibited) {
    for (const PlannedTerm& term : plan.terms) {
      if (term.is_prohibited == prohibited) write(term);
    }
  }

  void write(const PlannedTerm& term) {
    ListSource source{};
    ListUse use{};
    packed.clear();
    writer.write(index, term, plan.statistics_for(term, index.index.counts()), packed, source, use);
    use.flags = flags_of(term);
    if (source.flags & kPacked) {
      pad_list(packed.data(), source.size, raw);
      source.docids = reinterpret_cast<const std::uint8_t*>(device_raw);
      raw += kRawListEntries;
      device_raw += kRawListEntries;
    }
    *lists++ = make_list(source, index.tables, use);
  }
};

}  // namespace

void QueryLists::count(std::span<const PlannedQuery* const> plans) {
  begins_.clear();
  Begin next{};
  for (const PlannedQuery* plan : plans) {
    for (std::size_t s = 0; s < segments_.size(); ++s) {
      begins_.push_back(next);
      for (const PlannedTerm& term : plan_in(*plan, s).terms) {
        ++next.list;
        next.raw += is_packed(*segments_[s], term.entry) ? 1 : 0;
      }
    }
  }
  begins_.push_back(next);
}

QueryLists::Parts QueryLists::lay_out(void* begin) const {
  Arena arena(begin);
  Parts parts{};
  parts.lists = arena.take<List>(begins_.back().list);
  parts.queries = arena.take<SegmentQuery>(begins_.size() - 1);
  parts.raw = arena.take<std::uint32_t>(std::size_t{begins_.back().raw} * kRawListEntries);
  parts.image_bytes = arena.used();
  parts.tails = arena.take<std::uint8_t>(
      tails_bytes(segments_[0]->index.settings().codec.kind, begins_.back().list));
  parts.bytes = arena.used();
  return parts;
}

void QueryLists::write(std::span<const PlannedQuery* const> plans, const ScorerSettings& scorer,
                       const Parts& host, const Parts& device) const {
  const std::size_t slices = (plans.size() + kTakenAtATime - 1) / kTakenAtATime;
  threads_.for_each(slices, [&](std::size_t slice) {
    ListWriter writer(scorer);
    const std::size_t end = std::min(plans.size(), (slice + 1) * kTakenAtATime);
    for (std::size_t q = slice * kTakenAtATime; q < end; ++q) {
      writer.scorers().clear();
      for (std::size_t s = 0; s < segments_.size(); ++s) {
        const PlannedQuery& plan = plan_in(*plans[q], s);
        const std::size_t number = q * segments_.size() + s;
        const Begin& begin = begins_[number];
        const std::size_t raw = std::size_t{begin.raw} * kRawListEntries;
        SegmentWriter segment{writer,         *segments_[s],   plan, host.lists + begin.list,
                              host.raw + raw, device.raw + raw};
        segment.write(false);
        segment.write(true);
        const RoleCounts as_or = count_roles(plan, false);
        const RoleCounts as_and = count_roles(plan, true);
        host.queries[number] = {
            begin.list, as_or.scoring, as_or.prohibited, {as_or.is_empty, as_and.is_empty}};
      }
    }
  });
}

void QueryLists::upload(std::span<const PlannedQuery* const> plans, const ScorerSettings& scorer,
                        HybridBatch& batch, const Stream& stream) {
  count(plans);
  const Parts sizes = lay_out(nullptr);
  if (host_.size() < sizes.image_bytes) {
    host_ = PinnedBuffer();
    host_ = PinnedBuffer(sizes.image_bytes + sizes.image_bytes / 2);
  }
  if (image_.size() < sizes.bytes &&
      !image_.allocate(sizes.bytes + sizes.bytes / 2, memory_, device_) &&
      !image_.allocate(sizes.bytes, memory_, device_)) {
    throw Error("there is no GPU memory left for the lists of " + std::to_string(plans.size()) +
                " queries; give more, or ask for fewer at a time");
  }
  const Parts host = lay_out(host_.data());
  const Parts device = lay_out(image_.data());
  write(plans, scorer, host, device);
  copy_to_gpu(static_cast<std::uint8_t*>(image_.data()),
              static_cast<const std::uint8_t*>(host_.data()), sizes.image_bytes, stream);
  batch.lists = device.lists;
  batch.exception_tails = device.tails;
  batch.list_count = begins_.back().list;
  batch.segment_queries = device.queries;
  batch.query_count = static_cast<std::uint32_t>(plans.size());
  launch_parse_tails(batch, segments_[0]->index.settings().codec.kind, stream.handle());
}

}  // namespace warpdex::gpu
