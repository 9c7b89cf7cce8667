// Uploads an index: one allocation, section after section; where the lists do not fit, without
// them, and the rest of the memory is their cache.
#include "warpdex/query/gpu/gpu_index.hpp"

#include <algorithm>
#include <atomic>
#include <string>
#include <vector>

#include "warpdex/core/cuda/device.hpp"
#include "warpdex/core/cuda/stream.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/parallel.hpp"
#include "warpdex/query/gpu/exception_tables.hpp"
#include "warpdex/query/gpu/gpu_index_state.hpp"
#include "warpdex/query/gpu/length_codes.hpp"
#include "warpdex/query/gpu/list_image.hpp"

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

/// One byte a document, padded to whole tiles.
std::vector<std::uint8_t> make_length_codes(std::span<const std::uint32_t> lengths) {
  const std::size_t tiles = (lengths.size() + gpu::kTileDocuments - 1) / gpu::kTileDocuments;
  std::vector<std::uint8_t> codes(tiles * gpu::kTileDocuments);
  parallel_for(0, tiles, [&](std::size_t, std::size_t tile) {
    const std::size_t begin = tile * gpu::kTileDocuments;
    const std::size_t end = std::min<std::size_t>(begin + gpu::kTileDocuments, lengths.size());
    for (std::size_t i = begin; i < end; ++i) codes[i] = gpu::encode_length(lengths[i]);
  });
  return codes;
}

std::size_t memory_limit(const GpuSettings& settings) {
  if (settings.memory != 0) return settings.memory;
  return device_info(settings.device).free_memory / 10 * 9;
}

/// Enough for any one query: its candidates, tables of tiles and uploads.
std::size_t least_scratch(std::size_t documents) {
  constexpr std::size_t kMostCandidates = 160'000;  // 16 for each of 10,000 documents
  const std::size_t tiles = documents / gpu::kTileDocuments + 2;
  return std::min((std::size_t{2} << 20) + 34 * std::min(documents, kMostCandidates) +
                      (gpu::kMostLists + 2) * tiles * 8 + documents / gpu::kAndBlocks / 16 +
                      8 * (documents / kBlockSize),
                  kLeastScratch);
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
  static std::size_t sum(const std::vector<Part>& parts) {
    std::size_t total = 0;
    for (const Part& each : parts) total += aligned(each.bytes.size());
    return total;
  }

  std::span<const std::uint8_t> bytes;
  const void** target;
};

GpuIndex::State::State(const Index& uploaded, const GpuSettings& settings)
    : index(uploaded),
      device(settings.device),
      budget(std::make_unique<MemoryBudget>(memory_limit(settings))) {
  check_sections(index);
  const IndexSections& sections = index.sections();
  const std::vector<std::uint8_t> codes = make_length_codes(sections.document_lengths);
  const gpu::ExceptionTables exceptions = gpu::make_exception_tables(index);
  std::vector<Part> parts{
      {sections.document_lengths, lengths},
      {std::span<const std::uint8_t>(codes), length_codes},
      {sections.static_scores, static_scores},
      {sections.static_bounds, static_bounds},
      {std::span(exceptions.docids.entries), docid_exceptions},
      {std::span(exceptions.docids.bases), docid_exception_bases},
      {std::span(exceptions.frequencies.entries), frequency_exceptions},
      {std::span(exceptions.frequencies.bases), frequency_exception_bases},
  };
  const std::size_t resident = Part::sum(parts);
  const std::size_t least = least_scratch(sections.document_lengths.size());
  const std::size_t limit = budget->limit();
  if (resident + least > limit) {
    throw UsageError("this index needs " + mebibytes(resident + least) +
                     " of GPU memory at least, more than the " + mebibytes(limit) +
                     " that it may take; allow more by --gpu-memory");
  }
  scratch = std::clamp((limit - resident) / 8, least, kMostScratch);
  const std::vector<Part> lists{
      {sections.block_last_docids, last_docids},
      {sections.docid_bases, docid_bases},
      {sections.docid_offsets, docid_offsets},
      {sections.docid_codes, docid_codes},
      {sections.docids, docids},
      {sections.frequency_bases, frequency_bases},
      {sections.frequency_offsets, frequency_offsets},
      {sections.frequency_codes, frequency_codes},
      {sections.frequencies, frequencies},
      {sections.block_bounds, bounds},
      {sections.range_bounds, range_bounds},
  };
  const std::size_t all = resident + Part::sum(lists);
  if (all + scratch <= limit && bytes.allocate(all, *budget, device)) {
    parts.insert(parts.end(), lists.begin(), lists.end());
    scratch = limit - all;
  } else if (!bytes.allocate(resident, *budget, device)) {
    throw UsageError("this index needs " + mebibytes(resident + least) +
                     " of GPU memory at least, and the GPU has less free; stop what else runs on "
                     "it, or search on the CPU");
  } else {
    cache = std::make_unique<gpu::ListCache>(limit - resident - scratch, *budget, device);
    pinned = std::make_unique<gpu::PinnedListStore>();
  }
  upload(parts);
  if (sections.static_scores.empty()) {
    static_scores = nullptr;
    static_bounds = nullptr;
  }
  for (const std::uint32_t length : sections.document_lengths) {
    longest_document = std::max(longest_document, length);
  }
  for (const float bound : sections.static_bounds) largest_static = std::max(largest_static, bound);
}

void GpuIndex::State::upload(const std::vector<Part>& parts) {
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

std::size_t GpuIndex::State::scratch_share() const {
  return scratch / std::max<std::size_t>(searchers, 1);
}

void GpuIndex::State::place(const PostingsEntry& entry, gpu::List& list) const {
  gpu::describe_list(index, entry, list);
  list.docids.exceptions = docid_exceptions + entry.first_block;
  list.docids.exception_bases = docid_exception_bases + entry.first_base;
  list.frequencies.exceptions = frequency_exceptions + entry.first_block;
  list.frequencies.exception_bases = frequency_exception_bases + entry.first_base;
  if (cache) return gpu::ListImage(index, entry).place(cache->address(entry.first_block), list);
  list.docids.bytes = docids + entry.docid_offset;
  list.docids.offsets = docid_offsets + entry.first_block;
  list.docids.bases = docid_bases + entry.first_base;
  list.docids.codes = docid_codes + entry.first_block;
  list.frequencies.bytes = frequencies + entry.frequency_offset;
  list.frequencies.offsets = frequency_offsets + entry.first_block;
  list.frequencies.bases = frequency_bases + entry.first_base;
  list.frequencies.codes = frequency_codes + entry.first_block;
  list.last_docids = last_docids + entry.first_block;
  list.bounds = bounds + entry.first_block;
  if (entry.frequent_list != PostingsEntry::kNotFrequent) {
    list.range_bounds = range_bounds + entry.frequent_list * range_count(index.counts().documents);
  }
}

GpuIndex::GpuIndex(const Index& index, const GpuSettings& settings)
    : state_(std::make_unique<State>(index, settings)) {}
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
