// Writing the exceptions of a `pfor` list, and the choice of its width.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "warpdex/codecs/pfor_exceptions.hpp"
#include "warpdex/codecs/pfor_layout.hpp"

namespace warpdex::pfor {
namespace {

/// No tail takes fewer bits: the flag, a count, two codes and an exception's place.
constexpr std::uint32_t kMinTailBits = 40;
/// Widths whose exact size is looked at.
constexpr std::size_t kCandidates = 3;

constexpr std::uint32_t whole_bytes(std::uint32_t width) {
  return width <= 8 ? 8 : width <= 16 ? 16 : 32;
}

/// The exceptions of a list, as arrays of plain values.
struct ExceptionArrays {
  std::vector<std::uint8_t> counts;  ///< one a block
  std::vector<std::uint32_t> gaps;
  std::vector<std::uint32_t> highs;

  ExceptionArrays(const BlockedValues& values, std::uint32_t width) {
    counts.reserve(values.blocks());
    for (std::uint32_t i = 0; i < values.blocks(); ++i) {
      const std::size_t before = gaps.size();
      add_block(values.block(i), width);
      counts.push_back(static_cast<std::uint8_t>(gaps.size() - before));
    }
  }

 private:
  void add_block(std::span<const std::uint32_t> block, std::uint32_t width) {
    std::uint32_t next = 0;
    for (std::uint32_t i = 0; i < block.size(); ++i) {
      const std::uint32_t high = block[i] >> width;
      if (high == 0) continue;
      gaps.push_back(i - next);
      highs.push_back(high - 1);
      next = i + 1;
    }
  }
};

void append32(std::uint64_t value, std::vector<std::uint8_t>& bytes) {
  for (std::uint32_t shift = 0; shift < 32; shift += 8) {
    bytes.push_back(static_cast<std::uint8_t>(value >> shift));
  }
}

void append_counts(const ExceptionArrays& arrays, std::vector<std::uint8_t>& bytes) {
  if (arrays.counts.size() > 1) {
    append32(arrays.gaps.size(), bytes);
    std::uint32_t before = 0;
    for (std::size_t i = 0; i < arrays.counts.size(); ++i) {
      if (i != 0 && i % kCountGroup == 0) append32(before, bytes);
      before += arrays.counts[i];
    }
  }
  bytes.insert(bytes.end(), arrays.counts.begin(), arrays.counts.end());
}

/// The width of an exception array, and its own exceptions.
struct ArrayCode {
  std::uint32_t width = 0;
  ExceptionBytes exceptions;

  ArrayCode(std::span<const std::uint32_t> array, int levels) {
    if (levels > 0) {
      width = choose_width(BlockedValues(array, {}), levels - 1, exceptions);
    } else {
      width = whole_bytes(width_of(*std::max_element(array.begin(), array.end())));
    }
  }
  std::uint8_t byte() const {
    return static_cast<std::uint8_t>(width + (exceptions.bytes.empty() ? 0 : kExceptionsFlag));
  }
};

ExceptionBytes encode_exceptions(const BlockedValues& values, std::uint32_t width, int levels) {
  const ExceptionArrays arrays(values, width);
  const ArrayCode gaps(arrays.gaps, levels);
  const ArrayCode highs(arrays.highs, levels);
  ExceptionBytes encoded;
  std::vector<std::uint8_t>& bytes = encoded.bytes;
  append_counts(arrays, bytes);
  bytes.push_back(gaps.byte());
  bytes.push_back(highs.byte());
  pack(arrays.gaps, gaps.width, bytes);
  pack(arrays.highs, highs.width, bytes);
  const std::vector<std::uint8_t>& nested = gaps.exceptions.bytes;
  if (!nested.empty()) {
    append32(nested.size(), bytes);
    bytes.insert(bytes.end(), nested.begin(), nested.end());
  }
  bytes.insert(bytes.end(), highs.exceptions.bytes.begin(), highs.exceptions.bytes.end());
  return encoded;
}

/// Values of at least each width, 0 to 33.
using AtLeast = std::array<std::uint32_t, 34>;

/// About how many bits an array of high bits takes, per value, of which `above[w]` have more than
/// `w` bits beyond those that were cut off.
double high_bits(const AtLeast& at_least, std::uint32_t cut, std::uint32_t widest, int levels) {
  const std::uint32_t needed = widest - cut;
  if (levels == 0) return whole_bytes(needed);
  double best = needed;
  const double all = at_least[cut + 1];
  for (std::uint32_t width = 0; width < needed; ++width) {
    const std::uint32_t rest = needed - width;
    const double each = levels == 1 ? 8.0 + whole_bytes(rest) : 7.0 + rest;
    best = std::min(best, width + at_least[cut + width + 1] / all * each);
  }
  return best;
}

/// About how many bits the list takes with slots of `width` bits.
double estimate(const BlockedValues& values, const AtLeast& at_least, std::uint32_t width,
                std::uint32_t widest, int levels) {
  const double all = at_least[0];
  const double exceptions = at_least[width + 1];
  double bits = all * width;
  if (exceptions == 0) return bits;
  bits += kMinTailBits + (values.blocks() > 1 ? 8.0 * values.blocks() : 0.0);
  const double gap_bits = levels == 0 ? 8 : std::clamp(std::log2(all / exceptions) + 1.6, 1.0, 7.0);
  return bits + exceptions * (gap_bits + high_bits(at_least, width, widest, levels));
}

struct Candidate {
  double bits = std::numeric_limits<double>::max();
  std::uint32_t width = 0;
};

}  // namespace

std::uint32_t choose_width(const BlockedValues& values, int levels, ExceptionBytes& tail) {
  WidthHistogram histogram;
  std::uint64_t slots = 0;
  for (std::uint32_t i = 0; i < values.blocks(); ++i) {
    histogram.add(values.block(i));
    slots += values.block(i).size();
  }
  const std::uint32_t widest = histogram.widest();
  tail.bytes.clear();
  if (slots * widest <= kMinTailBits) return widest;

  AtLeast at_least{};
  for (std::uint32_t width = 33; width-- > 0;) {
    at_least[width] = at_least[width + 1] + histogram.counts[width];
  }
  std::array<Candidate, kCandidates> candidates;  // best first
  for (std::uint32_t width = 0; width < widest; ++width) {
    Candidate next{estimate(values, at_least, width, widest, levels), width};
    for (Candidate& candidate : candidates) {
      if (next.bits < candidate.bits) std::swap(next, candidate);
    }
  }

  std::uint32_t best = widest;
  std::uint64_t best_bytes = bytes_for_bits(slots * widest);
  const std::uint32_t flag = values.short_list() ? kShortListEscapeBits / 8 : 0;
  for (const Candidate& candidate : candidates) {
    if (candidate.bits > 1.1 * 8.0 * static_cast<double>(best_bytes)) continue;
    ExceptionBytes encoded = encode_exceptions(values, candidate.width, levels);
    const std::uint64_t size =
        bytes_for_bits(slots * candidate.width) + encoded.bytes.size() + flag;
    if (size >= best_bytes) continue;
    best_bytes = size;
    best = candidate.width;
    tail = std::move(encoded);
  }
  return best;
}

}  // namespace warpdex::pfor
