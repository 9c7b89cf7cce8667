#include "data/npy_header.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <vector>

#include "warpdex/core/error.hpp"

namespace warpdex::vector {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kMaxTextBytes = std::size_t{1} << 20;  // NumPy's own limit is far below

struct TypeName {
  std::string_view name;
  StoredType type;
};

/// As NumPy writes them here; '=' and '|' in the first place are the same as '<' for us.
constexpr std::array<TypeName, 10> kTypes{{{"<f4", StoredType::kFloat32},
                                           {"<f2", StoredType::kFloat16},
                                           {"|i1", StoredType::kInt8},
                                           {"|u1", StoredType::kUint8},
                                           {"<i4", StoredType::kInt32},
                                           {"<i8", StoredType::kInt64},
                                           {"|b1", StoredType::kBool},
                                           {"<f8", StoredType::kFloat64},
                                           {"<u4", StoredType::kUint32},
                                           {"<u8", StoredType::kUint64}}};

/// Cuts up the dictionary, which is a literal of Python's:
/// {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
class HeaderText {
 public:
  HeaderText(std::string_view text, std::string name) : rest_(text), name_(std::move(name)) {}

  [[noreturn]] void fail(const std::string& sentence) const {
    throw InputError("'" + name_ + "' " + sentence);
  }
  [[noreturn]] void fail_damaged() const {
    fail("has a damaged header; write it again with numpy.save");
  }

  /// Whether `c` comes next; it is passed over.
  bool take(char c) {
    skip_blanks();
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (!take(c)) fail_damaged();
  }
  bool at_end() {
    skip_blanks();
    return rest_.empty();
  }

  std::string_view text() {
    skip_blanks();
    if (rest_.empty() || (rest_.front() != '\'' && rest_.front() != '"')) fail_damaged();
    const std::size_t end = rest_.find(rest_.front(), 1);
    if (end == std::string_view::npos) fail_damaged();
    const std::string_view value = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    return value;
  }
  bool boolean() {
    skip_blanks();
    for (const auto& [word, value] : {std::pair{"True", true}, std::pair{"False", false}}) {
      if (!rest_.starts_with(word)) continue;
      rest_.remove_prefix(std::string_view(word).size());
      return value;
    }
    fail_damaged();
  }
  std::vector<std::uint64_t> tuple() {
    std::vector<std::uint64_t> values;
    expect('(');
    while (!take(')')) {
      values.push_back(number());
      if (!take(',')) {
        expect(')');
        break;
      }
    }
    return values;
  }

 private:
  void skip_blanks() {
    const std::size_t blanks = rest_.find_first_not_of(" \t\r\n");
    rest_.remove_prefix(std::min(blanks, rest_.size()));
  }
  std::uint64_t number() {
    skip_blanks();
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc()) fail_damaged();
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    if (rest_.starts_with('L')) rest_.remove_prefix(1);  // as Python 2 wrote whole numbers
    return value;
  }

  std::string_view rest_;
  std::string name_;
};

/// A type's name for a message.
std::string shown(std::string_view type) {
  constexpr std::size_t kMax = 40;
  std::string text(type.substr(0, kMax));
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = '?';
  }
  return "'" + text + "'";
}

StoredType read_type(HeaderText& text) {
  constexpr const char* kTaken =
      "only float64, float32, float16, int8, uint8, int32, uint32, int64, "
      "uint64 and bool are read";
  if (text.take('[')) text.fail("holds records of several fields; save each as a file of its own");
  const std::string_view type = text.text();
  if (type.size() < 2) text.fail_damaged();
  for (const TypeName& known : kTypes) {
    if (type.substr(1) != known.name.substr(1)) continue;
    const bool one_byte = known.name.front() == '|';
    if (type.front() == '>' && !one_byte) {
      text.fail("holds numbers with their high byte first (" + shown(type) +
                "); save it again by .astype(a.dtype.newbyteorder('<'))");
    }
    if (std::string_view("<=|>").find(type.front()) != std::string_view::npos) return known.type;
  }
  text.fail("holds values of type " + shown(type) + ", but " + kTaken +
            "; convert it with .astype");
}

void set_shape(const std::vector<std::uint64_t>& axes, const HeaderText& text, RowShape* shape) {
  if (axes.empty() || axes.size() > 2) {
    text.fail("holds an array of " + std::to_string(axes.size()) +
              " axes, but only rows of vectors (2 axes) or of single values (1) are read; reshape "
              "it");
  }
  shape->rows = axes[0];
  shape->axes = static_cast<int>(axes.size());
  shape->dimension = axes.size() == 2 ? axes[1] : 1;
}

RowShape parse(HeaderText text) {
  RowShape shape;
  bool has_type = false;
  bool has_order = false;
  std::optional<std::vector<std::uint64_t>> axes;
  text.expect('{');
  while (!text.take('}')) {
    const std::string_view key = text.text();
    text.expect(':');
    if (key == "descr" && !has_type) {
      shape.type = read_type(text);
      has_type = true;
    } else if (key == "fortran_order" && !has_order) {
      has_order = true;
      if (text.boolean()) {
        text.fail("is in Fortran order; save it again by numpy.ascontiguousarray");
      }
    } else if (key == "shape" && !axes) {
      axes = text.tuple();
    } else {
      text.fail_damaged();
    }
    if (!text.take(',')) {
      text.expect('}');
      break;
    }
  }
  if (!text.at_end() || !has_type || !has_order || !axes) text.fail_damaged();
  set_shape(*axes, text, &shape);
  return shape;
}

}  // namespace

NpyHeader read_npy_header(const DataFile& file) {
  std::array<unsigned char, 12> start{};
  const std::size_t there = std::min<std::uint64_t>(start.size(), file.size());
  file.read(0, there, start.data());
  const std::string_view magic(reinterpret_cast<const char*>(start.data()), kMagic.size());
  HeaderText failing("", file.name());
  if (there < 10 || magic != kMagic) failing.fail("is not a .npy file: it does not begin as one");
  const int version = start[6];
  if (version < 1 || version > 3) {
    failing.fail("is of version " + std::to_string(version) +
                 " of the .npy format, but 1 to 3 are "
                 "read; save it with another NumPy");
  }
  const std::size_t before = version == 1 ? 10 : 12;
  std::uint64_t size = start[8] | std::uint64_t{start[9]} << 8;
  if (version > 1) size |= std::uint64_t{start[10]} << 16 | std::uint64_t{start[11]} << 24;
  if (size > kMaxTextBytes) failing.fail_damaged();
  if (before + size > file.size()) failing.fail("ends within its header; it was cut short");
  std::string text(size, '\0');
  file.read(before, size, text.data());
  return {.shape = parse(HeaderText(text, file.name())), .begin = before + size};
}

std::string_view npy_type(Element element) {
  return kTypes.at(static_cast<std::size_t>(element)).name;
}

std::string npy_header_bytes(Element element, std::uint64_t rows, std::uint64_t dimension) {
  std::string text = "{'descr': '" + std::string(npy_type(element)) +
                     "', 'fortran_order': False, 'shape': (" + std::to_string(rows) + ", " +
                     std::to_string(dimension) + "), }";
  constexpr std::size_t kTextBytes = kNpyHeaderBytes - 10;
  text.resize(kTextBytes - 1, ' ');
  std::string bytes(kMagic);
  bytes += {'\1', '\0', static_cast<char>(kTextBytes), '\0'};
  return bytes + text + '\n';
}

}  // namespace warpdex::vector
