// .fvecs, .bvecs and .ivecs: each row is its dimension (int32), then its components.
#include <algorithm>
#include <cstring>
#include <vector>

#include "data/data_file.hpp"
#include "data/row_source.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::vector {
namespace {

constexpr std::size_t kPrefix = sizeof(std::int32_t);
constexpr std::size_t kReadBytes = std::size_t{1} << 20;

class VecsSource final : public RowSource {
 public:
  VecsSource(const DataPath& path, Role role) : file_(path.file) {
    if (file_.size() < kPrefix) {
      throw InputError("'" + file_.name() + "' " +
                       (file_.size() == 0 ? "is empty, so the dimension of its rows is unknown"
                                          : "is too short to hold a row") +
                       "; write it again");
    }
    std::int32_t dimension = 0;
    file_.read(0, kPrefix, &dimension);
    check_sign(dimension);
    shape_.type = static_cast<StoredType>(*path.element);
    shape_.dimension = static_cast<std::uint32_t>(dimension);
    check_dimension(file_.name(), shape_.dimension, role);
    row_bytes_ = shape_.dimension * stored_bytes(shape_.type) + kPrefix;
    if (file_.size() % row_bytes_ != 0) refuse_size();
    shape_.rows = file_.size() / row_bytes_;
    file_.expect_sequence();
  }

  void load(std::uint64_t first, std::size_t rows, void* out) override {
    auto* to = static_cast<char*>(out);
    const std::size_t at_once = std::max<std::size_t>(1, kReadBytes / row_bytes_);
    buffer_.resize(std::min(rows, at_once) * row_bytes_);
    while (rows > 0) {
      const std::size_t count = std::min(rows, at_once);
      file_.read(first * row_bytes_, count * row_bytes_, buffer_.data());
      for (std::size_t i = 0; i < count; ++i, to += row_bytes_ - kPrefix) {
        copy_row(buffer_.data() + i * row_bytes_, first + i, to);
      }
      first += count;
      rows -= count;
    }
  }

 private:
  void check_sign(std::int32_t dimension) const {
    if (dimension >= 0) return;
    throw InputError("'" + file_.name() + "' begins with the dimension " +
                     std::to_string(dimension) + "; it is damaged, or not of this format");
  }

  [[noreturn]] void refuse_size() const {
    throw InputError("'" + file_.name() + "' has " + std::to_string(file_.size()) +
                     " bytes, which is no multiple of the " + std::to_string(row_bytes_) +
                     " that a row of dimension " + std::to_string(shape_.dimension) +
                     " takes; it was cut short, or is not of this format");
  }

  void copy_row(const char* from, std::uint64_t row, char* to) const {
    std::int32_t dimension = 0;
    std::memcpy(&dimension, from, kPrefix);
    if (dimension != static_cast<std::int32_t>(shape_.dimension)) {
      throw InputError("row " + std::to_string(row) + " of '" + file_.name() +
                       "' has the dimension " + std::to_string(dimension) +
                       ", but the rows before it have " + std::to_string(shape_.dimension) +
                       "; all rows of a file must have the same");
    }
    std::memcpy(to, from + kPrefix, row_bytes_ - kPrefix);
  }

  DataFile file_;
  std::size_t row_bytes_ = 0;  ///< with the dimension
  std::vector<char> buffer_;
};

}  // namespace

std::unique_ptr<RowSource> open_vecs(const DataPath& path, Role role) {
  return std::make_unique<VecsSource>(path, role);
}

}  // namespace warpdex::vector
