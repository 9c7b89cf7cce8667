// An index as one commit left it: its segments, without the documents that were removed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "warpdex/indexer/format/bm25.hpp"
#include "warpdex/indexer/format/index.hpp"

namespace warpdex {

/// The folder of a part in the folder of all that an index was split into: "part-3".
std::filesystem::path part_folder(const std::filesystem::path& parts, std::uint32_t part);
/// Whether it is such a folder, and no index itself.
bool holds_parts(const std::filesystem::path& folder);

/// Immutable and safe to read from many threads; copies share the segments. It stays as it is, with
/// its files, whatever is committed meanwhile. DocIDs count through all segments, removed documents
/// included, in the order in which documents were added.
class Snapshot {
 public:
  /// A segment, and the docID of its first document.
  struct Segment {
    std::shared_ptr<const Index> index;
    std::uint32_t first_document = 0;
  };

  /// Maps the index at `folder` as the last commit left it. O(files). Throws as Index::open() does,
  /// but takes any number of segments and removed documents. A folder that holds_parts() is opened
  /// as one index: their segments, part after part. commit() is then the sum of theirs. Throws
  /// UsageError for parts that were not made alike.
  static Snapshot open(const std::filesystem::path& folder);

  /// Segments [first, first + count) with the docIDs that they have here. Names, statistics and
  /// counts are those of these segments; commit() is the whole's. O(count).
  Snapshot part(std::size_t first, std::size_t count) const;

  /// How the index was made.
  const IndexSettings& settings() const;
  /// The folder, as it was given to open().
  const std::filesystem::path& folder() const;
  /// How often it was changed since it was built.
  std::uint64_t commit() const;
  /// In the order of their docIDs; none if all documents were removed.
  const std::vector<Segment>& segments() const;

  /// Whether it is one segment without removed documents, which Index::open() takes too.
  bool is_plain() const;
  /// Throws UsageError, which says what to do, unless it is.
  void require_plain() const;
  /// Live documents.
  std::uint64_t documents() const;
  std::uint64_t removed_documents() const;
  /// The first docID: 0, unless it is a part.
  std::uint32_t docid_begin() const;
  /// One past the last docID.
  std::uint32_t docid_end() const;

  /// The statistics that scorers use: of the live documents; without a forward index, of all
  /// documents that are still in segments.
  CollectionStatistics statistics() const;
  /// Likewise of each text field, where there are several: of the documents that have a term in it.
  std::vector<CollectionStatistics> text_statistics() const;

  /// Which of segments() a document is in. UsageError for a docID past the last. O(segments).
  std::size_t segment_of(std::uint32_t document) const;
  /// The document's id. UsageError for a docID past the last, FormatError for a damaged table.
  std::string_view document_name(std::uint32_t document) const;
  /// The docID of the live document of that name, or none. O(segments log documents).
  std::optional<std::uint32_t> find_document(std::string_view name) const;

 private:
  struct State;
  explicit Snapshot(std::shared_ptr<const State> state);
  std::shared_ptr<const State> state_;
};

/// Whether a section of a segment changes when documents are removed.
bool is_of_removals(std::string_view section);
/// Whether both are the same segment of one index, whatever was removed of it since it was written.
bool are_same_segment(const Index& one, const Index& other);

}  // namespace warpdex
