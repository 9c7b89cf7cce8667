// Writes an index folder: documents first, then posting lists in the order of their terms.
// docs/format.md holds the grammar.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "warpdex/codecs/codec.hpp"
#include "warpdex/indexer/format/text_fields.hpp"
#include "warpdex/indexer/index_settings.hpp"

namespace warpdex {

class ReplacementFolder;
struct SegmentInfo;

/// One term's postings, encoded; made by encode_postings, taken by IndexWriter::add_list.
class EncodedPostings {
 public:
  /// What is held; indexer/format/postings.hpp defines it, for the writer.
  struct Data;
  explicit EncodedPostings(std::unique_ptr<Data> data);
  EncodedPostings(EncodedPostings&&) noexcept;
  EncodedPostings& operator=(EncodedPostings&&) noexcept;
  ~EncodedPostings();
  /// For the writer.
  const Data& data() const { return *data_; }
  Data& data() { return *data_; }

 private:
  std::unique_ptr<Data> data_;
};

/// Encodes a term's postings: strictly ascending docIDs, frequencies of 1 or more, one each; at
/// least one. `lengths` are the lengths of all documents by docID. Callable from many threads. Most
/// of the time of writing an index goes into this.
EncodedPostings encode_postings(const CodecSettings& codec, std::span<const std::uint32_t> docids,
                                std::span<const std::uint32_t> frequencies,
                                std::span<const std::uint32_t> lengths);

/// Likewise for an index of impacts, 1 to 255 each; UsageError for others. `documents` is the
/// number of all documents.
EncodedPostings encode_impacts(const CodecSettings& codec, std::span<const std::uint32_t> docids,
                               std::span<const std::uint32_t> impacts, std::uint64_t documents);

/// Encodes postings as an index's settings say: frequencies as they are or as impacts of BM25, or
/// impacts as they are, where these were made of weights. Immutable, so callable from many threads.
class ListEncoder {
 public:
  /// `lengths`, of all documents, must outlive it. O(documents). Throws UsageError for impact
  /// settings out of range.
  ListEncoder(const IndexSettings& settings, std::span<const std::uint32_t> lengths)
      : ListEncoder(settings, std::vector{lengths}) {}
  /// Likewise of each text field.
  ListEncoder(const IndexSettings& settings, std::vector<std::span<const std::uint32_t>> lengths);

  /// encode_postings(), or encode_impacts() of what BM25 makes of the frequencies; of an index
  /// whose impacts are weights, encode_impacts() of `frequencies`, which are the impacts. With
  /// positions, `steps` has as many values for each posting as its frequency says: its first
  /// position, and from each one to the next. UsageError for another number of them; InputError for
  /// 2^32 or more. `field` is the term's.
  EncodedPostings encode(std::span<const std::uint32_t> docids,
                         std::span<const std::uint32_t> frequencies,
                         std::span<const std::uint32_t> steps = {}, std::size_t field = 0) const;
  /// Whether lists of a text field have positions.
  bool has_positions(std::size_t field) const { return positioned_.has(field); }

  /// The text field of a term. FormatError where there is no such field.
  std::size_t field_of(std::string_view term) const;

 private:
  EncodedPostings encode_only(std::span<const std::uint32_t> docids,
                              std::span<const std::uint32_t> frequencies, std::size_t field) const;

  IndexSettings settings_;
  PositionedTexts positioned_;
  std::vector<std::span<const std::uint32_t>> lengths_;  ///< by text field
  std::uint64_t tokens_ = 0;
};

/// Writes one segment. It makes an index of its own, which appears at `target` with commit(),
/// whole, in the place of the index that was there before; without it, nothing of the target
/// changes and all that was written is removed. Or it writes one of the segments of a commit.
class IndexWriter {
 public:
  /// Throws UsageError for an empty path, if anything but an index of text or an empty folder is at
  /// `target`, or for impact settings out of range; IoError if another build of it is under way,
  /// nothing can be written beside it, or it cannot be replaced (a mount point, say).
  IndexWriter(const std::filesystem::path& target, const IndexSettings& settings);
  /// The segment of that number in a commit, whose folder must outlive it; finish_segment() takes
  /// the place of commit(). Throws IoError, UsageError for impact settings out of range.
  IndexWriter(ReplacementFolder& folder, std::uint64_t number, const IndexSettings& settings);
  ~IndexWriter();
  IndexWriter(const IndexWriter&) = delete;
  IndexWriter& operator=(const IndexWriter&) = delete;

  /// The next document, docIDs ascending from 0. `length` in tokens. `static_score`, finite and
  /// not negative, is kept if the settings have static scores, in the unit of the impacts if it is
  /// an index of them; UsageError for any other.
  /// Before the first list only. Throws InputError past kMaxDocuments documents or 2^31 - 1 tokens,
  /// and IoError.
  void add_document(std::string_view name, std::uint32_t length, float static_score = 0);
  /// Likewise with a length for each text field; UsageError for another number of these.
  void add_document(std::string_view name, std::span<const std::uint32_t> lengths,
                    float static_score = 0);

  /// What is stored of the document that was added last: encode_stored() of as many values as the
  /// settings name fields. UsageError if it is not called once for each document, or if the
  /// settings name no stored fields. Throws IoError.
  void add_stored(std::string_view record);

  /// The values of the document that was added last, a list for each column of the schema, arranged
  /// (arrange_values()). UsageError if it is not called once for each document, or if the schema
  /// has no columns; InputError past 2^32 - 1 values of a column.
  void add_values(const FieldValues& values);

  /// The vector of the document that was added last, of one of vector_sets(). UsageError if it is
  /// not called once for each document and set, if there is no such set, and for another dimension;
  /// InputError for components that are not finite or too large for halves. Throws IoError.
  void add_vector(std::span<const float> vector, std::size_t set = 0);
  /// Likewise that of a document of another index with the same settings of vectors, to the bit.
  void copy_vector(const vector::VectorView& from, std::size_t row, std::size_t set = 0);

  /// Threads that pack stored documents, sort the forward index, and train lists of vectors.
  /// Default: all processors. Before
  /// the first document.
  void set_threads(std::size_t threads);

  /// For lists of impacts that another index holds already: static scores come in the unit of the
  /// impacts, and `largest` goes to the settings as it is. Before the first document; UsageError
  /// unless it is an index of impacts.
  void keep_impacts(double largest);

  /// Lengths of the documents added so far, in the first text field.
  std::span<const std::uint32_t> lengths() const;
  /// Likewise in each.
  std::vector<std::span<const std::uint32_t>> all_lengths() const;

  /// Changes how the impacts of an index of weights were made, which may be known only after all
  /// documents were read. Before the first list. UsageError for settings out of range, and where
  /// either these or those so far are not of weights.
  void set_weights(const ImpactSettings& impacts);

  /// The next term, in strictly ascending order of bytes; UsageError otherwise, and for postings
  /// encoded for other settings or another number of documents. Throws IoError.
  void add_list(std::string_view term, const EncodedPostings& postings);

  /// Bytes of memory that the forward index may take while lists are added. Default: 32 MiB.
  /// Before the first list.
  void set_forward_memory(std::uint64_t bytes);

  /// Bytes of memory held at the moment, mostly 8 a document (12 with static scores and impacts).
  std::uint64_t memory() const;

  /// A folder beside the target, on its file system, for temporary files of the build; removed
  /// with all in it by commit() and by the destructor.
  const std::filesystem::path& scratch_folder() const;

  /// Finishes, flushes to the disk and renames. Throws as the constructor does, IoError for a full
  /// disk, say, and UsageError for a static score too large for an index of impacts; then nothing
  /// of the target has changed. `check` is called between these steps, the last time right before
  /// the target is replaced; what it throws ends the commit. Returns what
  /// ReplacementFolder::commit() does.
  std::vector<std::string> commit(const std::function<void()>& check = {});

  /// Finishes a segment of a commit and says what the manifest is to record. Throws likewise.
  SegmentInfo finish_segment(const std::function<void()>& check = {});

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace warpdex
