// Uploads an index: one allocation, section after section, as many as fit. Of the others the host
// keeps page-locked copies, and the rest of the memory is a cache of lists.
#include "warpdex/query/gpu/gpu_index.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <string>
#include <vector>

#include "gpu/index/exception_tables.hpp"
#include "gpu/index/gpu_index_state.hpp"
#include "gpu/index/length_tables.hpp"
#include "warpdex/core/cuda/check_internal.hpp"
#include "warpdex/core/cuda/device.hpp"
#include "warpdex/core/cuda/stream.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/parallel.hpp"

namespace warpdex {
namespace {

constexpr std::size_t kAlignment = 256;

std::size_t aligned(std::size_t bytes) {
  return (bytes + kReadSlack + kAlignment - 1) / kAlignment * kAlignment;
}

/// What searchers may be given at most: a batch of theirs takes no more.
constexpr std::size_t kMostScratch = std::size_t{5} << 30;
/// What a part of a batch needs at least is never more than this.
constexpr std::size_t kLeastScratch = std::size_t{64} << 20;
/// Parts of the memory beside what is always resident: one must be left for scratch where all lists
/// are resident; it is one of fewer where they are not, as then lists can still be read.
constexpr std::size_t kScratchShares = 8;
constexpr std::size_t kCachedScratchShares = 7;
/// Below this, one of so many: a batch in many small parts is slower than one that reads more lists
/// over the bus.
constexpr std::size_t kMuchScratch = std::size_t{128} << 20;
constexpr std::size_t kScarceScratchShares = 3;
constexpr std::size_t kMostCopyThreads = 8;

void check_sections(const Index& index) {
  const auto& infos = index.section_infos();
  std::atomic<std::size_t> damaged = infos.size();
  parallel_for(0, infos.size(), [&](std::size_t, std::size_t i) {
    if (!index.section_intact(i)) damaged = i;
  });
  if (damaged < infos.size()) {
    throw FormatError("the index '" + index.folder().string() + "' is damaged (section '" +
                      infos[damaged].name +
                      "' does not match its checksum) and was not uploaded; restore it or build it "
                      "again");
  }
}

void check_fit(const DeviceInfo& gpu) {
  const std::string why = why_gpu_unfit(gpu);
  if (!why.empty()) throw CudaError(why, static_cast<int>(cudaErrorNotSupported));
}

std::size_t memory_limit(Resources& resources, const GpuIndexSettings& settings) {
  check_fit(device_info(resources.device()));
  const std::size_t left = resources.memory().left();
  return settings.memory != 0 ? std::min(settings.memory, left) : left;
}

/// Enough for any one query: its candidates, tables of tiles and itself.
std::size_t least_scratch(std::size_t documents) {
  constexpr std::size_t kMostCandidates = 160'000;  // 16 for each of 10,000 documents
  const std::size_t tiles = documents / gpu::kTileDocuments + 2;
  return std::min((std::size_t{2} << 20) + 34 * std::min(documents, kMostCandidates) +
                      (gpu::kMostLists + 2) * tiles * 8 + documents / gpu::kAndBlocks / 16 +
                      8 * (documents / kBlockSize),
                  kLeastScratch);
}

/// Of the memory beside what is always resident, where not all lists are.
std::size_t cached_scratch(std::size_t memory) {
  return std::max(memory / kCachedScratchShares,
                  std::min(memory / kScarceScratchShares, kMuchScratch));
}

std::string mebibytes(std::size_t bytes) {
  return std::to_string((bytes + (std::size_t{1} << 20) - 1) >> 20) + " MiB";
}

}  // namespace

/// Host bytes and the pointer that is to point to them on the GPU.
struct GpuIndex::State::Part {
  template <typename T>
  Part(std::span<const T> values, const T*& pointer)
      : bytes(reinterpret_cast<const std::uint8_t*>(values.data()), values.size_bytes()),
        target(reinterpret_cast<const void**>(&pointer)) {}

  /// Bytes that the parts take on the GPU.
  static std::size_t sum(std::span<const Part> parts) {
    std::size_t total = 0;
    for (const Part& each : parts) total += aligned(each.bytes.size());
    return total;
  }

  std::span<const std::uint8_t> bytes;
  const void** target;
};

/// The first parts are what every query needs; the last are lists' encoded bytes.
constexpr std::size_t kNeeded = 6;
constexpr std::size_t kEncoded = 2;

GpuIndex::State::State(const Index& uploaded, Resources& resources,
                       const GpuIndexSettings& settings)
    : PlacedIndex(uploaded),
      device(resources.device()),
      budget(
          std::make_unique<MemoryBudget>(memory_limit(resources, settings), &resources.memory())) {
  check_sections(index);
  const IndexSections& sections = index.sections();
  const gpu::LengthTables of_lengths = gpu::make_length_tables(sections.document_lengths);
  const gpu::ExceptionTables exceptions = gpu::make_exception_tables(index);
  // In the order in which they are given GPU memory: what is read most comes first.
  const std::vector<Part> parts{
      {std::span(of_lengths.codes), lengths.codes},
      {std::span(of_lengths.rests), lengths.rests},
      {std::span(of_lengths.long_bases), lengths.long_bases},
      {std::span(of_lengths.long_lengths), lengths.long_lengths},
      {sections.static_scores, static_scores},
      {sections.static_bounds, static_bounds},  // kNeeded, so far
      {sections.range_bounds, range_bounds},
      {sections.block_last_docids, last_docids},
      {sections.block_bounds, bounds},
      {sections.docid_codes, docid_codes},
      {sections.docid_offsets, docid_offsets},
      {sections.docid_bases, docid_bases},
      {std::span(exceptions.docids.entries), docid_exceptions},
      {std::span(exceptions.docids.bases), docid_exception_bases},
      {sections.frequency_codes, frequency_codes},
      {sections.frequency_offsets, frequency_offsets},
      {sections.frequency_bases, frequency_bases},
      {std::span(exceptions.frequencies.entries), frequency_exceptions},
      {std::span(exceptions.frequencies.bases), frequency_exception_bases},
      {sections.docids, docids},  // kEncoded: by list, if there is no room for all
      {sections.frequencies, frequencies},
  };
  const std::span<const Part> all(parts);
  const std::size_t resident = take_memory(all);
  upload(all.first(resident));
  if (resident < all.size()) {
    // All that may be locked, until it is known how much of it is needed.
    host_memory = Reservation(resources.host_memory(), resources.host_memory().left());
    std::size_t left = host_memory.bytes();
    const auto others = all.subspan(resident, all.size() - kEncoded - resident);
    // Without these, no kernel can read a list, and the CPU answers.
    const bool are_readable = copy_to_host(others, left);
    host_lists = std::make_unique<gpu::HostLists>(index, are_readable ? left : 0, device);
    cache = std::make_unique<gpu::ListCache>(
        index, *host_lists, are_readable ? budget->left() - scratch : 0, *budget, device);
    host_memory.shrink(host_memory.bytes() - left + host_lists->bytes());
  }
  if (sections.static_scores.empty()) {
    static_scores = nullptr;
    static_bounds = nullptr;
  }
  for (const std::uint32_t length : sections.document_lengths) {
    longest_document = std::max(longest_document, length);
  }
  for (const float bound : sections.static_bounds) largest_static = std::max(largest_static, bound);
}

/// Takes memory for as many parts, in their order, as there is room for beside scratch memory: all,
/// or none of those kEncoded. Returns how many.
std::size_t GpuIndex::State::take_memory(std::span<const Part> parts) {
  const std::size_t limit = budget->limit();
  const std::size_t needed = Part::sum(parts.first(kNeeded));
  const std::size_t least = least_scratch(index.counts().documents);
  if (needed + least > limit) {
    throw UsageError("this index needs " + mebibytes(needed + least) +
                     " of GPU memory at least, more than the " + mebibytes(limit) +
                     " that it may take; allow more by --gpu-memory");
  }
  const std::size_t all = Part::sum(parts);
  scratch = std::clamp((limit - needed) / kScratchShares, least, kMostScratch);
  if (all + scratch <= limit && bytes.allocate(all, *budget, device)) {
    scratch = limit - all;
    return parts.size();
  }
  scratch = std::clamp(cached_scratch(limit - needed), least, kMostScratch);
  for (std::size_t count = parts.size() - kEncoded; count >= kNeeded; --count) {
    const std::size_t sum = Part::sum(parts.first(count));
    if (sum + scratch <= limit && bytes.allocate(sum, *budget, device)) return count;
  }
  throw UsageError("this index needs " + mebibytes(needed + least) +
                   " of GPU memory at least, and the GPU has less free; stop what else runs on "
                   "it, or search on the CPU");
}

void GpuIndex::State::upload(std::span<const Part> parts) {
  const Stream stream(device);
  bytes.buffer().fill(0, stream);
  std::size_t offset = 0;
  for (const Part& each : parts) {
    // Blocks may be of no bytes: an empty section has a place, too, and slack to read.
    if (!each.bytes.empty()) bytes.buffer().upload(each.bytes, stream, offset);
    *each.target = static_cast<const std::uint8_t*>(bytes.data()) + offset;
    offset += aligned(each.bytes.size());
  }
  stream.synchronize();
}

/// Copies the parts to page-locked memory, `left` bytes of it at most, and takes from `left` what
/// they need. False, and there are no copies, if there is not so much.
bool GpuIndex::State::copy_to_host(std::span<const Part> parts, std::size_t& left) {
  const std::size_t needed = Part::sum(parts);
  if (needed > left) return false;
  try {
    const CurrentDevice current(device);
    for (const Part& each : parts) host_sections.emplace_back(aligned(each.bytes.size()));
  } catch (const CudaError&) {
    host_sections.clear();
    return false;
  }
  parallel_for(std::min(default_threads(), kMostCopyThreads), parts.size(),
               [&](std::size_t, std::size_t i) {
                 const std::span<const std::uint8_t> from = parts[i].bytes;
                 const PinnedBuffer& copy = host_sections[i];
                 auto* const to = static_cast<std::uint8_t*>(copy.data());
                 std::copy(from.begin(), from.end(), to);
                 std::fill(to + from.size(), to + copy.size(), std::uint8_t{0});
                 *parts[i].target = copy.device_data();
               });
  left -= needed;
  return true;
}

std::size_t GpuIndex::State::scratch_share() const {
  return scratch / std::max<std::size_t>(searchers, 1);
}

void GpuIndex::State::place(const PostingsEntry& entry, gpu::List& list) const {
  const gpu::EncodedBytes encoded =
      cache ? cache->find(entry)
            : gpu::EncodedBytes{docids + entry.docid_offset, frequencies + entry.frequency_offset};
  const std::uint8_t levels = index.settings().codec.pfor_levels;
  list.docids = {.bytes = encoded.docids,
                 .offsets = docid_offsets + entry.first_block,
                 .bases = docid_bases + entry.first_base,
                 .codes = docid_codes + entry.first_block,
                 .exceptions = docid_exceptions + entry.first_block,
                 .exception_bases = docid_exception_bases + entry.first_base,
                 .count = entry.document_frequency,
                 .tail_offset = entry.docid_bytes - entry.docid_tail_bytes,
                 .parameter = entry.docid_parameter,
                 .levels = levels};
  list.frequencies = {.bytes = encoded.frequencies,
                      .offsets = frequency_offsets + entry.first_block,
                      .bases = frequency_bases + entry.first_base,
                      .codes = frequency_codes + entry.first_block,
                      .exceptions = frequency_exceptions + entry.first_block,
                      .exception_bases = frequency_exception_bases + entry.first_base,
                      .count = entry.document_frequency,
                      .tail_offset = entry.frequency_bytes - entry.frequency_tail_bytes,
                      .parameter = entry.frequency_parameter,
                      .levels = levels};
  list.last_docids = last_docids + entry.first_block;
  list.bounds = bounds + entry.first_block;
  if (entry.frequent_list != PostingsEntry::kNotFrequent) {
    list.range_bounds = range_bounds + entry.frequent_list * range_count(index.counts().documents);
  }
}

GpuIndex::GpuIndex(const Index& index, Resources& resources, const GpuIndexSettings& settings)
    : state_(std::make_unique<State>(index, resources, settings)) {}
GpuIndex::GpuIndex(GpuIndex&&) noexcept = default;
GpuIndex& GpuIndex::operator=(GpuIndex&&) noexcept = default;
GpuIndex::~GpuIndex() = default;

const Index& GpuIndex::index() const { return state_->index; }
int GpuIndex::device() const { return state_->device; }
bool GpuIndex::is_resident() const { return state_->cache == nullptr; }
std::size_t GpuIndex::memory() const {
  return state_->bytes.size() + (state_->cache ? state_->cache->capacity() : 0);
}
std::size_t GpuIndex::memory_left() const { return state_->budget->left(); }

}  // namespace warpdex
