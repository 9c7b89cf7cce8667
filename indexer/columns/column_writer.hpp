// Gathers the values of a segment's columns, and writes them. docs/format.md, "Columns". Internal.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "warpdex/core/storage/section_file.hpp"
#include "warpdex/indexer/index_settings.hpp"

namespace warpdex {

/// One column. Holds 12 bytes a value and each different keyword once.
class ColumnWriter {
 public:
  explicit ColumnWriter(FieldType type) : type_(type) {}

  /// The values of the next document, in order. Throws InputError past 2^32 - 1 of a segment.
  void add(const std::vector<FieldValue>& values);
  /// Once, at the end. Throws IoError.
  void finish(SectionWriter& to);

  /// Bytes held at the moment.
  std::uint64_t memory() const;

 private:
  std::vector<const std::string*> sort_keywords();

  FieldType type_;
  std::vector<std::uint64_t> keys_;  ///< of keywords: numbers in the order of coming
  std::vector<std::uint32_t> ends_;  ///< of each document's keys
  bool has_missing_ = false;         ///< a document has no value
  bool has_several_ = false;         ///< a document has more than one
  std::unordered_map<std::string, std::uint64_t> keywords_;
  std::uint64_t keyword_bytes_ = 0;
};

/// All columns of a segment.
class ColumnsWriter {
 public:
  /// The next sections of `files`, which must outlive it.
  ColumnsWriter(SegmentFiles& files, const std::vector<Field>& columns);

  /// A list of values for each column. Throws as ColumnWriter::add().
  void add(const FieldValues& values);
  void finish();

  std::uint64_t documents() const { return documents_; }
  std::uint64_t memory() const;

 private:
  std::vector<ColumnWriter> columns_;
  std::vector<std::unique_ptr<SectionWriter>> sections_;
  std::uint64_t documents_ = 0;
};

}  // namespace warpdex
