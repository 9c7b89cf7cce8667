// Hands stored fields, values of columns and vectors to their writers, and counts them.
#include "format/document_extras.hpp"

#include <algorithm>

#include "warpdex/core/error.hpp"

namespace warpdex {

DocumentExtras::DocumentExtras(SegmentFiles& files, const IndexSettings& settings) {
  if (!settings.stored_fields.empty()) stored_.emplace(files);
  if (const auto columns = columns_of(settings.schema); !columns.empty()) {
    columns_.emplace(files, columns);
  }
  for (const VectorSet& set : vector_sets(settings)) {
    vectors_.emplace_back(files, set.rows, set.prefix);
  }
}

void DocumentExtras::set_threads(std::size_t threads) {
  if (stored_) stored_->set_threads(threads);
}

void DocumentExtras::add_stored(std::string_view record, std::uint64_t documents) {
  if (!stored_ || stored_->documents() + 1 != documents) {
    throw UsageError("stored fields come once for each document of an index that stores some");
  }
  stored_->add(record);
}

void DocumentExtras::add_values(const FieldValues& values, std::uint64_t documents) {
  if (!columns_ || columns_->documents() + 1 != documents) {
    throw UsageError("values of columns come once for each document of an index that has columns");
  }
  columns_->add(values);
}

vector::RowSections& DocumentExtras::next_vector(std::size_t set, std::uint64_t documents) {
  if (set >= vectors_.size() || vectors_[set].rows() + 1 != documents) {
    throw UsageError("vectors come once for each document of an index that holds vectors");
  }
  return vectors_[set];
}

void DocumentExtras::add_vector(std::span<const float> vector, std::size_t set,
                                std::uint64_t documents) {
  next_vector(set, documents).add(vector);
}

void DocumentExtras::copy_vector(const vector::VectorView& from, std::size_t row, std::size_t set,
                                 std::uint64_t documents) {
  next_vector(set, documents).copy(from, row);
}

void DocumentExtras::finish(std::uint64_t documents) {
  const auto is_short = [&](const vector::RowSections& set) { return set.rows() != documents; };
  if ((stored_ && stored_->documents() != documents) ||
      (columns_ && columns_->documents() != documents) || std::ranges::any_of(vectors_, is_short)) {
    throw UsageError(
        "a document came without the stored fields, the values or the vector that the index holds");
  }
  if (stored_) stored_->finish();
  if (columns_) columns_->finish();
  for (vector::RowSections& set : vectors_) set.finish();
}

std::uint64_t DocumentExtras::memory() const {
  std::uint64_t bytes = (stored_ ? stored_->memory() : 0) + (columns_ ? columns_->memory() : 0);
  for (const vector::RowSections& set : vectors_) bytes += set.memory();
  return bytes;
}

}  // namespace warpdex
