// Names of vectors, by which answers show them: numbers or texts, one a row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpdex::vector {

/// Text ids have from 1 to this many bytes.
inline constexpr std::size_t kMaxIdBytes = 4096;

/// What ids the vectors of an index have.
enum class IdKind : std::uint8_t {
  kRows,     ///< none but their row numbers
  kNumbers,  ///< 64-bit integers
  kTexts,
};

/// Of a set of ids, those that no vector has, or none any more.
struct UnknownIds {
  std::size_t count = 0;
  std::string first = {};        ///< the id
  std::string first_place = {};  ///< "line 3" of texts, counted from 1, or "row 2", from 0
};

/// An id for each of size() rows, either all 64-bit integers or all texts. No two are the same.
/// Ids of no rows are not the same as no ids: an index that begins empty may have ids later.
class VectorIds {
 public:
  /// No ids: rows have only their numbers.
  VectorIds() = default;
  /// Throws InputError, with both rows, if an id is there twice. Messages call the ids `name`.
  /// O(n log n).
  explicit VectorIds(std::vector<std::int64_t> numbers, const std::string& name = "the ids");
  /// Likewise, and InputError for a text that is empty, longer than kMaxIdBytes, or holds a control
  /// character (a tab, a line end).
  explicit VectorIds(const std::vector<std::string>& texts, const std::string& name = "the ids");

  /// Whether there are ids, be it of no rows.
  bool are_given() const { return are_given_; }
  bool are_texts() const { return are_texts_; }
  std::uint64_t size() const { return are_texts_ ? ends_.size() : numbers_.size(); }

  /// All numbers; empty if they are texts.
  std::span<const std::int64_t> numbers() const { return numbers_; }
  /// The text of a row. Only if they are texts.
  std::string_view text(std::uint64_t row) const {
    const std::uint64_t begin = row == 0 ? 0 : ends_[row - 1];
    return std::string_view(bytes_).substr(begin, ends_[row] - begin);
  }
  /// A row's id as text, whichever it is.
  std::string written(std::uint64_t row) const {
    return are_texts_ ? std::string(text(row)) : std::to_string(numbers_[row]);
  }

 private:
  friend VectorIds read_ids(const std::string& path);
  friend VectorIds read_id_set(const std::string& path);

  void append(std::string_view text);
  void check_numbers(const std::string& name) const;
  void check_texts(const std::string& name, const char* unit, std::uint64_t first) const;

  bool are_given_ = false;
  bool are_texts_ = false;
  std::vector<std::int64_t> numbers_;
  std::string bytes_;                ///< the texts, one after the other
  std::vector<std::uint64_t> ends_;  ///< of each text in bytes_
};

/// Reads ids. A .npy file (of int32, int64, uint32 or uint64; one column) gives numbers. Any other
/// file is text, one id a line, and gives texts, also where all are digits; a line may end in CR
/// LF, a byte order mark is passed over. The caller checks that there are as many ids as vectors.
/// Throws InputError for a number past int64, an empty line, a text that VectorIds refuses, and an
/// id that is there twice (with both lines, or rows); UsageError for a file of vectors (.fvecs and
/// the like); IoError.
VectorIds read_ids(const std::string& path);

/// Likewise, of a set: ids may be there more than once.
VectorIds read_id_set(const std::string& path);

}  // namespace warpdex::vector
