// An index that changes: documents are added and removed by commits, and segments are merged.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string_view>

#include "warpdex/core/storage/commit_report.hpp"
#include "warpdex/indexer/build/index_builder.hpp"
#include "warpdex/indexer/index_settings.hpp"
#include "warpdex/indexer/living/change_journal.hpp"
#include "warpdex/indexer/readers/document_reader.hpp"
#include "warpdex/indexer/rewrite/rewrite.hpp"

namespace warpdex {

/// How documents are added.
struct AddOptions {
  /// A document whose id a live one has takes that one's place, in the same commit; else it is a
  /// bad document.
  bool update = false;
  /// Memory, threads, callbacks, static scores and what becomes of bad documents. Members that the
  /// index decides are ignored: output, codec, analyzer, fields, stored_fields, schema, vectors,
  /// impacts, forward.
  BuildOptions build;
};

/// Which segments are merged, and the memory and threads for it.
struct MergeOptions {
  bool all = false;                   ///< all into one; else those that MergePolicy chooses
  std::uint64_t memory = 1ULL << 30;  ///< bytes; kMinBuildMemory or more
  std::size_t threads = 0;            ///< 0: one for each processor that the process may use
  /// Called with the share done, 0 to 1; what it throws ends the merge.
  std::function<void(double)> on_progress{};
};

/// The memory and threads of merges in the background.
struct BackgroundMergeOptions {
  std::uint64_t memory = 256ULL << 20;  ///< bytes; kMinBuildMemory or more
  std::size_t threads = 1;              ///< 0: one for each processor that the process may use
};

/// An index open for changes. An index can be open for changes once at a time; searches go on
/// beside it, on the snapshots that they opened. Changes since the last commit() are lost with the
/// object. After an exception of add(), remove() or merge() the documents are those from before
/// that call; after one of commit() they are those of the last commit. Where even that cannot be
/// had, since there is no memory for it, all further calls throw IoError: close the object and open
/// another. For one thread at a time.
class LivingIndex {
 public:
  /// Throws IoError if there is no index at `folder` or another has it open for changes (the
  /// message names the process), UsageError for an index of BM25's impacts, which does not change,
  /// FormatError for a damaged one.
  explicit LivingIndex(const std::filesystem::path& folder);
  ~LivingIndex();
  LivingIndex(const LivingIndex&) = delete;
  LivingIndex& operator=(const LivingIndex&) = delete;

  /// How the index was made.
  const IndexSettings& settings() const;
  /// The number of the last commit.
  std::uint64_t number() const;

  /// Appends documents, which are read, analysed and stored as the index's own were. Throws as
  /// build_index() does, and UsageError where documents come without the index's stored fields, or
  /// texts come to an index of vectors, or vectors to one of texts, or static scores to one
  /// without.
  BuildReport add(DocumentReader& reader, const AddOptions& options = {});

  /// Whether there is a live document of that id, also one that was added since the last commit.
  /// O(segments log documents).
  bool has(std::string_view id) const;

  /// Removes the live document of that id, also one that was added since the last commit. False if
  /// there is none. O(segments log documents + its terms).
  bool remove(std::string_view id);

  /// Writes neighbouring segments again as one, without their removed documents. Documents keep
  /// their order. Gives up a merge under way in the background. O(postings of these segments).
  /// Throws UsageError for too little memory, FormatError for damage, IoError.
  MergeReport merge(const MergeOptions& options = {});

  /// From now on, segments that MergePolicy chooses are merged on a thread of their own, one merge
  /// at a time, while documents are added and removed; documents that are removed meanwhile stay
  /// removed. The next commit() takes in what was merged. An error in the background harms no other
  /// call: the index stays as it is without that merge, no more merges start until this is called
  /// again, and finish_merges() throws the error, or the next commit() has a note of it, whichever
  /// comes first. A merge under way is given up if this object is destroyed or a commit() fails.
  /// UsageError for too little memory.
  void merge_in_background(const BackgroundMergeOptions& options = {});

  /// Waits until nothing is left to be merged in the background. A commit() makes the result
  /// visible. `check` is called meanwhile, some times a second; what it throws ends the waiting.
  /// Throws what went wrong in the background.
  void finish_merges(const std::function<void()>& check = {});

  /// Makes all changes since the last commit() visible, in one step, to those who open the index
  /// from now on, and waits until they are on the disk. Does nothing if there are no changes.
  /// `check` is called right before; what it throws ends the commit. Throws as
  /// IndexWriter::commit() does; the index is then as it was, and the changes are lost. Once the
  /// changes are visible nothing throws any more. The report has the number of the last commit.
  CommitReport commit(const std::function<void()>& check = {});

  /// Drops all changes since the last commit(). The object is good again then, if it was not.
  /// Throws IoError where there is no memory for it.
  void rollback();

  /// Calls `visit` for the changes in the folder's journal, which the caller takes in: from then on
  /// a commit() may take the place of a journal, which it refuses before by a UsageError. Throws
  /// FormatError for a damaged one.
  JournalContent read_journal(const ChangeVisitor& visit);

  /// The journal of the last commit, open for changes since then. Until the next commit().
  std::unique_ptr<ChangeJournal> open_journal() const;

  /// Removes the journal of the last commit, if there is one. Throws IoError.
  void remove_journal() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace warpdex
