// The values of one column of a segment, as they lie in its section. docs/format.md, "Columns".
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "warpdex/indexer/index_settings.hpp"

namespace warpdex {

/// The name of the section of the column of that number, from 0.
std::string column_name(std::size_t column);

/// Begins the section of a column.
struct ColumnHeader {
  std::uint64_t values = 0;    ///< slots of packed values
  std::uint64_t base = 0;      ///< the least key
  std::uint64_t step = 1;      ///< keys are base + step * packed value
  std::uint64_t distinct = 0;  ///< strings of the dictionary of keywords
  std::uint32_t width = 0;     ///< bits of a packed value: 0, 1, 2, 4, 8, 16, 32 or 64
  std::uint32_t form = 0;      ///< a ColumnForm
  std::uint64_t reserved[3] = {};
};
static_assert(sizeof(ColumnHeader) == 64);

/// How many values documents have.
enum class ColumnForm : std::uint32_t {
  kOne,      ///< each one; slot i is of document i
  kSome,     ///< one or none, as bits say; slot i is of document i
  kSeveral,  ///< any number; those of document i from its begin up to the next one's
};

/// A key is a value as an unsigned number of the same order: of keywords its place in the
/// dictionary, of kBool 0 or 1, of kInt and kDate the number with its highest bit turned, of kFloat
/// its bits, turned so that they ascend.
std::uint64_t key_of_int(std::int64_t value);
std::int64_t int_of_key(std::uint64_t key);
std::uint64_t key_of_float(double value);
double float_of_key(std::uint64_t key);
/// The key of a value of any field but a keyword.
std::uint64_t key_of(const FieldValue& value);

/// Views of the bytes, which are not trusted, and must outlive it. Copied around freely.
class ColumnView {
 public:
  /// Throws FormatError where sizes do not fit together. O(1).
  ColumnView(const Field& field, std::span<const std::uint8_t> section, std::uint64_t documents);

  const Field& field() const { return field_; }
  std::uint64_t documents() const { return documents_; }
  const ColumnHeader& header() const { return header_; }
  ColumnForm form() const { return static_cast<ColumnForm>(header_.form); }

  /// Slots of a document, from begin to end.
  struct Slots {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::uint64_t size() const { return end - begin; }
  };
  /// Throws FormatError for damaged bytes. O(1).
  Slots slots(std::uint64_t document) const {
    switch (form()) {
      case ColumnForm::kOne: return {document, document + 1};
      case ColumnForm::kSome: return {document, document + (has(document) ? 1 : 0)};
      case ColumnForm::kSeveral: break;
    }
    const Slots found{begins_[document], begins_[document + 1]};
    if (found.begin > found.end || found.end > header_.values) damaged();
    return found;
  }
  /// The packed value of a slot. O(1).
  std::uint64_t packed(std::uint64_t slot) const {
    const std::uint64_t bit = slot * header_.width;
    switch (header_.width) {
      case 0: return 0;
      case 8: return packed_[slot];
      case 16: return read<std::uint16_t>(slot);
      case 32: return read<std::uint32_t>(slot);
      case 64: return read<std::uint64_t>(slot);
      default: return packed_[bit / 8] >> bit % 8 & ((1U << header_.width) - 1);
    }
  }
  std::uint64_t key(std::uint64_t slot) const { return header_.base + header_.step * packed(slot); }
  /// A string of the dictionary of keywords, which ascend by their bytes. Throws FormatError for
  /// damaged bytes. O(1).
  std::string_view text(std::uint64_t ordinal) const;
  /// The first string that is not less; header().distinct: there is none. O(log distinct).
  std::uint64_t lower_bound(std::string_view text) const;

  /// The value of a key. Throws FormatError.
  FieldValue value(std::uint64_t key) const;
  /// All values of a document, as FieldValues has them. Throws FormatError.
  std::vector<FieldValue> values(std::uint64_t document) const;

  /// kSome: bit d mod 64 of word d / 64 is set where document d has a value.
  std::span<const std::uint64_t> present() const { return present_; }
  /// kSeveral: where the slots of each document begin, and the end of the last one's.
  std::span<const std::uint32_t> begins() const { return begins_; }
  /// The packed values, 8-byte aligned, with kSectionSlack bytes behind them.
  std::span<const std::uint8_t> packed_bytes() const { return packed_; }

 private:
  bool has(std::uint64_t document) const {
    return (present_[document / 64] >> document % 64 & 1) != 0;
  }
  template <class T>
  T read(std::uint64_t slot) const {
    T value;
    std::memcpy(&value, packed_.data() + slot * sizeof(T), sizeof(T));
    return value;
  }
  [[noreturn]] void damaged() const;

  Field field_;
  std::uint64_t documents_ = 0;
  ColumnHeader header_;
  std::span<const std::uint64_t> present_;
  std::span<const std::uint32_t> begins_;
  std::span<const std::uint8_t> packed_;
  std::span<const std::uint64_t> offsets_;  ///< of the dictionary's strings, in bytes
  std::span<const std::uint8_t> text_;
};

}  // namespace warpdex
