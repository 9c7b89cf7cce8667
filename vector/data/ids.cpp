// Ids of vectors, and the search for those that are there twice.
#include "warpdex/vector/data/ids.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

#include "data/data_file.hpp"
#include "data/file_format.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/text_lines.hpp"
#include "warpdex/vector/data/vector_reader.hpp"

namespace warpdex::vector {
namespace {

struct Repetition {
  std::uint64_t first = 0;
  std::uint64_t second = std::numeric_limits<std::uint64_t>::max();
};

/// The earliest row whose key an earlier row has, with the first such; none where second is the
/// largest number there is. `before(a, b)` orders rows by key, `same(a, b)` compares keys.
template <class Before, class Same>
Repetition find_repetition(std::uint64_t rows, const Before& before, const Same& same) {
  std::vector<std::uint64_t> order(rows);
  std::iota(order.begin(), order.end(), std::uint64_t{0});
  std::sort(order.begin(), order.end(), [&](std::uint64_t a, std::uint64_t b) {
    return before(a, b) || (!before(b, a) && a < b);
  });
  Repetition found;
  std::size_t start = 0;
  for (std::size_t i = 1; i < rows; ++i) {
    if (!same(order[start], order[i])) {
      start = i;
    } else if (i == start + 1 && order[i] < found.second) {
      found = {order[start], order[i]};
    }
  }
  return found;
}

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

/// Why the text can be no id, or "".
std::string fault_of(std::string_view text) {
  if (text.empty()) return "is empty; give each vector an id";
  if (text.size() > kMaxIdBytes) {
    return "has an id of " + std::to_string(text.size()) + " bytes; at most " +
           std::to_string(kMaxIdBytes) + " are taken";
  }
  if (std::any_of(text.begin(), text.end(), is_control)) {
    return "has a tab or another control character in its id; take it out";
  }
  return "";
}

/// The text for a message.
std::string excerpt(std::string_view text) {
  constexpr std::size_t kShown = 60;
  return "'" + std::string(text.substr(0, kShown)) + (text.size() > kShown ? "...'" : "'");
}

std::vector<std::int64_t> read_numbers(const std::string& path) {
  const auto reader = open_vectors(path, Role::kNeighbors);
  const Element element = reader->element();
  if (element != Element::kInt32 && element != Element::kInt64) {
    throw InputError(
        "'" + path + "' holds " + std::string(element_name(element)) +
        " values, but ids are of int32, int64, uint32 or uint64; is it the right file?");
  }
  if (reader->dimension() != 1) {
    throw InputError("'" + path + "' has " + std::to_string(reader->dimension()) +
                     " values a row, but ids have one; is it the right file?");
  }
  std::vector<std::int64_t> numbers(reader->rows());
  if (element == Element::kInt64) {
    reader->read_raw(numbers.size(), numbers.data());
  } else {
    std::vector<std::int32_t> narrow(numbers.size());
    reader->read_raw(narrow.size(), narrow.data());
    std::copy(narrow.begin(), narrow.end(), numbers.begin());
  }
  return numbers;
}

/// Calls back with each line of a file, without its end, and its number from 1.
class LineFile {
 public:
  explicit LineFile(const std::string& path) : file_(path) { file_.expect_sequence(); }

  template <class Take>
  void each(const Take& take) {
    std::string rest;
    std::uint64_t offset = 0;
    while (offset < file_.size()) {
      const std::size_t before = rest.size();
      const std::size_t bytes = std::min<std::uint64_t>(kBlockBytes, file_.size() - offset);
      rest.resize(before + bytes);
      file_.read(offset, bytes, rest.data() + before);
      if (offset == 0)
        check_encoding(std::string_view(rest).substr(0, kEncodingBytes), file_.name());
      offset += bytes;
      std::size_t start = 0;
      for (std::size_t end; (end = rest.find('\n', std::max(start, before))) != std::string::npos;
           start = end + 1) {
        take_line(std::string_view(rest).substr(start, end - start), take);
      }
      rest.erase(0, start);
      // A binary file may have no line end for gigabytes.
      if (rest.size() > kMaxIdBytes + 1) take_line(rest, take);
    }
    // A mark alone is no last line.
    if (!without_byte_order_marks(rest).empty()) take_line(rest, take);
  }

 private:
  static constexpr std::size_t kBlockBytes = std::size_t{1} << 20;

  template <class Take>
  void take_line(std::string_view line, const Take& take) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    take(without_byte_order_marks(line), ++number_);
  }

  DataFile file_;
  std::uint64_t number_ = 0;
};

}  // namespace

VectorIds::VectorIds(std::vector<std::int64_t> numbers, const std::string& name)
    : are_given_(true), numbers_(std::move(numbers)) {
  check_numbers(name);
}

VectorIds::VectorIds(const std::vector<std::string>& texts, const std::string& name)
    : are_given_(true), are_texts_(true) {
  for (std::size_t row = 0; row < texts.size(); ++row) {
    const std::string fault = fault_of(texts[row]);
    if (!fault.empty()) {
      throw InputError("row " + std::to_string(row) + " of " + name + " " + fault);
    }
    append(texts[row]);
  }
  check_texts(name, "rows", 0);
}

void VectorIds::append(std::string_view text) {
  bytes_ += text;
  ends_.push_back(bytes_.size());
}

void VectorIds::check_numbers(const std::string& name) const {
  const auto [first, second] = find_repetition(
      size(), [&](std::uint64_t a, std::uint64_t b) { return numbers_[a] < numbers_[b]; },
      [&](std::uint64_t a, std::uint64_t b) { return numbers_[a] == numbers_[b]; });
  if (second >= size()) return;
  throw InputError("rows " + std::to_string(first) + " and " + std::to_string(second) + " of " +
                   name + " have the same id, " + std::to_string(numbers_[first]) +
                   "; give each vector its own");
}

void VectorIds::check_texts(const std::string& name, const char* unit, std::uint64_t from) const {
  std::vector<std::size_t> hashes(size());
  for (std::uint64_t row = 0; row < size(); ++row) {
    hashes[row] = std::hash<std::string_view>()(text(row));
  }
  const auto [first, second] = find_repetition(
      size(),
      [&](std::uint64_t a, std::uint64_t b) {
        return hashes[a] != hashes[b] ? hashes[a] < hashes[b] : text(a) < text(b);
      },
      [&](std::uint64_t a, std::uint64_t b) {
        return hashes[a] == hashes[b] && text(a) == text(b);
      });
  if (second >= size()) return;
  throw InputError(std::string(unit) + " " + std::to_string(from + first) + " and " +
                   std::to_string(from + second) + " of " + name + " are the same id, " +
                   excerpt(text(first)) + "; give each vector its own");
}

VectorIds read_ids(const std::string& path) {
  VectorIds ids = read_id_set(path);
  if (ids.are_texts()) {
    ids.check_texts("'" + path + "'", "lines", 1);
  } else {
    ids.check_numbers("'" + path + "'");
  }
  return ids;
}

VectorIds read_id_set(const std::string& path) {
  const std::optional<DataPath> format = find_data_path(path);
  VectorIds ids;
  ids.are_given_ = true;
  if (format && format->format == FileFormat::kNpy) {
    ids.numbers_ = read_numbers(path);
    return ids;
  }
  if (format) {
    throw UsageError("'" + path +
                     "' holds vectors by its name; ids come from a .npy file, or from a text file "
                     "with one id a line");
  }
  ids.are_texts_ = true;
  LineFile(path).each([&](std::string_view line, std::uint64_t number) {
    std::string fault = line_fault(line);
    if (fault.empty()) fault = fault_of(line);
    if (!fault.empty()) {
      throw InputError("line " + std::to_string(number) + " of '" + path + "' " + fault);
    }
    ids.append(line);
  });
  return ids;
}

}  // namespace warpdex::vector
