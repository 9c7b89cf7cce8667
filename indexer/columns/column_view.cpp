// Finds the parts of a column's section, and turns keys into values.
#include "warpdex/indexer/columns/column_view.hpp"

#include <bit>

#include "warpdex/core/error.hpp"

namespace warpdex {
namespace {

constexpr std::uint64_t kTopBit = std::uint64_t{1} << 63;

/// Takes arrays off the front of a section; each part begins at a multiple of 8 bytes.
class Parts {
 public:
  explicit Parts(std::span<const std::uint8_t> bytes) : left_(bytes) {}

  /// False where the section ends before.
  template <class T>
  bool take(std::uint64_t count, std::span<const T>& to) {
    if (count > left_.size() / sizeof(T)) return false;
    const std::uint64_t bytes = (count * sizeof(T) + 7) / 8 * 8;
    if (bytes > left_.size()) return false;
    to = {reinterpret_cast<const T*>(left_.data()), static_cast<std::size_t>(count)};
    left_ = left_.subspan(bytes);
    return true;
  }
  std::span<const std::uint8_t> rest() const { return left_; }

 private:
  std::span<const std::uint8_t> left_;
};

}  // namespace

std::string column_name(std::size_t column) { return "column_" + std::to_string(column); }

std::uint64_t key_of_int(std::int64_t value) { return static_cast<std::uint64_t>(value) ^ kTopBit; }
std::int64_t int_of_key(std::uint64_t key) { return static_cast<std::int64_t>(key ^ kTopBit); }

std::uint64_t key_of_float(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  return (bits & kTopBit) != 0 ? ~bits : bits | kTopBit;
}

double float_of_key(std::uint64_t key) {
  return std::bit_cast<double>((key & kTopBit) != 0 ? key & ~kTopBit : ~key);
}

std::uint64_t key_of(const FieldValue& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return key_of_int(*number);
  if (const auto* number = std::get_if<double>(&value)) return key_of_float(*number);
  return std::get<bool>(value) ? 1 : 0;
}

ColumnView::ColumnView(const Field& field, std::span<const std::uint8_t> section,
                       std::uint64_t documents)
    : field_(field), documents_(documents) {
  if (section.size() < sizeof header_) damaged();
  std::memcpy(&header_, section.data(), sizeof header_);
  Parts parts(section.subspan(sizeof header_));
  const bool is_width =
      header_.width == 0 || (header_.width <= 64 && std::has_single_bit(header_.width));
  constexpr std::uint64_t kMost = std::uint64_t{1} << 32;
  bool fits = is_width && header_.values < kMost && header_.distinct < kMost;
  switch (form()) {
    case ColumnForm::kOne: fits = fits && header_.values == documents; break;
    case ColumnForm::kSome:
      fits = fits && header_.values == documents && parts.take((documents + 63) / 64, present_);
      break;
    case ColumnForm::kSeveral: fits = fits && parts.take(documents + 1, begins_); break;
    default: fits = false;
  }
  fits = fits && parts.take((header_.values * header_.width + 7) / 8, packed_);
  if (field.type == FieldType::kKeyword) {
    fits = fits && parts.take(header_.distinct + 1, offsets_) &&
           parts.take(offsets_.back(), text_) && header_.base == 0 && header_.step == 1;
  } else {
    fits = fits && header_.distinct == 0;
  }
  if (!fits || !parts.rest().empty()) damaged();
}

std::string_view ColumnView::text(std::uint64_t ordinal) const {
  if (ordinal >= header_.distinct) damaged();
  const std::uint64_t begin = offsets_[ordinal];
  const std::uint64_t end = offsets_[ordinal + 1];
  if (begin > end || end > text_.size()) damaged();
  return {reinterpret_cast<const char*>(text_.data()) + begin,
          static_cast<std::size_t>(end - begin)};
}

std::uint64_t ColumnView::lower_bound(std::string_view wanted) const {
  std::uint64_t begin = 0;
  std::uint64_t end = header_.distinct;
  while (begin < end) {
    const std::uint64_t middle = begin + (end - begin) / 2;
    if (text(middle) < wanted) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return begin;
}

FieldValue ColumnView::value(std::uint64_t key) const {
  switch (field_.type) {
    case FieldType::kKeyword: return std::string(text(key));
    case FieldType::kFloat: return float_of_key(key);
    case FieldType::kBool: return key != 0;
    default: return int_of_key(key);
  }
}

std::vector<FieldValue> ColumnView::values(std::uint64_t document) const {
  std::vector<FieldValue> values;
  const Slots own = slots(document);
  for (std::uint64_t slot = own.begin; slot < own.end; ++slot) values.push_back(value(key(slot)));
  return values;
}

void ColumnView::damaged() const {
  throw FormatError("the column of the field '" + field_.name +
                    "' is damaged; restore the index or build it again");
}

}  // namespace warpdex
