// Opens the file of vectors, and looks whether it fits.
#include "vector_input.hpp"

#include <utility>

#include "warpdex/core/error.hpp"
#include "warpdex/indexer/readers/paired_reader.hpp"
#include "warpdex/vector/data/vector_reader.hpp"

namespace warpdex::tools {

vector::RowSettings VectorInput::settings() const {
  const std::unique_ptr<vector::VectorReader> file = vector::open_vectors(path);
  const bool are_halves = file->element() == vector::Element::kFloat16;
  return {vector::metric_from_name(metric),
          are_halves ? vector::Store::kHalf : vector::Store::kFloat, file->dimension()};
}

void VectorInput::check(const std::optional<vector::RowSettings>& index,
                        const std::string& folder) const {
  if (path.empty() && index) {
    throw UsageError("the index '" + folder +
                     "' holds a vector for each document; give those of the new ones by --vectors");
  }
  if (path.empty()) return;
  if (!index) {
    throw UsageError("the index '" + folder +
                     "' holds no vectors; leave --vectors out, or build it again with vectors");
  }
  const std::size_t dimension = vector::open_vectors(path)->dimension();
  if (dimension == index->dimension) return;
  throw InputError("the vectors of '" + path + "' have " + std::to_string(dimension) +
                   " components, and those of the index '" + folder + "' have " +
                   std::to_string(index->dimension) + "; give vectors of the same model");
}

std::unique_ptr<DocumentReader> VectorInput::pair(std::unique_ptr<DocumentReader> documents) const {
  if (path.empty()) return documents;
  return pair_with_vectors(std::move(documents), vector::open_vectors(path));
}

}  // namespace warpdex::tools
