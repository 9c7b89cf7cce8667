// The journal of a living index: documents that were put and ids that were removed, in order.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "warpdex/core/storage/journal.hpp"
#include "warpdex/indexer/readers/document_reader.hpp"

namespace warpdex {

/// What is called with a journal's changes.
struct ChangeVisitor {
  /// A document was added, or took the place of the one with its id.
  std::function<void(Document&&)> put;
  /// The document of that id was removed.
  std::function<void(std::string_view)> remove;
};

/// What a journal of the index in a folder follows. Throws FormatError, IoError.
JournalBase journal_base_of(const Folder& folder);
/// Likewise, of a commit's number and the text of its manifest.
JournalBase journal_base_of(std::uint64_t commit, std::string_view manifest);

/// What calls `visit`, which is kept by reference, for the changes that records are. Throws
/// FormatError for a record that is none; `name` is the journal's in its message.
JournalVisitor change_reader(const ChangeVisitor& visit, std::string name);

/// Reads the journal in the folder of an index. Throws as read_journal() does.
JournalContent read_changes(const Folder& folder, const JournalBase& base,
                            const ChangeVisitor& visit);
/// Likewise a journal's bytes, which `name` names in messages.
JournalContent read_changes(std::span<const std::uint8_t> bytes, const std::string& name,
                            const JournalBase& base, const ChangeVisitor& visit);

/// A journal open for more changes; see Journal.
class ChangeJournal {
 public:
  ChangeJournal(const std::filesystem::path& folder, const JournalBase& base)
      : journal_(folder, base) {}

  void put(const Document& document);
  void remove(std::string_view id);
  /// Of changes that wait for sync(), in bytes.
  std::uint64_t waiting() const { return journal_.waiting(); }
  void sync() { journal_.sync(); }
  /// The changes so far.
  void for_each(const ChangeVisitor& visit) const;

 private:
  Journal journal_;
  std::vector<std::uint8_t> bytes_;  ///< of a record
};

}  // namespace warpdex
