// The form of the inner loops for any processor, and the choice among the forms.
#include "cpu/kernels.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "cpu/scorer_loops.hpp"
#include "scorers/impact/impact_loops.hpp"
#include "warpdex/core/cpu_features.hpp"

namespace warpdex {
namespace {

std::uint64_t load_u64(const std::uint8_t* bytes) {
  std::uint64_t word;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

std::size_t drain_lines(float* sums, std::uint8_t* marks, std::size_t lines, std::uint32_t first,
                        float need, const Candidates& candidates) {
  const auto need_bits = std::bit_cast<std::int32_t>(need);
  std::size_t found = 0;
  for (std::size_t line = 0; line < lines; ++line) {
    if (line % 8 == 0 && load_u64(marks + line) == 0) {
      line += 7;
      continue;
    }
    if (marks[line] == 0) continue;
    marks[line] = 0;
    for (std::size_t i = line * kLineSums; i < (line + 1) * kLineSums; ++i) {
      // As integers, touched sums keep their order, and kUntouched (minus zero) is below all of
      // them.
      if (std::bit_cast<std::int32_t>(sums[i]) >= need_bits) {
        candidates.documents[found] = first + static_cast<std::uint32_t>(i);
        candidates.scores[found++] = sums[i];
      }
      sums[i] = kUntouched;
    }
  }
  return found;
}

std::size_t select_scores(const std::uint32_t* docids, const float* scores, std::size_t count,
                          float need, const Candidates& candidates) {
  std::size_t found = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (scores[i] >= need) {
      candidates.documents[found] = docids[i];
      candidates.scores[found++] = scores[i];
    }
  }
  return found;
}

std::uint32_t seek(const std::uint32_t* docids, std::uint32_t from, std::uint32_t target) {
  while (docids[from] < target) ++from;
  return from;
}

std::size_t intersect(const std::uint32_t* wanted, std::size_t count, const std::uint32_t* docids,
                      std::uint32_t from, std::uint8_t* matched, std::uint8_t* positions) {
  std::size_t found = 0;
  for (std::size_t i = 0; i < count; ++i) {
    from = seek(docids, from, wanted[i]);
    matched[found] = static_cast<std::uint8_t>(i);
    positions[found] = static_cast<std::uint8_t>(from);
    found += docids[from] == wanted[i];
  }
  return found;
}

std::uint32_t rank(const std::uint8_t* bytes, std::uint32_t count) {
  std::uint32_t set = 0;
  for (; count >= 64; count -= 64, bytes += 8) {
    set += static_cast<std::uint32_t>(std::popcount(load_u64(bytes)));
  }
  return set + static_cast<std::uint32_t>(
                   std::popcount(load_u64(bytes) & ((std::uint64_t{1} << count) - 1)));
}

}  // namespace

const Kernels kBaselineKernels{
    loops_of<PlainLoops>(Scorers()), drain_lines, select_scores, seek, intersect, rank};

const Kernels& kernels() {
#if defined(__x86_64__)
  if (isa() == Isa::kAvx512) return kAvx512Kernels;
  if (isa() == Isa::kAvx2) return kAvx2Kernels;
#endif
  return kBaselineKernels;
}

}  // namespace warpdex
