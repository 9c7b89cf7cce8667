// Writing the exceptions of a `pfor` list, and the choice of its width.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "pfor_exceptions.hpp"
#include "warpdex/codecs/pfor_layout.hpp"

namespace warpdex::pfor {
namespace {

/// No tail takes fewer bits: the flag, a count, two codes and an exception's position.
constexpr std::uint32_t kMinTailBits = 40;
/// An exception counts for this many bits more than it takes, since it also takes time. With one
/// level, three bits make lists 1.3 % (Wikipedia) to 1.9 % (generated) larger, and OR over the
/// latter on a GPU 5 to 7 % faster; with no levels, they make lists 0.2 % larger.
constexpr std::uint64_t kExceptionTimeBits = 3;
/// Candidate widths whose exact size is computed: for a list, and for the arrays of its exceptions.
constexpr std::size_t kCandidates = 3;
constexpr std::size_t kInnerCandidates = 1;

constexpr std::uint32_t whole_bytes(std::uint32_t width) {
  return width <= 8 ? 8 : width <= 16 ? 16 : 32;
}

std::uint32_t choose_width(const BlockedValues& values, int levels, std::size_t looked_at,
                           ExceptionBytes& tail);

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

std::uint8_t code_of(std::uint32_t width, const ExceptionBytes& exceptions) {
  return static_cast<std::uint8_t>(width + (exceptions.bytes.empty() ? 0 : kExceptionsFlag));
}

void append_plain(const ExceptionArrays& arrays, std::vector<std::uint8_t>& bytes) {
  const std::uint32_t largest = *std::max_element(arrays.highs.begin(), arrays.highs.end());
  const std::uint32_t width = whole_bytes(width_of(largest));
  bytes.push_back(static_cast<std::uint8_t>(width));
  std::size_t i = 0;
  for (const std::uint8_t count : arrays.counts) {
    std::uint32_t next = 0;
    for (const std::size_t end = i + count; i < end; ++i) {
      next += arrays.gaps[i];
      bytes.push_back(static_cast<std::uint8_t>(next++));
    }
  }
  pack(arrays.highs, width, bytes);
}

void append_compressed(const ExceptionArrays& arrays, int levels,
                       std::vector<std::uint8_t>& bytes) {
  ExceptionBytes of_gaps;
  ExceptionBytes of_highs;
  const std::uint32_t gap_width =
      choose_width(BlockedValues(arrays.gaps, {}), levels - 1, kInnerCandidates, of_gaps);
  const std::uint32_t high_width =
      choose_width(BlockedValues(arrays.highs, {}), levels - 1, kInnerCandidates, of_highs);
  bytes.push_back(code_of(gap_width, of_gaps));
  bytes.push_back(code_of(high_width, of_highs));
  pack(arrays.gaps, gap_width, bytes);
  pack(arrays.highs, high_width, bytes);
  if (!of_gaps.bytes.empty()) {
    append32(of_gaps.bytes.size(), bytes);
    bytes.insert(bytes.end(), of_gaps.bytes.begin(), of_gaps.bytes.end());
  }
  bytes.insert(bytes.end(), of_highs.bytes.begin(), of_highs.bytes.end());
}

/// Values of at least each width, 0 to 33.
using AtLeast = std::array<std::uint32_t, 34>;

/// The bits of an array of high bits per value, about. above[w] values have more than `w` bits
/// beyond those that were cut off.
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

/// The bits that the list counts for with slots of `width` bits, about.
double estimate(const BlockedValues& values, const AtLeast& at_least, std::uint32_t width,
                std::uint32_t widest, int levels) {
  const double all = at_least[0];
  const double exceptions = at_least[width + 1];
  double bits = all * width;
  if (exceptions == 0) return bits;
  bits += kMinTailBits + (values.blocks() > 1 ? 8.0 * values.blocks() : 0.0);
  const double gap_bits = levels == 0 ? 8 : std::clamp(std::log2(all / exceptions) + 1.6, 1.0, 7.0);
  return bits + exceptions * (double{kExceptionTimeBits} + gap_bits +
                              high_bits(at_least, width, widest, levels));
}

struct Candidate {
  double bits = std::numeric_limits<double>::max();
  std::uint32_t width = 0;
};

/// As the public function, with so many candidate widths.
std::uint32_t choose_width(const BlockedValues& values, int levels, std::size_t looked_at,
                           ExceptionBytes& tail) {
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
  for (const Candidate& candidate : std::span(candidates).first(looked_at)) {
    if (candidate.bits > 1.1 * 8.0 * static_cast<double>(best_bytes)) continue;
    ExceptionBytes encoded = encode_exceptions(values, candidate.width, levels);
    const std::uint64_t time = at_least[candidate.width + 1] * kExceptionTimeBits / 8;
    const std::uint64_t size =
        bytes_for_bits(slots * candidate.width) + encoded.bytes.size() + flag + time;
    if (size >= best_bytes) continue;
    best_bytes = size;
    best = candidate.width;
    tail = std::move(encoded);
  }
  return best;
}

}  // namespace

ExceptionBytes encode_exceptions(const BlockedValues& values, std::uint32_t width, int levels) {
  const ExceptionArrays arrays(values, width);
  ExceptionBytes encoded;
  append_counts(arrays, encoded.bytes);
  if (levels == 0) {
    append_plain(arrays, encoded.bytes);
  } else {
    append_compressed(arrays, levels, encoded.bytes);
  }
  return encoded;
}

std::uint32_t choose_width(const BlockedValues& values, int levels, ExceptionBytes& tail) {
  return choose_width(values, levels, kCandidates, tail);
}

}  // namespace warpdex::pfor
