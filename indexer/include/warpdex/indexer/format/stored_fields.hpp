// Stored documents: the texts of chosen fields, by docID. docs/format.md, "Stored documents".
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "warpdex/indexer/format/snapshot.hpp"

namespace warpdex {

/// A document's stored fields, in the order of IndexSettings::stored_fields; none where it has no
/// such field.
using StoredValues = std::vector<std::optional<std::string>>;

/// The record of a document, as IndexWriter::add_stored() takes it. Throws InputError for one of 2
/// GiB or more.
std::string encode_stored(const StoredValues& values);
/// Back to the values of `fields` fields. Throws FormatError unless the record holds just these.
StoredValues decode_stored(std::string_view record, std::size_t fields);

/// Reads stored documents. Keeps the last block that it unpacked, so that reading neighbours is
/// fast. One per thread; copies of the snapshot keep the index open.
class StoredReader {
 public:
  /// Throws UsageError if the index stores no fields, IoError where memory is short.
  explicit StoredReader(const Snapshot& snapshot);
  ~StoredReader();
  StoredReader(StoredReader&&) noexcept;
  StoredReader& operator=(StoredReader&&) noexcept;

  /// The stored values of a document, removed or not. Throws UsageError for a docID past the last,
  /// FormatError for damaged bytes. O(a block), about 8 KiB, or the document, if that is larger.
  StoredValues read(std::uint32_t document);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace warpdex
