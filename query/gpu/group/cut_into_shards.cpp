// Finds the smallest size that as many runs as there are shards can keep to.
#include <algorithm>
#include <numeric>

#include "warpdex/core/error.hpp"
#include "warpdex/query/gpu/gpu_group.hpp"

namespace warpdex {
namespace {

/// Where runs begin of which none has more than `most` bytes, each as long as that allows. Each
/// leaves a segment at least for every run that follows it.
std::vector<std::size_t> runs_of(std::span<const std::uint64_t> bytes, std::size_t runs,
                                 std::uint64_t most) {
  std::vector<std::size_t> begins{0};
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const bool is_needed = bytes.size() - i < runs - begins.size() + 1;
    if (i > begins.back() && (sum + bytes[i] > most || is_needed)) {
      begins.push_back(i);
      sum = 0;
    }
    sum += bytes[i];
  }
  begins.push_back(bytes.size());
  return begins;
}

}  // namespace

std::vector<std::size_t> cut_into_shards(std::span<const std::uint64_t> bytes, std::size_t shards) {
  if (shards == 0) throw UsageError("there are 0 shards; take 1 or more");
  const std::size_t runs = std::min(shards, std::max<std::size_t>(bytes.size(), 1));
  std::uint64_t low = bytes.empty() ? 0 : *std::ranges::max_element(bytes);
  std::uint64_t high = std::accumulate(bytes.begin(), bytes.end(), std::uint64_t{0});
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (runs_of(bytes, runs, middle).size() <= runs + 1) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  std::vector<std::size_t> begins = runs_of(bytes, runs, high);
  begins.resize(shards + 1, bytes.size());
  return begins;
}

}  // namespace warpdex
