// A VectorReader over the rows that a format's file stores: checks values, and converts them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "data/row_source.hpp"
#include "warpdex/vector/data/vector_reader.hpp"

namespace warpdex::vector {

class FileReader final : public VectorReader {
 public:
  FileReader(std::string name, Role role, std::unique_ptr<RowSource> source);

  Element element() const override { return element_of(source_->shape().type); }
  std::size_t dimension() const override { return source_->shape().dimension; }
  std::uint64_t rows() const override { return source_->shape().rows; }
  const std::string& name() const override { return name_; }
  std::size_t read(std::size_t rows, float* out) override;
  std::size_t read_raw(std::size_t rows, void* out) override;
  void seek(std::uint64_t row) override;

 private:
  /// The next `rows` rows as element()s, checked.
  void load(std::size_t rows, void* out);
  void narrow(std::size_t values, void* out);
  void check(std::size_t values, const void* loaded) const;
  /// "row R, column C of 'NAME'", for the value at `index` of the rows that are being read.
  std::string place(std::size_t index) const;

  std::string name_;
  Role role_;
  std::unique_ptr<RowSource> source_;
  std::uint64_t next_ = 0;
  std::vector<std::uint64_t> wide_;  ///< what is stored in a wider type than it is read as
  std::vector<std::uint64_t> part_;  ///< element()s before they become floats
};

}  // namespace warpdex::vector
