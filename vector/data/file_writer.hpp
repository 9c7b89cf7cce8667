// What the writers of all formats share: counting rows, a buffer, and the file that is pending.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "data/file_format.hpp"
#include "warpdex/core/storage/pending_file.hpp"
#include "warpdex/vector/data/vector_writer.hpp"

namespace warpdex::vector {

/// What is to be written.
struct WriterSettings {
  std::string name;  ///< the path as it was given, for messages
  DataPath path;
  Element element = Element::kFloat32;
  std::size_t dimension = 0;
  std::optional<std::uint64_t> rows;  ///< as many as were announced
  Role role = Role::kBase;
};

/// Writes rows one after the other, from where the file stands.
class FileWriter : public VectorWriter {
 public:
  Element element() const override { return settings_.element; }
  std::size_t dimension() const override { return settings_.dimension; }
  std::uint64_t rows() const override { return rows_; }
  void write_raw(std::size_t rows, const void* values) override;
  void write_through() override;
  void finish() override;

 protected:
  explicit FileWriter(WriterSettings settings);

  const WriterSettings& settings() const { return settings_; }
  PendingFile& file() { return file_; }
  /// Bytes of a row's values.
  std::size_t row_bytes() const { return dimension() * element_bytes(element()); }
  /// Asks for room for all rows, where their number was announced, behind `before` other bytes.
  void reserve(std::uint64_t before);
  /// Through a buffer.
  void append(const void* bytes, std::size_t size);

  /// Appends one row or more.
  virtual void append_rows(std::size_t rows, const char* values) {
    append(values, rows * row_bytes());
  }
  /// All rows have been written.
  virtual void complete() {}
  /// The file may take its name; false if another has taken it for this one.
  virtual bool may_commit() { return true; }

 private:
  void flush();

  WriterSettings settings_;
  PendingFile file_;
  std::uint64_t rows_ = 0;
  bool is_written_ = false;  ///< through
  std::vector<char> buffer_;
};

std::unique_ptr<VectorWriter> create_vecs(const WriterSettings& settings);
std::unique_ptr<VectorWriter> create_bin(const WriterSettings& settings);
std::unique_ptr<VectorWriter> create_npy(const WriterSettings& settings);
std::unique_ptr<VectorWriter> create_hdf5(const WriterSettings& settings);

}  // namespace warpdex::vector
