// Uploads an index: one allocation, section after section.
#include "warpdex/query/gpu/gpu_index.hpp"

#include <algorithm>
#include <atomic>
#include <string>
#include <vector>

#include "warpdex/core/cuda/device.hpp"
#include "warpdex/core/cuda/stream.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/parallel.hpp"
#include "warpdex/query/gpu/gpu_index_state.hpp"
#include "warpdex/query/gpu/length_codes.hpp"

namespace warpdex {
namespace {

constexpr std::size_t kAlignment = 256;

std::size_t aligned(std::size_t bytes) {
  return (bytes + kReadSlack + kAlignment - 1) / kAlignment * kAlignment;
}

/// Host bytes and the pointer that is to point to them on the GPU.
struct Part {
  std::span<const std::uint8_t> bytes;
  const void** target;
};

template <typename T>
Part part(std::span<const T> values, const T*& target) {
  return {{reinterpret_cast<const std::uint8_t*>(values.data()), values.size_bytes()},
          reinterpret_cast<const void**>(&target)};
}

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

}  // namespace

GpuIndex::State::State(const Index& uploaded, const GpuSettings& settings)
    : index(uploaded), device(settings.device), memory_limit(::warpdex::memory_limit(settings)) {
  check_sections(index);
  const IndexSections& sections = index.sections();
  const std::vector<std::uint8_t> codes = make_length_codes(sections.document_lengths);
  const Part parts[] = {
      part(sections.block_last_docids, last_docids),
      part(sections.docid_bases, docid_bases),
      part(sections.docid_offsets, docid_offsets),
      part(sections.docid_codes, docid_codes),
      part(sections.docids, docids),
      part(sections.frequency_bases, frequency_bases),
      part(sections.frequency_offsets, frequency_offsets),
      part(sections.frequency_codes, frequency_codes),
      part(sections.frequencies, frequencies),
      part(sections.block_bounds, bounds),
      part(sections.range_bounds, range_bounds),
      part(sections.document_lengths, lengths),
      part(std::span<const std::uint8_t>(codes), length_codes),
      part(sections.static_scores, static_scores),
      part(sections.static_bounds, static_bounds),
  };
  std::size_t total = 0;
  for (const Part& each : parts) total += aligned(each.bytes.size());
  if (total > memory_limit) {
    throw UsageError("the index takes " + std::to_string(total >> 20) +
                     " MiB of GPU memory, more than the " + std::to_string(memory_limit >> 20) +
                     " MiB that it may; allow more by --gpu-memory");
  }
  bytes = DeviceBuffer(total, device);
  const Stream stream(device);
  bytes.fill(0, stream);
  std::size_t offset = 0;
  for (const Part& each : parts) {
    // Blocks may be of no bytes: an empty section has a place, too, and slack to read.
    if (!each.bytes.empty()) bytes.upload(each.bytes, stream, offset);
    *each.target = static_cast<const std::uint8_t*>(bytes.data()) + offset;
    offset += aligned(each.bytes.size());
  }
  stream.synchronize();
  if (sections.static_scores.empty()) {
    static_scores = nullptr;
    static_bounds = nullptr;
  }
  for (const std::uint32_t length : sections.document_lengths) {
    longest_document = std::max(longest_document, length);
  }
  for (const float bound : sections.static_bounds) largest_static = std::max(largest_static, bound);
}

void GpuIndex::State::place(const PostingsEntry& entry, gpu::List& list) const {
  const std::uint8_t levels = index.settings().codec.pfor_levels;
  list.docids = {docids + entry.docid_offset,
                 docid_offsets + entry.first_block,
                 docid_bases + entry.first_base,
                 docid_codes + entry.first_block,
                 entry.document_frequency,
                 entry.docid_bytes - entry.docid_tail_bytes,
                 entry.docid_parameter,
                 levels};
  list.frequencies = {frequencies + entry.frequency_offset,
                      frequency_offsets + entry.first_block,
                      frequency_bases + entry.first_base,
                      frequency_codes + entry.first_block,
                      entry.document_frequency,
                      entry.frequency_bytes - entry.frequency_tail_bytes,
                      entry.frequency_parameter,
                      levels};
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
std::size_t GpuIndex::memory() const { return state_->bytes.size(); }
std::size_t GpuIndex::memory_left() const { return state_->memory_limit - state_->bytes.size(); }

}  // namespace warpdex
