#include "vectors/read_rows.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "warpdex/core/error.hpp"

namespace warpdex {
namespace {

constexpr std::size_t kReadBytes = std::size_t{4} << 20;

}  // namespace

void read_rows(vector::VectorReader& reader, std::size_t dimension,
               const vector::BuildProgress& progress,
               const std::function<void(std::span<const float>)>& take) {
  if (reader.dimension() != dimension) {
    throw UsageError("the vectors in '" + reader.name() + "' have " +
                     std::to_string(reader.dimension()) + " components, not " +
                     std::to_string(dimension) + "; give vectors of that dimension");
  }
  const std::size_t part = std::max<std::size_t>(1, kReadBytes / (dimension * sizeof(float)));
  std::vector<float> rows(part * dimension);
  std::uint64_t done = 0;
  while (const std::size_t count = reader.read(part, rows.data())) {
    take({rows.data(), count * dimension});
    done += count;
    progress("reading", done, reader.rows());
  }
}

}  // namespace warpdex
