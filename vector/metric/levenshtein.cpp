// Columns of the table of distances as two bit vectors, one bit a row.
#include "warpdex/vector/metric/levenshtein.hpp"

#include <algorithm>

#include "metric/utf8.hpp"

namespace warpdex::metric {
namespace {

constexpr std::size_t kBlock = 64;

/// Whether the distance passes `limit` although each unit that is left may lessen it by one.
bool is_past(std::uint32_t distance, std::size_t left, std::uint32_t limit) {
  return distance > left && distance - left > limit;
}

}  // namespace

std::vector<char32_t> text_units(std::string_view text, TextUnit unit) {
  std::vector<char32_t> units;
  if (unit == TextUnit::kBytes) {
    for (const char c : text) units.push_back(static_cast<unsigned char>(c));
    return units;
  }
  while (!text.empty()) units.push_back(take_code_point(text));
  return units;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    if (take_code_point(text) >= kStrayByte) return false;
  }
  return true;
}

LevenshteinFrom::LevenshteinFrom(std::string_view text, TextUnit unit) : unit_(unit) {
  const std::vector<char32_t> units = text_units(text, unit);
  length_ = units.size();
  blocks_ = (length_ + kBlock - 1) / kBlock;
  std::vector<char32_t> distinct = units;
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  for (std::uint32_t row = 1; const char32_t value : distinct) {
    if (value < low_rows_.size()) {
      low_rows_[value] = row;
    } else {
      high_rows_.emplace_back(value, row);
    }
    ++row;
  }
  places_.resize((distinct.size() + 1) * blocks_);
  for (std::size_t i = 0; i < length_; ++i) {
    const auto row = std::lower_bound(distinct.begin(), distinct.end(), units[i]);
    const auto number = static_cast<std::size_t>(row - distinct.begin()) + 1;
    places_[number * blocks_ + i / kBlock] |= std::uint64_t{1} << i % kBlock;
  }
  if (blocks_ == 1) {
    for (std::size_t i = 0; i < low_places_.size(); ++i) low_places_[i] = places_[low_rows_[i]];
  }
}

const std::uint64_t* LevenshteinFrom::row_of(char32_t unit) const {
  std::size_t row = 0;
  if (unit < low_rows_.size()) {
    row = low_rows_[unit];
  } else {
    const auto found =
        std::lower_bound(high_rows_.begin(), high_rows_.end(), unit,
                         [](const auto& entry, char32_t value) { return entry.first < value; });
    if (found != high_rows_.end() && found->first == unit) row = found->second;
  }
  return places_.data() + row * blocks_;
}

/// `next(left, equal)` gives where the next unit stands in the text and lowers `left`, the bytes
/// that are left, of which there are at least as many as units.
template <class Next>
std::uint32_t LevenshteinFrom::one_block(std::size_t bytes, std::uint32_t limit,
                                         const Next& next) const {
  const std::size_t last = length_ - 1;
  auto distance = static_cast<std::uint32_t>(length_);
  std::uint64_t up = ~std::uint64_t{0};
  std::uint64_t down = 0;
  for (std::size_t left = bytes; left > 0;) {
    const std::uint64_t equal = *next(left);
    const std::uint64_t vertical = equal | down;
    const std::uint64_t diagonal = (((equal & up) + up) ^ up) | equal;
    std::uint64_t right_up = down | ~(diagonal | up);
    std::uint64_t right_down = up & diagonal;
    distance += static_cast<std::uint32_t>(right_up >> last & 1U);
    distance -= static_cast<std::uint32_t>(right_down >> last & 1U);
    if (is_past(distance, left, limit)) return limit + 1;
    right_up = right_up << 1U | 1U;
    right_down <<= 1U;
    up = right_down | ~(vertical | right_up);
    down = right_up & vertical;
  }
  return std::min(distance, limit + 1);
}

template <class Next>
std::uint32_t LevenshteinFrom::many_blocks(std::size_t bytes, std::uint32_t limit,
                                           const Next& next) {
  const std::size_t last = (length_ - 1) % kBlock;
  auto distance = static_cast<std::uint32_t>(length_);
  columns_.assign(blocks_, {~std::uint64_t{0}, 0});
  for (std::size_t left = bytes; left > 0;) {
    const std::uint64_t* const places = next(left);
    // What the row above the block adds from the last column to this: above the first, one.
    std::uint64_t more = 1;
    std::uint64_t less = 0;
    for (std::size_t b = 0; b < blocks_; ++b) {
      Column& column = columns_[b];
      const std::uint64_t vertical = places[b] | column.down;
      const std::uint64_t equal = places[b] | less;
      const std::uint64_t diagonal = (((equal & column.up) + column.up) ^ column.up) | equal;
      const std::uint64_t right_up = column.down | ~(diagonal | column.up);
      const std::uint64_t right_down = column.up & diagonal;
      const std::size_t lowest = b + 1 == blocks_ ? last : kBlock - 1;
      const std::uint64_t shifted_up = right_up << 1U | more;
      const std::uint64_t shifted_down = right_down << 1U | less;
      more = right_up >> lowest & 1U;
      less = right_down >> lowest & 1U;
      column.up = shifted_down | ~(vertical | shifted_up);
      column.down = shifted_up & vertical;
    }
    distance += static_cast<std::uint32_t>(more);
    distance -= static_cast<std::uint32_t>(less);
    if (is_past(distance, left, limit)) return limit + 1;
  }
  return std::min(distance, limit + 1);
}

std::uint32_t LevenshteinFrom::to_bytes(std::string_view other, std::uint32_t limit) {
  const std::size_t apart = std::max(length_, other.size()) - std::min(length_, other.size());
  if (apart > limit) return limit + 1;
  const char* at = other.data();
  if (blocks_ == 1) {
    return one_block(other.size(), limit, [&](std::size_t& left) {
      --left;
      return &low_places_[static_cast<unsigned char>(*at++)];
    });
  }
  return many_blocks(other.size(), limit, [&](std::size_t& left) {
    --left;
    return row_of(static_cast<unsigned char>(*at++));
  });
}

std::uint32_t LevenshteinFrom::to_code_points(std::string_view other, std::uint32_t limit) {
  const auto next = [&](std::size_t& left) {
    const std::uint64_t* const row = row_of(take_code_point(other));
    left = other.size();
    return row;
  };
  const std::size_t bytes = other.size();
  return blocks_ == 1 ? one_block(bytes, limit, next) : many_blocks(bytes, limit, next);
}

std::uint32_t LevenshteinFrom::to(std::string_view other, std::uint32_t limit) {
  limit = std::min(limit, kNoLimit);
  if (length_ == 0) {
    std::uint32_t units = 0;
    if (unit_ == TextUnit::kBytes) {
      units = static_cast<std::uint32_t>(std::min<std::size_t>(other.size(), kNoLimit));
    } else {
      for (; !other.empty(); ++units) take_code_point(other);
    }
    return std::min(units, limit + 1);
  }
  return unit_ == TextUnit::kBytes ? to_bytes(other, limit) : to_code_points(other, limit);
}

}  // namespace warpdex::metric
