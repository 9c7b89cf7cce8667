// What an encoder of lists has in GPU memory, whatever the codes, and what it hands on.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "lists/build/gpu/block_input.hpp"
#include "lists/build/gpu/encode_blocks.hpp"
#include "warpdex/core/cuda/arena.hpp"
#include "warpdex/core/cuda/copies.hpp"
#include "warpdex/core/cuda/memory_budget.hpp"

namespace warpdex::vector {

/// For encode_list_blocks(). A coding's encoder adds encode().
template <class Quantizer>
class ListEncoder {
 public:
  std::size_t block_groups() const { return block_groups_; }
  void* input(std::size_t block) const { return inputs_[block % 2]; }
  /// Of the codes, and behind them of a term and a factor for each place.
  std::size_t result_bytes(std::size_t groups) const {
    return code_bytes(groups) + 2 * groups * kGroupVectors * sizeof(float);
  }
  EncodedBlock read(std::size_t first, std::size_t groups, const std::uint8_t* results) const {
    const std::size_t places = groups * kGroupVectors;
    const auto* const terms = reinterpret_cast<const float*>(results + code_bytes(groups));
    return {first,
            groups,
            {results, code_bytes(groups)},
            {terms, rules_.has_terms ? places : 0},
            {terms + places, has_factors_ ? places : 0}};
  }

 protected:
  ListEncoder(const RulesOf<Quantizer>& rules, std::size_t code_bytes, bool has_factors,
              const Stream& stream)
      : rules_(rules),
        dimension_(static_cast<std::uint32_t>(rules.quantizer.dimension)),
        stream_(stream),
        group_bytes_(CodeGroups{code_bytes}.group_bytes()),
        has_factors_(has_factors) {}

  /// Takes memory for as many of so many groups as fit, and uploads centroids and centre.
  /// lay_out(arena, groups) takes what the coding needs besides.
  template <class LayOut>
  void take_memory(std::size_t groups, Resources& resources, const LayOut& lay_out) {
    block_groups_ = take_block_memory(groups, dimension_, resources, memory_,
                                      [&](std::size_t some, void* memory) {
                                        Arena arena(memory);
                                        take_own(arena, some);
                                        lay_out(arena, some);
                                        return arena.used();
                                      });
    const std::vector<float>& centroids = rules_.centroids.values;
    copy_to_gpu(centroids_, centroids.data(), centroids.size(), stream_);
    if (centre_ != nullptr) copy_to_gpu(centre_, rules_.centre.data(), dimension_, stream_);
  }

  std::size_t code_bytes(std::size_t groups) const { return groups * group_bytes_; }
  BlockInput block_input(std::size_t block, std::size_t groups) const {
    return {inputs_[block % 2], groups, dimension_};
  }
  /// Where the terms of a block go, behind its codes, and behind them the factors.
  float* terms_of(std::size_t groups, std::uint8_t* results) const {
    return reinterpret_cast<float*>(results + code_bytes(groups));
  }

  const RulesOf<Quantizer>& rules_;
  std::uint32_t dimension_;
  const Stream& stream_;
  float* centroids_ = nullptr;
  float* centre_ = nullptr;  ///< null: the origin
  float* terms_ = nullptr;   ///< null: none are wanted

 private:
  void take_own(Arena& arena, std::size_t groups) {
    for (void*& input : inputs_) {
      input = arena.take<std::uint8_t>(BlockInput::bytes(groups, dimension_));
    }
    centroids_ = arena.take<float>(rules_.centroids.values.size());
    centre_ = rules_.centre.empty() ? nullptr : arena.take<float>(dimension_);
    terms_ = rules_.has_terms ? arena.take<float>(groups * kGroupVectors) : nullptr;
  }

  std::size_t group_bytes_;
  bool has_factors_;
  AccountedBuffer memory_;
  std::size_t block_groups_ = 0;
  std::array<void*, 2> inputs_{};
};

}  // namespace warpdex::vector
