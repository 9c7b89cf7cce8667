// An index as it is read: its manifest, its sections as mapped arrays, and the look-up of terms.
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
#include "warpdex/core/storage/removed_rows.hpp"
#include "warpdex/core/storage/section_file.hpp"
#include "warpdex/indexer/columns/column_view.hpp"
#include "warpdex/indexer/format/index_writer.hpp"
#include "warpdex/indexer/format/score_bound.hpp"
#include "warpdex/indexer/format/seeds.hpp"
#include "warpdex/vector/flat/flat_vectors.hpp"

namespace warpdex::vector {
class RowIndex;
}

namespace warpdex {

/// Where a term's postings are, in one of three forms by its document frequency: one posting,
/// held here; a short list (below kBlockSize), in the short lists' bytes; a long list, in the
/// block arrays and payload sections. Small: copied around freely.
struct PostingsEntry {
  std::uint32_t document_frequency = 0;  ///< documents with the term, 1 or more
  std::uint32_t term_number = 0;         ///< its place in the lexicon
  /// Its occurrences (of impacts: their sum); 0 for short lists: add them up.
  std::uint64_t collection_frequency = 0;

  std::uint32_t single_document = 0;   ///< one posting: its docID
  std::uint32_t single_frequency = 0;  ///< one posting: its frequency

  std::uint64_t short_offset = 0;  ///< a short list's first byte in IndexSections::short_lists
  std::uint32_t short_bytes = 0;   ///< its size

  // Of a long list.
  std::uint32_t first_block = 0;           ///< in the block arrays
  std::uint32_t first_base = 0;            ///< in the arrays of block offset bases
  std::uint64_t docid_offset = 0;          ///< first byte in IndexSections::docids
  std::uint64_t frequency_offset = 0;      ///< first byte in IndexSections::frequencies
  std::uint32_t docid_bytes = 0;           ///< blocks and tail
  std::uint32_t frequency_bytes = 0;       ///< blocks and tail
  std::uint32_t docid_tail_bytes = 0;      ///< of which the list's tail (pfor's exceptions)
  std::uint32_t frequency_tail_bytes = 0;  ///< likewise
  std::uint8_t docid_parameter = 0;        ///< EncodedValues::parameter of the docIDs
  std::uint8_t frequency_parameter = 0;    ///< likewise of the frequencies
  std::uint32_t first_seed = 0;            ///< in IndexSections::seeds: seed_count() of them
  /// Of a list that is_frequent(): which one of these; its bounds are in
  /// IndexSections::range_bounds from frequent_list * range_count() on. Else kNotFrequent.
  std::uint32_t frequent_list = kNotFrequent;
  std::uint8_t field = 0;  ///< the number of its text field
  static constexpr std::uint32_t kNotFrequent = ~std::uint32_t{0};

  // Of an index with positions: docs/format.md, "Positions". Lists with fewer than kBlockSize
  // occurrences have theirs in IndexSections::short_positions, others in blocks.
  std::uint64_t position_offset = 0;       ///< first byte in short_positions, or in positions
  std::uint32_t position_bytes = 0;        ///< their size; 0: a single occurrence, held here
  std::uint32_t occurrences = 0;           ///< of a list with blocks of positions; else 0
  std::uint32_t first_position_block = 0;  ///< in the arrays of position blocks
  std::uint32_t first_position_base = 0;   ///< in IndexSections::position_bases
  std::uint32_t first_position_start = 0;  ///< of a long list: in IndexSections::position_starts
  std::uint32_t single_position = 0;

  /// Whether the list is one posting, held here.
  bool is_single() const { return document_frequency == 1; }
  /// Whether the list has no blocks in the block arrays; true for one posting, too.
  bool is_short() const { return document_frequency < kBlockSize; }
};

/// The maximum number of documents in an index.
inline constexpr std::uint64_t kMaxDocuments = 0x7FFFFFFF;
/// The maximum number of positions that the words of a document take.
inline constexpr std::uint64_t kMaxPositions = 0x7FFFFFFF;
/// Documents that share one entry of IndexSections::static_bounds.
inline constexpr std::uint32_t kStaticWindow = 4096;
/// Terms in a group of the lexicon: they share a prefix-compression chain and absolute offsets.
inline constexpr std::uint32_t kLexiconGroup = 64;
/// Blocks of a list that share one base of their payload offsets.
inline constexpr std::uint32_t kBlocksPerBase = 32;

/// Of one of several texts of documents.
struct TextCounts {
  std::uint64_t documents = 0;  ///< that have a term in it
  std::uint64_t tokens = 0;
};

/// Sizes and counts, as the manifest records them.
struct IndexCounts {
  std::uint64_t documents = 0;        ///< at most kMaxDocuments
  std::uint64_t tokens = 0;           ///< the documents' lengths, added
  std::uint64_t terms = 0;            ///< distinct
  std::uint64_t postings = 0;         ///< pairs of a term and a document
  std::uint64_t blocks = 0;           ///< of long lists
  std::uint64_t term_text_bytes = 0;  ///< of the lexicon; the rest of it are list headers
  std::vector<TextCounts> texts{};    ///< by text field, where there are several
};

/// Where a block of stored documents is; it ends where the next one starts.
struct StoredBlock {
  std::uint64_t offset = 0;          ///< in IndexSections::stored_blocks
  std::uint32_t first_document = 0;  ///< in it
  std::uint32_t bytes = 0;           ///< when it is unpacked
};
static_assert(sizeof(StoredBlock) == 16);

/// The sections of a segment, as arrays; their bytes are not trusted. docs/format.md has the
/// grammar. "By block": one entry a block of the long lists, in the order of their terms.
struct IndexSections {
  std::span<const std::uint8_t> lexicon;             ///< groups of terms with their list headers
  std::span<const std::uint64_t> lexicon_index;      ///< where each group starts, in bytes
  std::span<const std::uint8_t> short_lists;         ///< the lists of 2 to 127 postings
  std::span<const std::uint32_t> block_last_docids;  ///< by block
  std::span<const std::uint32_t> docid_bases;      ///< bytes from a list's start to each 32nd block
  std::span<const std::uint16_t> docid_offsets;    ///< by block: bytes from its base
  std::span<const std::uint8_t> docid_codes;       ///< by block: the codec's code, or kDenseCode
  std::span<const std::uint32_t> frequency_bases;  ///< as docid_bases
  std::span<const std::uint16_t> frequency_offsets;      ///< as docid_offsets
  std::span<const std::uint8_t> frequency_codes;         ///< by block: the codec's code
  std::span<const ScoreBound> block_bounds;              ///< by block
  std::span<const ScoreBound> range_bounds;              ///< by frequent list, then by range
  std::span<const ListSeed> seeds;                       ///< by long list, then by rank
  std::span<const std::uint8_t> docids;                  ///< of the long lists, encoded
  std::span<const std::uint8_t> frequencies;             ///< of the long lists, encoded
  std::span<const std::uint32_t> document_lengths;       ///< by docID, of the first text, in tokens
  std::span<const std::uint64_t> document_name_offsets;  ///< by docID, and one past the last: bytes
  std::span<const std::uint8_t> document_names;          ///< the documents' ids, back to back
  std::span<const float> static_scores;                  ///< by docID, or empty
  std::span<const float> static_bounds;  ///< largest in each kStaticWindow documents, or empty
  std::span<const std::uint32_t> document_name_order;  ///< docIDs by their names' hashes, or empty
  // Of positions, or empty.
  std::span<const std::uint8_t> short_positions;    ///< of lists with few occurrences
  std::span<const std::uint32_t> position_starts;   ///< by block of lists with positions:
                                                    ///< occurrences of the list before it
  std::span<const std::uint32_t> position_bases;    ///< as docid_bases, of blocks of positions
  std::span<const std::uint16_t> position_offsets;  ///< by block of positions: bytes from its base
  std::span<const std::uint8_t> position_codes;     ///< by block of positions: the codec's code
  std::span<const std::uint8_t> positions;          ///< in blocks, encoded
  std::span<const std::uint64_t> forward_offsets;   ///< by kForwardGroup documents: bytes; or empty
  std::span<const std::uint8_t> forward;            ///< each document's terms, or empty
  // Of stored documents, or empty. StoredReader reads them.
  std::span<const std::uint8_t> stored_dictionary;      ///< zstd's; empty without one
  std::span<const std::uint32_t> stored_block_numbers;  ///< by docID: its block
  std::span<const StoredBlock> stored_block_table;      ///< by block
  std::span<const std::uint8_t> stored_blocks;          ///< zstd frames, back to back
};

/// By how much the removed documents lower a term's statistics.
struct FrequencyChange {
  std::uint32_t term_number = 0;
  std::uint32_t documents = 0;
  std::uint64_t occurrences = 0;
};
static_assert(sizeof(FrequencyChange) == 16);

/// The seeds of a long list, for the ranks of kSeedRanks that it reaches. O(1).
inline std::span<const ListSeed> list_seeds(const IndexSections& sections,
                                            const PostingsEntry& entry) {
  return sections.seeds.subspan(entry.first_seed, seed_count(entry.document_frequency));
}

/// A frequent list's bounds, one a range of kRangeDocuments docIDs, all zero where the list has no
/// posting; of another list none. O(1).
inline std::span<const ScoreBound> list_range_bounds(const IndexSections& sections,
                                                     const PostingsEntry& entry,
                                                     std::uint64_t documents) {
  if (entry.frequent_list == PostingsEntry::kNotFrequent) return {};
  const std::uint64_t ranges = range_count(documents);
  return sections.range_bounds.subspan(entry.frequent_list * ranges, ranges);
}

/// An index of one segment, or a segment of a Snapshot, opened by mapping. Immutable and safe to
/// read from many threads.
class Index {
 public:
  /// Maps the index at `folder`. Checks the manifest and every file's size, header and footer;
  /// O(files). While builds replace the index, opening finds one of them, whole. Throws IoError if
  /// there is none or it may not be read, FormatError if it is damaged or of another version,
  /// UsageError if it has no segment, more than one, or removed documents: see Snapshot.
  static Index open(const std::filesystem::path& folder);

  /// Views of the moved index's bytes stay valid; a searcher over it does not.
  Index(Index&&) noexcept;
  Index& operator=(Index&&) noexcept;
  ~Index();

  /// How the index was made.
  const IndexSettings& settings() const;
  /// What the index holds.
  const IndexCounts& counts() const;
  /// The folder, as it was given to open().
  const std::filesystem::path& folder() const;
  /// The mapped arrays; they live as long as the index.
  const IndexSections& sections() const;

  /// Lengths of all documents by docID, in tokens.
  std::span<const std::uint32_t> lengths() const { return sections().document_lengths; }
  /// Likewise in one text field, below texts().
  std::span<const std::uint32_t> lengths(std::size_t field) const;
  /// Texts of a document: text_count() of the schema.
  std::size_t texts() const;
  /// The tokens of all texts of a document.
  std::uint64_t length_of(std::uint32_t document) const;

  /// The document's id, as its collection gave it. UsageError for a docID past the last,
  /// FormatError for a damaged table of names.
  std::string_view document_name(std::uint32_t document) const;

  /// The docID of that document, removed or not, or none. O(log documents); of an index of version
  /// 2, O(documents). FormatError for damaged tables.
  std::optional<std::uint32_t> find_document(std::string_view name) const;

  /// The columns of the schema, in the order of columns_of(). They live as long as the index.
  std::span<const ColumnView> columns() const;
  /// The values of a document in these. Throws FormatError for damaged bytes.
  FieldValues field_values(std::uint32_t document) const;

  /// The documents' vectors, one of vector_sets(); row i is document i's. Without rows where there
  /// is no such set.
  const vector::FlatVectors& vectors(std::size_t set = 0) const;
  /// Lists and codes of these, by which they are found; null where all are compared.
  const vector::RowIndex* vector_index(std::size_t set = 0) const;

  /// The segment's number in its index.
  std::uint64_t segment_number() const;

  /// Documents that were removed; there are none but in a Snapshot's segments.
  RemovedRows removed() const;
  /// The number of removed documents, and their tokens.
  std::uint64_t removed_documents() const;
  std::uint64_t removed_tokens() const;
  /// Likewise in one text field, where there are several.
  TextCounts removed_text(std::size_t field) const;
  /// What the removed documents take from a term's statistics; zeros without a forward index.
  /// O(log terms).
  FrequencyChange frequency_change(std::uint32_t term_number) const;
  /// All of those that are not zero, by ascending term.
  std::span<const FrequencyChange> frequency_changes() const;

  /// Calls visit(term_number, frequency) for the terms of a document, ascending. Of an index with a
  /// forward index only (IndexSettings::has_forward). FormatError where that is damaged.
  void for_each_term_of_document(
      std::uint32_t document, const std::function<void(std::uint32_t, std::uint32_t)>& visit) const;

  /// The postings of a term, or none. O(log terms). FormatError if the lexicon is damaged.
  std::optional<PostingsEntry> find(std::string_view term) const;

  /// Calls visit(term, entry) for all terms in order of their bytes. FormatError if the lexicon is
  /// damaged.
  void for_each_term(
      const std::function<void(std::string_view, const PostingsEntry&)>& visit) const;

  /// The number of groups of kLexiconGroup terms that the lexicon consists of; the last may have
  /// fewer.
  std::uint64_t term_groups() const { return sections().lexicon_index.size(); }
  /// The group that has `term` if the index has it, and the first term past it otherwise, unless
  /// that opens the next group: at least `from`. 0 without groups. O(log terms).
  std::uint64_t term_group_of(std::string_view term, std::uint64_t from = 0) const;
  /// The terms of one group, below term_groups(), as for_each_term() visits them. O(group).
  void for_each_term_of_group(
      std::uint64_t group,
      const std::function<void(std::string_view, const PostingsEntry&)>& visit) const;

  /// Calls visit(term) for the texts of one group in their order. It returns 0, or a number of
  /// bytes: the terms behind it that begin with so many bytes of this one are passed over. Much
  /// faster than for_each_term_of_group(), also where nothing is passed over.
  void pass_terms_of_group(std::uint64_t group,
                           const std::function<std::size_t(std::string_view)>& visit) const;

  /// The sections' files as the manifest records them, in the order of docs/format.md.
  const std::vector<SectionInfo>& section_infos() const;

  /// Whether a section's bytes (by its place in section_infos()) have its checksum. O(bytes).
  bool section_intact(std::size_t section) const;

 private:
  friend class SegmentOpener;
  struct State;
  explicit Index(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace warpdex
