// Reads a vector with each document.
#include "warpdex/indexer/readers/paired_reader.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace warpdex {
namespace {

/// Rows that are read at a time.
constexpr std::size_t kRowsAtOnce = 256;

class PairedReader final : public DocumentReader {
 public:
  PairedReader(std::unique_ptr<DocumentReader> documents,
               std::unique_ptr<vector::VectorReader> vectors)
      : documents_(std::move(documents)),
        vectors_(std::move(vectors)),
        dimension_(vectors_->dimension()),
        rows_(kRowsAtOnce * dimension_) {}

  bool next(RawRecord& record) override {
    if (!documents_->next(record)) {
      if (taken_ < vectors_->rows()) {
        throw InputError("the documents end after " + std::to_string(taken_) + " of the " +
                         std::to_string(vectors_->rows()) + " vectors of '" + vectors_->name() +
                         "'; give one vector for each document, in their order");
      }
      return false;
    }
    if (next_row_ == read_rows_) {
      read_rows_ = vectors_->read(kRowsAtOnce, rows_.data());
      next_row_ = 0;
    }
    if (read_rows_ == 0) {
      throw InputError(record.location.to_string() + ": the document has no vector, as '" +
                       vectors_->name() + "' has only " + std::to_string(vectors_->rows()) +
                       "; give one vector for each document, in their order");
    }
    const auto row = rows_.begin() + static_cast<std::ptrdiff_t>(next_row_++ * dimension_);
    record.embedding.assign(row, row + static_cast<std::ptrdiff_t>(dimension_));
    ++taken_;
    return true;
  }

  Document parse(const RawRecord& record) const override {
    Document document = documents_->parse(record);
    document.embedding = record.embedding;
    return document;
  }

  bool has_vectors() const override { return documents_->has_vectors(); }
  FieldUse field_use() const override { return documents_->field_use(); }
  std::uint64_t unpacking_memory() const override { return documents_->unpacking_memory(); }
  LeftOut left_out() const override { return documents_->left_out(); }
  std::uint64_t bytes_consumed() const override { return documents_->bytes_consumed(); }
  std::uint64_t bytes_total() const override { return documents_->bytes_total(); }

 private:
  std::unique_ptr<DocumentReader> documents_;
  std::unique_ptr<vector::VectorReader> vectors_;
  std::size_t dimension_;
  std::vector<float> rows_;  ///< read_rows_ of them
  std::size_t read_rows_ = 0;
  std::size_t next_row_ = 0;
  std::uint64_t taken_ = 0;
};

}  // namespace

std::unique_ptr<DocumentReader> pair_with_vectors(std::unique_ptr<DocumentReader> documents,
                                                  std::unique_ptr<vector::VectorReader> vectors) {
  return std::make_unique<PairedReader>(std::move(documents), std::move(vectors));
}

}  // namespace warpdex
