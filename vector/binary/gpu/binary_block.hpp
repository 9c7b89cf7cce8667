// What a block of queries needs on the GPU to be searched among binary codes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "binary/gpu/code_rounds.hpp"
#include "warpdex/vector/rows/row_filter.hpp"
#include "warpdex/vector/searcher/search_options.hpp"

namespace warpdex::vector {

/// What a search asks for.
struct WantedCodes {
  std::size_t k;
  SearchOptions options;   ///< whose bits are settled
  std::size_t candidates;  ///< by codes
  bool refines_on_gpu;

  bool refines_on_host() const { return options.refine > 0 && !refines_on_gpu; }
};

/// Its parts refer to each other, so it stays where it is made.
struct BinaryBlock {
  BinaryBlock(const GpuBinaryCodes& codes, const WantedCodes& wanted, std::size_t most)
      : queries(most),
        image(codes, most, wanted.options.query_bits),
        rounds(codes, most, wanted.candidates, wanted.options.query_bits) {
    nearest.k = static_cast<std::uint32_t>(wanted.candidates);
    answers.k = static_cast<std::uint32_t>(wanted.k);
  }
  BinaryBlock(const BinaryBlock&) = delete;
  BinaryBlock& operator=(const BinaryBlock&) = delete;

  /// Takes its memory, or measures it; returns the bytes.
  std::size_t lay_out(void* memory, const GpuBinaryCodes& codes, const WantedCodes& wanted) {
    Arena arena(memory);
    image.lay_out(arena);
    rounds.lay_out(arena);
    nearest.values = arena.take<float>(queries * nearest.k);
    nearest.ids = arena.take<std::uint32_t>(queries * nearest.k);
    if (wanted.refines_on_gpu) {
      answers.values = arena.take<float>(queries * answers.k);
      answers.ids = arena.take<std::uint32_t>(queries * answers.k);
    }
    if (wanted.options.filter != nullptr) {
      filter = arena.take<std::uint64_t>((std::size_t{codes.count()} + 63) / 64);
    }
    return arena.used();
  }

  /// What the last kernel of a search writes.
  DeviceAnswers& last(const WantedCodes& wanted) {
    return wanted.refines_on_gpu ? answers : nearest;
  }

  std::size_t queries;
  QueryImage image;
  CodeRounds rounds;
  DeviceAnswers nearest;            ///< by codes
  DeviceAnswers answers;            ///< refined
  std::uint64_t* filter = nullptr;  ///< null: all rows are allowed
};

}  // namespace warpdex::vector
