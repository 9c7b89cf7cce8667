// Opens the file of vectors, and checks whether it fits.
#include "options/vector_input.hpp"

#include <string_view>
#include <utility>

#include "warpdex/core/error.hpp"
#include "warpdex/indexer/readers/paired_reader.hpp"
#include "warpdex/vector/data/vector_reader.hpp"

namespace warpdex::tools {

namespace {

constexpr std::string_view kField = "field:";

}  // namespace

std::string VectorInput::field(DocumentFormat format) const {
  if (!path.starts_with(kField)) return {};
  const std::string name = path.substr(kField.size());
  if (name.empty()) {
    throw UsageError("--vectors field: names no member; give its name, as in field:embedding");
  }
  if (format != DocumentFormat::kJsonl) {
    throw UsageError("--vectors " + path + " is for --format jsonl; give a file of vectors");
  }
  return name;
}

std::string VectorInput::file() const { return path.starts_with(kField) ? std::string() : path; }

vector::RowSettings VectorInput::settings(DocumentReader& documents) const {
  const vector::Metric kind = vector::metric_from_name(metric);
  if (file().empty())
    return {kind, vector::Store::kFloat, documents.embedding_dimension(), found_by};
  const std::unique_ptr<vector::VectorReader> opened = vector::open_vectors(path);
  const bool are_halves = opened->element() == vector::Element::kFloat16;
  return {kind, are_halves ? vector::Store::kHalf : vector::Store::kFloat, opened->dimension(),
          found_by};
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
  if (file().empty()) return;  // each document's vector is looked at
  const std::size_t dimension = vector::open_vectors(path)->dimension();
  if (dimension == index->dimension) return;
  throw InputError("the vectors of '" + path + "' have " + std::to_string(dimension) +
                   " components, and those of the index '" + folder + "' have " +
                   std::to_string(index->dimension) + "; give vectors of the same model");
}

std::unique_ptr<DocumentReader> VectorInput::pair(std::unique_ptr<DocumentReader> documents) const {
  if (file().empty()) return documents;
  return pair_with_vectors(std::move(documents), vector::open_vectors(path));
}

}  // namespace warpdex::tools
