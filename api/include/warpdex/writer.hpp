// Makes and changes an index of documents.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "warpdex/codecs/codec_settings.hpp"
#include "warpdex/core/storage/commit_report.hpp"
#include "warpdex/indexer/build/index_builder.hpp"
#include "warpdex/indexer/index_settings.hpp"
#include "warpdex/indexer/readers/document_reader.hpp"
#include "warpdex/indexer/rewrite/rewrite.hpp"
#include "warpdex/vector/rows/row_settings.hpp"

namespace warpdex {

/// How an index is made where there is none yet. One that is there keeps its own settings.
struct NewIndex {
  std::string analyzer = "english";  ///< a name, or a description as JSON: make_analyzer()
  /// What texts are made of, for programs that add documents with fields; the index records it.
  std::vector<std::string> fields{};
  std::vector<std::string> stored{};  ///< fields whose texts are kept, for hits to show
  /// Fields of documents: columns (NewDocument::values), texts (NewDocument::fields) and vectors
  /// (NewDocument::vectors).
  Schema schema{};
  /// A vector without a name for each document, beside its text and the schema's vectors.
  std::optional<vector::RowSettings> vectors{};
  /// Documents are weighted terms (NewDocument::weights) in the place of texts. The weights are
  /// whole numbers from 0 to 255; `warpdex index --format sparse` makes an index of real ones.
  bool is_weighted = false;
  CodecSettings codec{};
  /// Keeps where words stand in all texts, for phrases; else those of text fields that say so are
  /// kept. Not beside is_weighted.
  bool positions = false;
};

struct WriterOptions {
  std::uint64_t memory = std::uint64_t{256} << 20;  ///< bytes; 64 MiB or more, 128 if it merges
  std::size_t threads = 0;  ///< 0: one for each processor that the process may use
  /// Merges small segments on a thread of its own, so that their number stays small.
  bool merges = true;
  bool creates = true;  ///< makes an empty index where there is none
  /// Keeps changes that no commit has yet in a file of the index's folder, the journal, so that
  /// sync() can make them durable.
  bool journal = false;
};

/// A document from memory.
struct NewDocument {
  std::string id;      ///< not empty, without white space and control characters
  std::string text{};  ///< UTF-8; what is searched, of an index without text fields
  /// Texts by the names of their fields: those that are kept (NewIndex::stored), and those of the
  /// schema's text fields, of which one that is not there is empty.
  std::map<std::string, std::string> fields{};
  /// Values of columns, by the names of NewIndex::schema, as value_for() takes them: dates are
  /// texts or milliseconds.
  std::map<std::string, std::vector<FieldValue>> values{};
  std::vector<float> vector{};  ///< of the index's dimension, where it has vectors
  /// Those of the schema's fields, by their names: one of each.
  std::map<std::string, std::vector<float>> vectors{};
  std::vector<TermWeight> weights{};  ///< where the index is_weighted
};

/// How documents of files are added.
struct FilesOptions {
  bool update = false;  ///< documents whose ids the index has take their places
  /// Called with a sentence for each bad document, which is then left out; empty: the first one
  /// ends the call with BadDocument, and nothing of it is added.
  std::function<void(const std::string&)> on_bad_document{};
  /// A file of id<TAB>value lines, for an index with static scores; empty: they are 0.
  std::filesystem::path static_scores{};
  /// As BuildOptions::on_progress.
  std::function<void(const BuildProgress&)> on_progress{};
};

/// An index open for changes, which others see with commit(). Searches go on beside it. There can
/// be one writer of an index at a time. Changes since the last commit() are lost with the object,
/// but for those that sync() made durable. Where the disk is full, say, any call may throw IoError;
/// documents that waited are then lost, and all calls but rollback() throw until it is called; with
/// a journal nothing is lost, and the next call tries again. For one thread at a time.
///
/// Where the folder has a journal, the writer takes its changes in when it is opened, whether it
/// keeps one itself or not. They are not committed yet.
class Writer {
 public:
  /// Opens the index of the folder, or makes an empty one. Throws IoError where another has it open
  /// for changes, or where there is none and it is not to be made, UsageError for settings out of
  /// range and for an index that does not change, FormatError for a damaged one or a damaged
  /// journal.
  explicit Writer(const std::filesystem::path& folder, const NewIndex& settings = {},
                  const WriterOptions& options = {});
  ~Writer();
  Writer(Writer&&) noexcept;
  Writer& operator=(Writer&&) noexcept;

  /// How the index was made.
  const IndexSettings& settings() const;
  /// The changes of a journal that it took in when it was opened.
  std::uint64_t recovered() const;

  /// Takes a document, which is analysed later, at the latest by commit(). Throws BadDocument, and
  /// it is not added, for one that cannot be indexed or whose id the index has. A fault that only
  /// analysis finds (a term that is there twice) makes the call that analyses throw BadDocument;
  /// the other documents are added.
  void add(NewDocument document);
  /// The same, but the document takes the place of one with its id.
  void update(NewDocument document);
  /// Adds the documents of a reader, all or, after an exception, none. Throws as build_index()
  /// does, and UsageError for documents that are not as the index was built of: without its stored
  /// fields, texts in the place of weights, static scores where it has none, and from a writer with
  /// a journal.
  BuildReport add(DocumentReader& documents, const FilesOptions& options = {});
  /// Those of files. ReaderOptions::stored, columns, text_fields and vectors are the index's.
  BuildReport add_files(ReaderOptions files, const FilesOptions& options = {});
  /// False if there is no such document.
  bool remove(std::string_view id);
  /// Commits all changes so far, then removes the documents that fit a filter, as
  /// SearchOptions::filter has it; commit() makes that visible. Returns how many. Throws InputError
  /// for a bad filter and UsageError for one of white space alone, before anything is changed, and
  /// as commit() does.
  std::uint64_t remove_where(std::string_view filter);
  /// Whether there is a document of that id, with all changes so far. O(segments log documents).
  bool has(std::string_view id);

  /// Makes all changes so far durable, by one write and one flush for all of them: whoever opens a
  /// Writer of the folder has them, whatever becomes of this process or of the machine. Searches do
  /// not see them before commit(). Throws UsageError for a writer without a journal, and IoError:
  /// what was not durable before may then not be, and the next call tries again.
  void sync();
  /// Makes all changes visible in one step, and waits until they are on the disk. `check` is called
  /// right before, and from the threads that analyse documents, some times a second; what it throws
  /// ends the commit. Throws IoError, and UsageError where the folder was replaced; the changes are
  /// then lost, but not those of a journal, which the next call takes in again. Once they are
  /// visible nothing throws: what goes wrong afterwards is among the
  /// report's notes.
  CommitReport commit(const std::function<void()>& check = {});
  /// Drops all changes since the last commit. A writer with a journal drops what is in it, too,
  /// also what sync() made durable; one without keeps the changes of a journal that it found.
  void rollback();
  /// Writes segments again without their removed documents: all as one, or neighbours of like sizes
  /// so that there are few. commit() makes it visible. `on_progress` gets the share done, 0 to 1;
  /// what it throws ends the merge.
  MergeReport merge(bool all = true, const std::function<void(double)>& on_progress = {});
  /// Waits for merges on the thread of their own. commit() makes them visible. `check` is called
  /// meanwhile, some times a second; what it throws ends the waiting.
  void finish_merges(const std::function<void()>& check = {});

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace warpdex
