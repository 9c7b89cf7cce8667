// Plain loops, compiled once for each of core's instruction sets: over bytes the compiler makes the
// footrule a sum of absolute differences (psadbw).
#include "metric/rank_kernels.hpp"

#include "metric/rank_codes.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>

#include "warpdex/core/cpu_features.hpp"

namespace warpdex::metric {
namespace {

struct RowRun {
  const void* query;
  const void* rows;
  std::size_t stride;
  std::size_t count;
  std::uint32_t* out;
};

template <class Rank, bool kSquared>
[[gnu::always_inline]] inline void compare_rows(const RowRun& run) {
  const Rank* const query = static_cast<const Rank*>(run.query);
  for (std::size_t i = 0; i < run.count; ++i) {
    const Rank* const row = static_cast<const Rank*>(run.rows) + i * run.stride;
    std::uint32_t sum = 0;
    for (std::size_t j = 0; j < run.stride; j += kRankPadding) {
      for (std::size_t l = j; l < j + kRankPadding; ++l) {
        const int apart = int{query[l]} - int{row[l]};
        if constexpr (kSquared) {
          const auto unsigned_apart = static_cast<std::uint32_t>(apart);
          sum += unsigned_apart * unsigned_apart;  // modulo 2^32, where the sign is lost
        } else {
          sum += static_cast<std::uint32_t>(std::abs(apart));
        }
      }
    }
    run.out[i] = sum;
  }
}

using Compare = void (*)(const RowRun&);
/// For entries of 1 and of 2 bytes: the footrule, and rho.
using Forms = std::array<std::array<Compare, 2>, 2>;

template <class Rank, bool kSquared>
void baseline(const RowRun& run) {
  compare_rows<Rank, kSquared>(run);
}
constexpr Forms kBaseline{{{baseline<std::uint8_t, false>, baseline<std::uint8_t, true>},
                           {baseline<std::uint16_t, false>, baseline<std::uint16_t, true>}}};

#if defined(__x86_64__)
template <class Rank, bool kSquared>
__attribute__((target("avx2"))) void avx2(const RowRun& run) {
  compare_rows<Rank, kSquared>(run);
}
template <class Rank, bool kSquared>
__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl"))) void avx512(const RowRun& run) {
  compare_rows<Rank, kSquared>(run);
}
constexpr Forms kAvx2{{{avx2<std::uint8_t, false>, avx2<std::uint8_t, true>},
                       {avx2<std::uint16_t, false>, avx2<std::uint16_t, true>}}};
constexpr Forms kAvx512{{{avx512<std::uint8_t, false>, avx512<std::uint8_t, true>},
                         {avx512<std::uint16_t, false>, avx512<std::uint16_t, true>}}};
#endif

const Forms& forms() {
#if defined(__x86_64__)
  switch (isa()) {
    case Isa::kAvx512: return kAvx512;
    case Isa::kAvx2: return kAvx2;
    case Isa::kBaseline: break;
  }
#endif
  return kBaseline;
}

/// Takes the permutants in the query's order, and counts for each those taken before it that the
/// object has after it: a bit a rank says which ranks were taken.
template <class Rank>
void count_inversions(const QueryRanks& query, const void* rows, std::size_t permutants,
                      std::size_t count, std::uint32_t* out) {
  constexpr std::size_t kBits = 64;
  std::array<std::uint64_t, kMaxPermutants / kBits> taken;
  const std::size_t words = (permutants + kBits - 1) / kBits;
  for (std::size_t i = 0; i < count; ++i) {
    const Rank* const row = static_cast<const Rank*>(rows) + i * rank_stride(permutants);
    std::fill_n(taken.begin(), words, std::uint64_t{0});
    std::uint32_t inversions = 0;
    for (std::size_t j = 0; j < permutants; ++j) {
      // Damaged ranks may be too large.
      const std::size_t rank = std::min<std::size_t>(row[query.order[j]], permutants - 1);
      const std::size_t word = rank / kBits;
      inversions += static_cast<std::uint32_t>(std::popcount(taken[word] >> rank % kBits));
      for (std::size_t w = word + 1; w < words; ++w) {
        inversions += static_cast<std::uint32_t>(std::popcount(taken[w]));
      }
      taken[word] |= std::uint64_t{1} << rank % kBits;
    }
    out[i] = inversions;
  }
}

}  // namespace

void compare_ranks(RankDistance distance, const QueryRanks& query, const void* rows,
                   std::size_t permutants, std::size_t count, std::uint32_t* out) {
  const bool is_wide = rank_bytes(permutants) == 2;
  if (distance != RankDistance::kTau) {
    const std::size_t form = distance == RankDistance::kRho ? 1 : 0;
    forms()[is_wide ? 1 : 0][form]({query.ranks, rows, rank_stride(permutants), count, out});
  } else if (is_wide) {
    count_inversions<std::uint16_t>(query, rows, permutants, count, out);
  } else {
    count_inversions<std::uint8_t>(query, rows, permutants, count, out);
  }
}

std::uint64_t largest_rank_distance(RankDistance distance, std::size_t permutants) {
  const std::uint64_t m = permutants;
  switch (distance) {
    case RankDistance::kFootrule: return m * m / 2;
    case RankDistance::kRho: return m * (m * m - 1) / 3;
    case RankDistance::kTau: return m * (m - 1) / 2;
    case RankDistance::kBits: break;
  }
  constexpr std::uint64_t kLast = (1U << kRankBits) - 1;
  return m * kLast * kLast;
}

}  // namespace warpdex::metric
