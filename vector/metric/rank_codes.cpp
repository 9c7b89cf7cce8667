// Codes of ranks on the CPU.
#include "metric/rank_codes.hpp"

#include <algorithm>
#include <array>

#include "kmeans/parallel_parts.hpp"
#include "pq/code_groups.hpp"

namespace warpdex::metric {
namespace {

using vector::CodeGroups;
using vector::kGroupVectors;

/// Groups that are compared at once.
constexpr std::size_t kGroupsAtOnce = 64;

std::uint32_t rank_of(const void* row, std::size_t permutant, std::size_t permutants) {
  if (rank_bytes(permutants) == 1) return static_cast<const std::uint8_t*>(row)[permutant];
  return static_cast<const std::uint16_t*>(row)[permutant];
}

/// A row's code: for each 32 permutants a word of each bit, the highest first.
void encode(const void* row, std::size_t permutants, std::vector<std::uint32_t>& words) {
  std::fill(words.begin(), words.end(), 0U);
  for (std::size_t p = 0; p < permutants; ++p) {
    const std::uint32_t cell = rank_cell(rank_of(row, p, permutants),  //
                                         static_cast<std::uint32_t>(permutants));
    for (std::size_t bit = 0; bit < kRankBits; ++bit) {
      words[p / 32 * kRankBits + bit] |= (cell >> (kRankBits - 1 - bit) & 1U) << p % 32;
    }
  }
}

}  // namespace

RankCodes::RankCodes(const Permutations& permutations)
    : objects_(permutations.objects),
      permutants_(permutations.permutants),
      shape_(rank_code_shape(permutants_)) {
  const CodeGroups layout{shape_.code_words() * 4};
  const std::size_t row_bytes = rank_stride(permutants_) * rank_bytes(permutants_);
  groups_.resize(vector::groups_of(objects_) * layout.group_bytes());
  vector::for_each_part(objects_, 32 * kGroupVectors, 0, [&](std::size_t begin, std::size_t end) {
    std::vector<std::uint32_t> words(shape_.code_words());
    for (std::size_t i = begin; i < end; ++i) {
      encode(static_cast<const std::uint8_t*>(permutations.ranks) + i * row_bytes, permutants_,
             words);
      layout.write(reinterpret_cast<const std::uint8_t*>(words.data()), i % kGroupVectors,
                   groups_.data() + i / kGroupVectors * layout.group_bytes());
    }
  });
}

std::vector<std::uint32_t> RankCodes::query_words(const void* row) const {
  std::vector<std::uint32_t> code(shape_.code_words());
  encode(row, permutants_, code);
  std::vector<std::uint32_t> words;
  vector::lay_out_query(shape_, code, words);
  return words;
}

void RankCodes::compare(const std::vector<std::uint32_t>& query, std::uint32_t* out) const {
  const CodeGroups layout{shape_.code_words() * 4};
  std::array<std::uint32_t, kGroupsAtOnce * kGroupVectors> some;
  constexpr std::size_t kAtOnce = some.size();
  for (std::size_t first = 0; first < objects_; first += kAtOnce) {
    const std::size_t count = std::min(kAtOnce, objects_ - first);
    vector::code_kernels().xor_distances(
        groups_.data() + first / kGroupVectors * layout.group_bytes(), vector::groups_of(count),
        shape_, query.data(), some.data());
    std::copy_n(some.begin(), count, out + first);
  }
}

}  // namespace warpdex::metric
