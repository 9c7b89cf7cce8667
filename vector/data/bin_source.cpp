// .fbin, .u8bin, .i8bin and .ibin: the number of rows and the dimension (uint32 each), then rows.
#include <array>

#include "data/block_source.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::vector {

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
  const std::uint64_t row_bytes = shape.dimension * stored_bytes(shape.type);
  const std::uint64_t needed = total_bytes(shape.rows, row_bytes, sizeof header);
  if (needed != file.size()) {
    throw InputError("the header of '" + file.name() + "' says " + std::to_string(shape.rows) +
                     " rows of " + std::to_string(shape.dimension) + " values, which take " +
                     std::to_string(needed) + " bytes, but the file has " +
                     std::to_string(file.size()) +
                     (needed > file.size() ? "; it was cut short, or is not of this format"
                                           : "; more lies behind the rows, which is not read"));
  }
  return std::make_unique<BlockSource>(std::move(file), shape, sizeof header);
}

}  // namespace warpdex::vector
