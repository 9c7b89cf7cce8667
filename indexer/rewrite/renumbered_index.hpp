// An index whose documents get other docIDs on their way to another index.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "format/stored_blocks.hpp"
#include "warpdex/indexer/format/index.hpp"
#include "warpdex/indexer/format/postings.hpp"
#include "warpdex/indexer/format/text_fields.hpp"

namespace warpdex::rewrite {

[[noreturn]] void damaged(const Index& index, const std::string& what);

/// Reads an index's terms one after the other, and their lists with the new docIDs.
class RenumberedIndex {
 public:
  /// The new docID of a document that is left out.
  static constexpr std::uint32_t kGone = ~std::uint32_t{0};

  /// `index` outlives this.
  RenumberedIndex(const Index& index, RemovedRows removed);

  const Index& index() const { return index_; }
  RemovedRows removed() const { return removed_; }
  std::string_view stored_record(std::uint32_t document) { return stored_->record(document); }

  /// All documents stay, and their docIDs rise by as much as those of the first one.
  void set_first(std::uint32_t first) { first_ = first; }
  /// By old docID; kGone for one that is removed. `ascend`: they do as the old ones. Else none is
  /// removed.
  void set_new_docids(std::vector<std::uint32_t> new_docids, bool ascend) {
    new_docids_ = std::move(new_docids);
    ascend_ = ascend;
  }

  /// The next term's name, or null.
  const std::string* next_name();
  /// Takes the term of next_name().
  PostingsEntry take();

  /// Appends a list, renumbered and without removed documents, with positions where its text has
  /// them. Checks what an encoder relies on: FormatError. May be called from several threads.
  void read(const PostingsEntry& entry, Postings& to) const;

 private:
  void append_sorted(const Postings& list, Postings& to) const;

  const Index& index_;
  PositionedTexts positioned_;
  RemovedRows removed_;
  std::uint32_t first_ = 0;
  bool ascend_ = true;
  std::vector<std::uint32_t> new_docids_;  ///< empty: see set_first()
  std::deque<std::pair<std::string, PostingsEntry>> pending_;
  std::uint64_t next_group_ = 0;
  std::unique_ptr<StoredBlocks> stored_;  ///< where the index stores fields
};

}  // namespace warpdex::rewrite
