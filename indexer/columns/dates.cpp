// Dates by ISO 8601 to milliseconds and back.
#include <array>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <optional>

#include "warpdex/core/error.hpp"
#include "warpdex/indexer/field_value.hpp"
#include "warpdex/indexer/readers/text_checks.hpp"

namespace warpdex {
namespace {

using std::chrono::milliseconds;

/// Reads numbers of fixed widths and the characters between them.
class DateCursor {
 public:
  explicit DateCursor(std::string_view text) : left_(text) {}

  bool at_end() const { return left_.empty(); }
  bool take(char c) {
    if (left_.empty() || left_[0] != c) return false;
    left_.remove_prefix(1);
    return true;
  }
  /// A number of just `digits` digits.
  std::optional<int> number(std::size_t digits) {
    if (left_.size() < digits) return std::nullopt;
    int value = 0;
    for (std::size_t i = 0; i < digits; ++i) {
      if (left_[i] < '0' || left_[i] > '9') return std::nullopt;
      value = 10 * value + (left_[i] - '0');
    }
    left_.remove_prefix(digits);
    return value;
  }
  /// Digits of a second, of which three count.
  std::optional<int> thousandths() {
    int value = 0;
    int digits = 0;
    for (; !left_.empty() && left_[0] >= '0' && left_[0] <= '9'; left_.remove_prefix(1), ++digits) {
      if (digits < 3) value = 10 * value + (left_[0] - '0');
    }
    if (digits == 0 || digits > 9) return std::nullopt;
    for (; digits < 3; ++digits) value *= 10;
    return value;
  }

 private:
  std::string_view left_;
};

std::optional<milliseconds> read_offset(DateCursor& from) {
  if (from.at_end() || from.take('Z')) return milliseconds(0);
  const bool is_behind = from.take('-');
  if (!is_behind && !from.take('+')) return std::nullopt;
  const auto hours = from.number(2);
  from.take(':');
  const auto minutes = from.number(2);
  if (!hours || !minutes || *hours > 23 || *minutes > 59) return std::nullopt;
  const milliseconds offset = std::chrono::hours(*hours) + std::chrono::minutes(*minutes);
  return is_behind ? -offset : offset;
}

/// What follows the T of a date.
std::optional<milliseconds> read_time(DateCursor& from) {
  const auto hour = from.number(2);
  if (!hour || *hour > 23 || !from.take(':')) return std::nullopt;
  const auto minute = from.number(2);
  if (!minute || *minute > 59) return std::nullopt;
  milliseconds time = std::chrono::hours(*hour) + std::chrono::minutes(*minute);
  if (from.take(':')) {
    const auto second = from.number(2);
    if (!second || *second > 59) return std::nullopt;
    time += std::chrono::seconds(*second);
    if (from.take('.')) {
      const auto part = from.thousandths();
      if (!part) return std::nullopt;
      time += milliseconds(*part);
    }
  }
  const auto offset = read_offset(from);
  if (!offset) return std::nullopt;
  return time - *offset;
}

std::optional<milliseconds> read_date(DateCursor from) {
  const auto year = from.number(4);
  if (!year) return std::nullopt;
  int month = 1;
  int day = 1;
  milliseconds time(0);
  if (from.take('-')) {
    month = from.number(2).value_or(0);
    if (from.take('-')) {
      day = from.number(2).value_or(0);
      if (from.take('T') || from.take(' ')) {
        const auto read = read_time(from);
        if (!read) return std::nullopt;
        time = *read;
      }
    }
  }
  const std::chrono::year_month_day date{std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!from.at_end() || !date.ok()) return std::nullopt;
  return std::chrono::sys_days(date).time_since_epoch() + time;
}

}  // namespace

std::int64_t parse_date(std::string_view text) {
  if (const auto read = read_date(DateCursor(text))) return read->count();
  throw InputError("'" + excerpt(text) +
                   "' is no date that exists; give it as 1990, 1990-02, 1990-02-28 or "
                   "1990-02-28T12:30:00Z");
}

std::string date_text(std::int64_t count) {
  constexpr std::int64_t kFirst = -62'167'219'200'000;  // 0000-01-01
  constexpr std::int64_t kEnd = 253'402'300'800'000;    // 10000-01-01
  if (count < kFirst || count >= kEnd) return std::to_string(count);
  const std::chrono::sys_time<milliseconds> moment{milliseconds(count)};
  const auto day = std::chrono::floor<std::chrono::days>(moment);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss time(moment - day);
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), "%04d-%02u-%02uT%02d:%02d:%02d.%03dZ",
                static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                static_cast<unsigned>(date.day()), static_cast<int>(time.hours().count()),
                static_cast<int>(time.minutes().count()), static_cast<int>(time.seconds().count()),
                static_cast<int>(time.subseconds().count()));
  return text.data();
}

}  // namespace warpdex
