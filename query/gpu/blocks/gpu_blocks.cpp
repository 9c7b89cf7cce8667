// Copies the parts of the blocks one behind the other, and where each list begins.
#include <string>

#include "gpu/blocks/block_batch.hpp"
#include "gpu/blocks/gpu_blocks_state.hpp"
#include "warpdex/core/cuda/arena.hpp"
#include "warpdex/core/cuda/copies.hpp"
#include "warpdex/core/cuda/device.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex {
namespace gpu {
namespace {

/// Where the parts of a segment's blocks begin in GPU memory, and the end.
std::vector<std::uint64_t> begins_of_parts(const DocumentBlocks& blocks) {
  std::vector<std::uint64_t> begins{0};
  for (const auto& part : blocks.parts())
    begins.push_back(begins.back() + aligned_piece(part.size()));
  if (begins.back() / kBlockListUnit > UINT32_MAX) {
    throw UsageError("blocks of documents of more than 32 GiB a segment do not go to a GPU");
  }
  return begins;
}

/// Of each list, in kBlockListUnit.
std::vector<std::uint32_t> begins_of_lists(const DocumentBlocks& blocks,
                                           const std::vector<std::uint64_t>& parts) {
  std::vector<std::uint32_t> begins(blocks.terms());
  for (std::uint32_t term = 0; term < begins.size(); ++term) {
    const DocumentBlocks::Place place = blocks.place(term);
    begins[term] = static_cast<std::uint32_t>((parts[place.part] + place.begin) / kBlockListUnit);
  }
  return begins;
}

}  // namespace

UploadedBlocks::UploadedBlocks(std::shared_ptr<const DocumentBlocks> from, Resources& resources)
    : blocks(std::move(from)) {
  const std::vector<std::uint64_t> parts = begins_of_parts(*blocks);
  const std::vector<std::uint32_t> all_begins = begins_of_lists(*blocks, parts);
  const std::size_t bytes = parts.back() + aligned_piece(all_begins.size() * sizeof(std::uint32_t));
  if (bytes > 0 && !memory.allocate(bytes, resources.memory(), resources.device())) {
    throw UsageError("there is no GPU memory left for " + std::to_string(bytes) +
                     " bytes of blocks of documents; allow more by --gpu-memory, or leave "
                     "--document-blocks out");
  }
  Arena arena(memory.data());
  auto* const to = arena.take<std::uint8_t>(parts.back());
  auto* const begins_to = arena.take<std::uint32_t>(all_begins.size());
  const CurrentDevice current(resources.device());
  const Stream stream(resources.device());
  for (std::size_t i = 0; i < blocks->parts().size(); ++i) {
    const std::vector<std::uint8_t>& part = blocks->parts()[i];
    copy_to_gpu(to + parts[i], part.data(), part.size(), stream);
  }
  if (!all_begins.empty()) {
    copy_to_gpu(begins_to, all_begins.data(), all_begins.size(), stream);
  }
  stream.synchronize();
  lists = to;
  begins = begins_to;
}

}  // namespace gpu

namespace {

std::shared_ptr<const gpu::UploadedBlocks> find_uploaded(
    const std::shared_ptr<const DocumentBlocks>& blocks, const GpuBlocks* before, int device) {
  const auto* const known = before != nullptr ? before->state().on(device) : nullptr;
  if (known == nullptr) return nullptr;
  for (const auto& each : *known) {
    if (each->blocks == blocks) return each;
  }
  return nullptr;
}

}  // namespace

GpuBlocks::GpuBlocks(const Snapshot& snapshot, const SnapshotBlocks& blocks,
                     std::span<Resources* const> gpus, const GpuBlocks* before) {
  auto state = std::make_unique<State>();
  for (Resources* const resources : gpus) {
    const auto [own, is_new] = state->gpus.try_emplace(resources->device());
    for (std::size_t i = 0; is_new && i < snapshot.segments().size(); ++i) {
      auto uploaded = find_uploaded(blocks.shared(i), before, resources->device());
      if (!uploaded) {
        uploaded = std::make_shared<const gpu::UploadedBlocks>(blocks.shared(i), *resources);
      }
      own->second.push_back(std::move(uploaded));
    }
  }
  state_ = std::move(state);
}

GpuBlocks::~GpuBlocks() = default;

std::size_t GpuBlocks::memory() const {
  std::size_t bytes = 0;
  for (const auto& [device, segments] : state_->gpus) {
    for (const auto& each : segments) bytes += each->memory.size();
  }
  return bytes;
}

}  // namespace warpdex
