// How single documents lean towards topics, within their sections.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "generate/layout.hpp"

namespace warpdex::generate {

/// The strengths of leanings, from 1 on: leanings are stronger for rarer terms.
inline constexpr int kStrengths = 8;

/// Even a document whose odds are overwhelming may lack a term.
inline constexpr double kMaxChance = 0.985;

/// For the terms of one strength. A document's odds are its section's, times the affinity of its
/// length, times its leanings towards the term's middle and fine topic.
struct Leanings {
  static constexpr std::size_t kCount = 256;
  std::array<float, kCount> middle{};  ///< equally likely, mean 1
  std::array<float, kCount> fine{};
  std::array<float, kCount> middle_frequency{};  ///< what they do to frequencies
  std::array<float, kCount> fine_frequency{};
  float max_fine = 0;
  float max_leaning = 0;  ///< of both topics together
  float max = 0;          ///< and with that of the length

  /// Equally likely odds of a document over the mean of its section.
  static constexpr std::size_t kSampled = 32;
  std::array<double, kSampled> odds{};
};

Leanings make_leanings(std::uint64_t seed, const Layout& layout, int strength);

}  // namespace warpdex::generate
