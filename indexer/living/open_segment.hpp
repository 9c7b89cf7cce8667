// A segment of an index that is open for changes: what is removed from it until the next commit.
// Internal.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "warpdex/core/storage/manifest.hpp"
#include "warpdex/core/storage/removed_rows.hpp"
#include "warpdex/core/storage/replacement_folder.hpp"
#include "warpdex/indexer/format/index.hpp"

namespace warpdex {

/// A copy has changes of its own and shares the index.
class OpenSegment {
 public:
  /// `is_new`: its files are in the folder of the next commit already.
  OpenSegment(SegmentInfo info, std::shared_ptr<const Index> index, bool is_new)
      : info_(std::move(info)), index_(std::move(index)), is_new_(is_new) {}

  const Index& index() const { return *index_; }
  std::shared_ptr<const Index> shared_index() const { return index_; }
  const SegmentInfo& info() const { return info_; }
  bool is_new() const { return is_new_; }

  /// The docID of the live document of that name, or none.
  std::optional<std::uint32_t> find(std::string_view name) const;
  /// Removes a live document. Throws FormatError for a damaged forward index, std::bad_alloc;
  /// nothing is removed then.
  void remove(std::uint32_t document);

  /// All that are removed, also since the last commit.
  RemovedRows removed() const;
  std::uint64_t removed_documents() const;
  std::uint64_t live_documents() const { return index_->counts().documents - removed_documents(); }

  /// Writes the file of removals if there are new ones, links what stays, and returns what the
  /// manifest of that commit is to say.
  SegmentInfo write(ReplacementFolder& folder, std::uint64_t commit) const;

 private:
  void add_up_changes() noexcept;

  SegmentInfo info_;
  std::shared_ptr<const Index> index_;
  bool is_new_;
  std::optional<RemovedRowsBuilder> rows_;  ///< if documents were removed since the last commit
  std::uint64_t removed_tokens_ = 0;        ///< since then
  std::vector<TextCounts> removed_texts_;   ///< likewise, by text field, where there are several
  /// What terms have lost since the last commit, each once, by number.
  std::vector<FrequencyChange> changes_;
  /// What they have lost besides, in any order.
  std::vector<FrequencyChange> new_changes_;
};

}  // namespace warpdex
