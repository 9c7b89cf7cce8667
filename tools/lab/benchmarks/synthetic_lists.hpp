// Made-up posting lists to decode: gaps and frequencies of given distributions.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace warpdex::tools {

/// How the values of a list are drawn.
enum class Distribution {
  kRandom,       ///< gaps of documents drawn at random, 1 of 32
  kClustered,    ///< nine small gaps, then on average a gap of hundreds
  kDense,        ///< gaps of documents drawn at random, 2 of 5
  kFrequencies,  ///< frequencies less one: most are 0, a few large
};

/// "random", "clustered", "dense", "frequencies".
std::string_view distribution_name(Distribution distribution);

/// `count` gaps or frequencies, less one. The same for the same arguments.
std::vector<std::uint32_t> make_values(Distribution distribution, std::size_t count,
                                       std::uint64_t seed);

/// Gaps less one to docIDs.
std::vector<std::uint32_t> docids_of(const std::vector<std::uint32_t>& gaps);

}  // namespace warpdex::tools
