// Weights of sparse vectors before they become impacts. Postings carry them as codes until it is
// known whether all are whole numbers, and which is the largest.
#pragma once

#include <bit>
#include <cstdint>
#include <span>

#include "warpdex/indexer/format/impacts.hpp"
#include "warpdex/indexer/readers/document_reader.hpp"

namespace warpdex::build {

/// A weight above 0 as postings carry it, in the place of a frequency: a whole number below 2^20 as
/// itself, which takes few bytes, any other as its bits with the sign's set. Exact.
inline std::uint32_t encode_weight(float weight) {
  constexpr float kLargestWhole = 1U << 20;
  if (weight < kLargestWhole) {
    const auto whole = static_cast<std::uint32_t>(weight);
    if (whole > 0 && static_cast<float>(whole) == weight) return whole;
  }
  return std::bit_cast<std::uint32_t>(weight) | 1U << 31;
}

inline float decode_weight(std::uint32_t code) {
  constexpr std::uint32_t kSign = 1U << 31;
  return (code & kSign) != 0 ? std::bit_cast<float>(code & ~kSign) : static_cast<float>(code);
}

/// What is known of some documents' weights.
struct WeightSummary {
  float largest = 0;
  bool are_whole = true;  ///< all are whole numbers from 1 to kMaxImpact
  std::uint64_t zeros = 0;

  /// Of a weight above 0.
  void add(float weight);
  void add(const WeightSummary& other);
  /// How impacts are made of these weights.
  ImpactSettings settings() const;
  /// Throws InputError unless impacts can be made of these weights as `known` says.
  void check_fit(const ImpactSettings& known) const;
};

/// Throws InputError, which names the term, unless its length is that of a term and its weight
/// finite and 0 or more.
void check_weight(const TermWeight& entry);

/// Replaces a list's encoded weights by their impacts. `settings` as WeightSummary makes them.
/// Returns how many would have become 0, and became 1: an impact is 1 at least.
std::uint64_t weights_to_impacts(const ImpactSettings& settings, std::span<std::uint32_t> codes);

}  // namespace warpdex::build
