// .npy: arrays as NumPy saves them.
#include "data/block_source.hpp"
#include "data/npy_header.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::vector {

std::unique_ptr<RowSource> open_npy(const DataPath& path, Role role) {
  DataFile file(path.file);
  const auto [shape, begin] = read_npy_header(file);
  check_axes(file.name(), shape, role);
  check_dimension(file.name(), shape.dimension, role);
  const std::uint64_t row_bytes = shape.dimension * stored_bytes(shape.type);
  const std::uint64_t needed = total_bytes(shape.rows, row_bytes, begin);
  if (needed != file.size()) {
    throw InputError(
        "the header of '" + file.name() + "' says " + std::to_string(shape.rows) + " rows of " +
        std::to_string(shape.dimension) + " values, which take " + std::to_string(needed) +
        " bytes, but the file has " + std::to_string(file.size()) +
        (needed > file.size() ? "; it was cut short" : "; save each array as a file of its own"));
  }
  return std::make_unique<BlockSource>(std::move(file), shape, begin);
}

}  // namespace warpdex::vector
