// Uploads an index into one allocation, section by section, as many sections as fit. The others get
// page-locked copies on the host, and the rest of the GPU memory becomes a cache of lists.
#include "warpdex/query/gpu/gpu_index.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "gpu/index/gpu_index_state.hpp"
#include "gpu/index/length_tables.hpp"
#include "gpu/kernels/kernels.cuh"
#include "warpdex/core/cuda/check_internal.hpp"
#include "warpdex/core/cuda/device.hpp"
#include "warpdex/core/cuda/stream.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/parallel.hpp"
#include "warpdex/core/storage/check_sections.hpp"
#include "warpdex/query/gpu/exception_tables.hpp"

namespace warpdex {
namespace {

constexpr std::size_t kSectionAlignment = 256;

std::size_t aligned(std::size_t bytes) {
  return (bytes + kReadSlack + kSectionAlignment - 1) / kSectionAlignment * kSectionAlignment;
}

/// Scratch memory of all lanes together, at most: no batch needs more.
constexpr std::size_t kMaxScratch = std::size_t{5} << 30;
/// The least scratch memory that a part of a batch needs is never more than this.
constexpr std::size_t kMaxMinScratch = std::size_t{64} << 20;
/// Shares of the memory beside what is always resident. If all lists are resident, 1/8 must be left
/// as scratch memory; if not, 1/7 is taken for it, since lists can be read over the bus.
constexpr std::size_t kScratchShares = 8;
constexpr std::size_t kCachedScratchShares = 7;
/// Below kMuchScratch, 1/3 is scratch memory: many small parts of a batch cost more than reading
/// more lists over the bus.
constexpr std::size_t kMuchScratch = std::size_t{128} << 20;
constexpr std::size_t kScarceScratchShares = 3;
constexpr std::size_t kMaxCopyThreads = 8;

void check_fit(const DeviceInfo& gpu) {
  const std::string why = why_gpu_unfit(gpu);
  if (!why.empty()) throw CudaError(why, static_cast<int>(cudaErrorNotSupported));
}

std::size_t memory_limit(Resources& resources, const GpuIndexSettings& settings) {
  check_fit(device_info(resources.device()));
  const std::size_t left = resources.memory().left();
  return settings.memory != 0 ? std::min(settings.memory, left) : left;
}

/// Scratch memory for any one query: its candidates, its tables by tile, and the query itself.
std::size_t min_scratch(std::size_t documents) {
  constexpr std::size_t kMaxCandidates = 160'000;  // 16 for each of 10,000 documents
  const std::size_t tiles = documents / gpu::kTileDocuments + 2;
  return std::min((std::size_t{2} << 20) + 34 * std::min(documents, kMaxCandidates) +
                      (gpu::kMaxLists + 2) * tiles * 8 + documents / gpu::kAndBlocks / 16 +
                      8 * (documents / kBlockSize),
                  kMaxMinScratch);
}

/// Scratch memory where not all lists are resident, of the memory beside what is.
std::size_t cached_scratch(std::size_t memory) {
  return std::max(memory / kCachedScratchShares,
                  std::min(memory / kScarceScratchShares, kMuchScratch));
}

std::string mebibytes(std::size_t bytes) {
  return std::to_string((bytes + (std::size_t{1} << 20) - 1) >> 20) + " MiB";
}

}  // namespace

/// Bytes on the host, and the pointer that shall point to their copy on the GPU.
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
                       const GpuIndexSettings& settings, std::uint32_t first)
    : PlacedIndex(uploaded) {
  first_document = first;
  device = resources.device();
  codec_kind = index.settings().codec.kind;
  documents = index.counts().documents;
  documents_of_segments = {documents};
  document_end = first + static_cast<std::uint32_t>(documents);
  budget = std::make_unique<MemoryBudget>(memory_limit(resources, settings), &resources.memory());
  check_before_upload(index, [](const std::string& /*name*/) { return true; });
  const IndexSections& sections = index.sections();
  const gpu::LengthTables of_lengths = gpu::make_length_tables(index);
  const gpu::ExceptionTables exceptions = gpu::make_exception_tables(index);
  docids.flat_starts = exceptions.docids.flat_starts;
  frequencies.flat_starts = exceptions.frequencies.flat_starts;
  // In the order in which they get GPU memory: what is read most comes first.
  const std::vector<Part> parts{
      {std::span(of_lengths.codes), lengths.codes},
      {std::span(of_lengths.remainders), lengths.remainders},
      {std::span(of_lengths.long_bases), lengths.long_bases},
      {std::span(of_lengths.long_lengths), lengths.long_lengths},
      {sections.static_scores, static_scores},
      {sections.static_bounds, static_bounds},  // the first kNeeded parts end here
      {sections.range_bounds, range_bounds},
      {sections.block_last_docids, last_docids},
      {sections.block_bounds, bounds},
      {sections.docid_codes, docids.codes},
      {sections.docid_offsets, docids.offsets},
      {sections.docid_bases, docids.bases},
      {std::span(exceptions.docids.entries), docids.exceptions},
      {std::span(exceptions.docids.bases), docids.exception_bases},
      {std::span(exceptions.docids.flat_tails), docids.flat_tails},
      {sections.frequency_codes, frequencies.codes},
      {sections.frequency_offsets, frequencies.offsets},
      {sections.frequency_bases, frequencies.bases},
      {std::span(exceptions.frequencies.entries), frequencies.exceptions},
      {std::span(exceptions.frequencies.bases), frequencies.exception_bases},
      {std::span(exceptions.frequencies.flat_tails), frequencies.flat_tails},
      {sections.docids, docids.bytes},  // the last kEncoded parts: cached list by list if there is
                                        // no room for both
      {sections.frequencies, frequencies.bytes},
  };
  const std::span<const Part> all(parts);
  const std::size_t resident = take_memory(all);
  if (settings.scratch != 0) {
    scratch = std::min(scratch, std::max(settings.scratch, min_scratch(index.counts().documents)));
  }
  upload(all.first(resident));
  if (resident < all.size()) {
    // Reserve all that may be page-locked, until it is known how much is needed.
    host_memory = Reservation(resources.host_memory(), resources.host_memory().left());
    std::size_t left = host_memory.bytes();
    const auto others = all.subspan(resident, all.size() - kEncoded - resident);
    // Without these sections, no kernel can read a list, and the CPU answers.
    const bool are_readable = copy_to_host(others, left);
    host_lists = std::make_unique<gpu::HostLists>(index, are_readable ? left : 0, device);
    const std::size_t on_gpu = budget->left();
    cache = std::make_unique<gpu::ListCache>(
        index, *host_lists, are_readable ? on_gpu - std::min(on_gpu, scratch) : 0, *budget, device);
    host_memory.shrink(host_memory.bytes() - left + host_lists->bytes());
  }
  if (cache == nullptr) upload_raw_lists();
  long_documents = of_lengths.long_lengths.size();
  lengths.field_stride = of_lengths.field_stride;
  longest_document = of_lengths.longest;
  shift_docids();
  shift_tables();
  set_list_tables();
  for (const float bound : sections.static_bounds) largest_static = std::max(largest_static, bound);
  keep_filters(first_document, tiles());
}

/// Allocates memory for as many parts, in order, as fit beside scratch memory. The last kEncoded
/// parts are all resident or none. Returns the number of parts.
std::size_t GpuIndex::State::take_memory(std::span<const Part> parts) {
  const std::size_t limit = budget->limit();
  const std::size_t needed = Part::sum(parts.first(kNeeded));
  const std::size_t min_bytes = min_scratch(index.counts().documents);
  if (needed + min_bytes > limit) {
    throw UsageError("this index needs " + mebibytes(needed + min_bytes) +
                     " of GPU memory at least, more than the " + mebibytes(limit) +
                     " that it may take; allow more by --gpu-memory");
  }
  const std::size_t all = Part::sum(parts);
  scratch = std::clamp((limit - needed) / kScratchShares, min_bytes, kMaxScratch);
  if (all + scratch <= limit && bytes.allocate(all, *budget, device)) {
    scratch = limit - all;
    return parts.size();
  }
  scratch = std::clamp(cached_scratch(limit - needed), min_bytes, kMaxScratch);
  for (std::size_t count = parts.size() - kEncoded; count >= kNeeded; --count) {
    const std::size_t sum = Part::sum(parts.first(count));
    if (sum + scratch <= limit && bytes.allocate(sum, *budget, device)) return count;
  }
  throw UsageError("this index needs " + mebibytes(needed + min_bytes) +
                   " of GPU memory at least, and the GPU has less free; stop what else runs on "
                   "it, or search on the CPU");
}

void GpuIndex::State::upload(std::span<const Part> parts) {
  const Stream stream(device);
  bytes.buffer().fill(0, stream);
  std::size_t offset = 0;
  for (const Part& each : parts) {
    // A block may have no bytes: an empty section still gets an address and slack behind it.
    if (!each.bytes.empty()) bytes.buffer().upload(each.bytes, stream, offset);
    *each.target = static_cast<const std::uint8_t*>(bytes.data()) + offset;
    offset += aligned(each.bytes.size());
  }
  stream.synchronize();
}

/// Copies the parts to page-locked memory. Reduces `left`, the bytes that may be page-locked, by
/// what they take. If there is too little, copies nothing and returns false.
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
  parallel_for(std::min(default_threads(), kMaxCopyThreads), parts.size(),
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

/// Turns the last docIDs of all blocks into spaced ones.
void GpuIndex::State::shift_docids() {
  const std::size_t blocks = index.sections().block_last_docids.size();
  if (first_document == 0 || blocks == 0) return;
  const Stream stream(device);
  const CurrentDevice current(device);
  gpu::launch_add(const_cast<std::uint32_t*>(last_docids), blocks, first_document, stream.handle());
  stream.synchronize();
}

/// Lets the tables by docID start at document 0.
void GpuIndex::State::shift_tables() {
  lengths.codes -= first_document;
  lengths.remainders -= first_document;
  lengths.long_bases -= first_document / gpu::kLengthGroup;
  const bool has_static = !index.sections().static_scores.empty();
  static_scores = has_static ? static_scores - first_document : nullptr;
  static_bounds = has_static ? static_bounds - first_document / kStaticWindow : nullptr;
}

/// Kernels know tails of one level.
void GpuIndex::State::set_list_tables() {
  const CodecSettings& codec = index.settings().codec;
  has_flat_tails = codec.kind == CodecKind::kPfor && codec.pfor_levels > 1;
  tables.docids = docids;
  tables.frequencies = frequencies;
  tables.last_docids = last_docids;
  tables.bounds = bounds;
  tables.range_bounds = range_bounds - first_tile();
  tables.ranges = static_cast<std::uint32_t>(range_count(index.counts().documents));
  tables.first_document = first_document;
  tables.levels = has_flat_tails ? std::uint8_t{1} : codec.pfor_levels;
}

void GpuIndex::State::place(const PostingsEntry& entry, gpu::ListSource& list) const {
  const gpu::EncodedBytes encoded =
      cache ? cache->find(entry)
            : gpu::EncodedBytes{docids.bytes + entry.docid_offset,
                                frequencies.bytes + entry.frequency_offset};
  list.docids = encoded.docids;
  list.frequencies = encoded.frequencies;
  list.docid_tail = entry.docid_bytes - entry.docid_tail_bytes;
  list.frequency_tail = entry.frequency_bytes - entry.frequency_tail_bytes;
  if (!has_flat_tails) return;
  const auto flatten = [&](const Values& values, std::uint32_t& tail, std::uint16_t flag) {
    const auto flat = values.flat_starts.find(entry.first_block);
    if (flat == values.flat_starts.end()) return;
    tail = static_cast<std::uint32_t>(flat->second / gpu::kFlatTailUnit);
    list.flags |= flag;
  };
  flatten(docids, list.docid_tail, gpu::kFlatDocidTail);
  flatten(frequencies, list.frequency_tail, gpu::kFlatFrequencyTail);
}

GpuIndex::GpuIndex(const Index& index, Resources& resources, const GpuIndexSettings& settings)
    : state_(std::make_unique<State>(index, resources, settings)) {}
GpuIndex::GpuIndex(GpuIndex&&) noexcept = default;
GpuIndex& GpuIndex::operator=(GpuIndex&&) noexcept = default;
GpuIndex::~GpuIndex() = default;

const Index& GpuIndex::index() const { return state_->index; }
int GpuIndex::device() const { return state_->device; }
bool GpuIndex::is_resident() const { return state_->cache == nullptr; }
bool GpuIndex::has_list(const PostingsEntry& list) const { return state_->has_list(list); }
std::size_t GpuIndex::memory() const { return state_->memory(); }
std::size_t GpuIndex::memory_left() const { return state_->budget->left(); }

}  // namespace warpdex
