// Rows to codes on a GPU, block by block.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "lists/build/gpu/block_input.hpp"
#include "lists/build/gpu/gpu_builder.hpp"
#include "pq/code_groups.hpp"
#include "warpdex/core/cuda/check_internal.hpp"
#include "warpdex/core/cuda/memory_budget.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::vector {

/// Takes memory for as many groups at a time as fit, of so many in all; returns them.
/// lay_out(groups, memory) lays them out, or measures them where the memory is null. Throws Error
/// where not even one fits.
template <class LayOut>
std::size_t take_block_memory(std::size_t groups, std::size_t dimension, Resources& resources,
                              AccountedBuffer& memory, const LayOut& lay_out) {
  std::size_t some =
      std::clamp<std::size_t>(kBlockBytes / (kGroupVectors * dimension * sizeof(float)), 1, groups);
  for (;; some /= 2) {
    const std::size_t bytes = lay_out(some, nullptr);
    if (memory.allocate(bytes, resources.memory(), resources.device())) break;
    if (some > 1) continue;
    throw Error("encoding vectors needs " + std::to_string((bytes >> 20) + 1) +
                " MiB of GPU memory, and " + std::to_string(resources.memory().left() >> 20) +
                " MiB are left; give more");
  }
  lay_out(some, memory.data());
  return some;
}

/// What is encoded, and how much of it at a time.
struct EncodedItems {
  std::size_t count;
  std::size_t of_block;
  std::size_t bytes;  ///< that the host sends of each
};

/// Encodes all items. `state` is GpuSteps::State. fill(first, count, buffer) writes what the host
/// sends of some; the encoder has input(block), where that goes, result_bytes(count), and
/// encode(block, count, results), which queues the work and the copy of its results; take(first,
/// count, results) gets these in order.
template <class State, class Encoder, class Fill, class Take>
void encode_blocks(State& state, const Encoder& encoder, const EncodedItems& items,
                   const Fill& fill, const Take& take) {
  const StreamEnd end(state.stream);
  state.rows.reserve(items.of_block * items.bytes);
  state.results.reserve(encoder.result_bytes(items.of_block));
  const auto first_of = [&](std::size_t block) { return block * items.of_block; };
  const auto size_of = [&](std::size_t block) {
    return std::min(items.of_block, items.count - first_of(block));
  };
  const auto results_of = [&](std::size_t block) {
    return static_cast<std::uint8_t*>(state.results.buffer(block));
  };
  const auto start = [&](std::size_t block) {
    fill(first_of(block), size_of(block), state.rows.buffer(block));
    state.rows.send(block, encoder.input(block), size_of(block) * items.bytes);
  };
  const auto process = [&](std::size_t block) {
    state.rows.await(block, state.stream);
    encoder.encode(block, size_of(block), results_of(block));
    state.rows.release(block, state.stream);
    state.results.record(block, state.stream);
  };
  const auto collect = [&](std::size_t block) {
    state.results.await(block);
    take(first_of(block), size_of(block), results_of(block));
  };
  run_blocks((items.count + items.of_block - 1) / items.of_block, start, process, collect);
}

/// Encodes all groups of lists, whose encoder also has block_groups() and
/// read(first, count, results).
template <class State, class Encoder>
void encode_list_blocks(State& state, const Encoder& encoder, const VectorView& rows,
                        const ListGroups& groups, const BlockSink& sink) {
  encode_blocks(
      state, encoder,
      {groups.count(), encoder.block_groups(), BlockInput::bytes(1, rows.dimension)},
      [&](std::size_t first, std::size_t count, void* buffer) {
        fill_block(rows, groups, first, count, buffer);
      },
      [&](std::size_t first, std::size_t count, const std::uint8_t* results) {
        sink(encoder.read(first, count, results));
      });
}

}  // namespace warpdex::vector
