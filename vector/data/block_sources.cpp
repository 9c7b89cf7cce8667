// Files whose rows lie one after the other behind a header. .fbin, .u8bin, .i8bin and .ibin: the
// number of rows and the dimension (uint32 each). .npy: arrays as NumPy saves them.
#include <array>
#include <utility>

#include "data/data_file.hpp"
#include "data/npy_header.hpp"
#include "data/row_source.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::vector {
namespace {

class BlockSource final : public RowSource {
 public:
  /// The rows begin `begin` bytes into the file, and the file has all of them.
  BlockSource(DataFile file, const RowShape& shape, std::uint64_t begin)
      : file_(std::move(file)), begin_(begin) {
    shape_ = shape;
    file_.expect_sequence();
  }

  void load(std::uint64_t first, std::size_t rows, void* out) override {
    const std::size_t row_bytes = shape_.dimension * stored_bytes(shape_.type);
    file_.read(begin_ + first * row_bytes, rows * row_bytes, out);
  }

 private:
  DataFile file_;
  std::uint64_t begin_;
};

/// Throws InputError where the file has not just the rows that its header says; then `if_short` or
/// `if_long` says what may be wrong.
std::unique_ptr<RowSource> open_block(DataFile file, const RowShape& shape, std::uint64_t begin,
                                      const char* if_short, const char* if_long) {
  const std::uint64_t row_bytes = shape.dimension * stored_bytes(shape.type);
  const std::uint64_t needed = total_bytes(shape.rows, row_bytes, begin);
  if (needed != file.size()) {
    throw InputError("the header of '" + file.name() + "' says " + std::to_string(shape.rows) +
                     " rows of " + std::to_string(shape.dimension) + " values, which take " +
                     std::to_string(needed) + " bytes, but the file has " +
                     std::to_string(file.size()) + (needed > file.size() ? if_short : if_long));
  }
  return std::make_unique<BlockSource>(std::move(file), shape, begin);
}

}  // namespace

std::unique_ptr<RowSource> open_bin(const DataPath& path, Role role) {
  DataFile file(path.file);
  std::array<std::uint32_t, 2> header{};
  if (file.size() < sizeof header) {
    throw InputError("'" + file.name() +
                     "' is too short for its header of 8 bytes; write it again");
  }
  file.read(0, sizeof header, header.data());
  const RowShape shape{static_cast<StoredType>(*path.element), header[0], header[1]};
  check_dimension(file.name(), shape.dimension, role);
  return open_block(std::move(file), shape, sizeof header,
                    "; it was cut short, or is not of this format",
                    "; more lies behind the rows, which is not read");
}

std::unique_ptr<RowSource> open_npy(const DataPath& path, Role role) {
  DataFile file(path.file);
  const auto [shape, begin] = read_npy_header(file);
  check_axes(file.name(), shape, role);
  check_dimension(file.name(), shape.dimension, role);
  return open_block(std::move(file), shape, begin, "; it was cut short",
                    "; save each array as a file of its own");
}

}  // namespace warpdex::vector
