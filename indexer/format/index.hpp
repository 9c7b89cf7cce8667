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
#include "warpdex/indexer/format/index_writer.hpp"
#include "warpdex/indexer/format/score_bound.hpp"
#include "warpdex/indexer/format/section_file.hpp"

namespace warpdex {

/// Where a term's postings are, in one of three forms by its document frequency: one posting,
/// held here; a short list (below kBlockSize), in the short lists' bytes; a long list, in the
/// block arrays and payload sections. Small: copied around freely.
struct PostingsEntry {
  std::uint32_t document_frequency = 0;
  std::uint64_t collection_frequency = 0;  ///< 0 for short lists: add them up

  std::uint32_t single_document = 0;
  std::uint32_t single_frequency = 0;

  std::uint64_t short_offset = 0;
  std::uint32_t short_bytes = 0;

  std::uint32_t first_block = 0;  ///< in the block arrays
  std::uint32_t first_base = 0;   ///< in the arrays of block offset bases
  std::uint64_t docid_offset = 0;
  std::uint64_t frequency_offset = 0;
  std::uint32_t docid_bytes = 0;  ///< blocks and tail
  std::uint32_t frequency_bytes = 0;
  std::uint32_t docid_tail_bytes = 0;  ///< of which the list's tail (pfor's exceptions)
  std::uint32_t frequency_tail_bytes = 0;
  std::uint8_t docid_parameter = 0;
  std::uint8_t frequency_parameter = 0;

  bool is_single() const { return document_frequency == 1; }
  bool is_short() const { return document_frequency < kBlockSize; }
};

/// Most documents in an index.
inline constexpr std::uint64_t kMaxDocuments = 0x7FFFFFFF;
/// Documents that share one entry of IndexSections::static_bounds.
inline constexpr std::uint32_t kStaticWindow = 4096;
/// Blocks of a list that share one base of their payload offsets.
inline constexpr std::uint32_t kBlocksPerBase = 32;

/// Sizes and counts, as the manifest records them.
struct IndexCounts {
  std::uint64_t documents = 0;
  std::uint64_t tokens = 0;
  std::uint64_t terms = 0;
  std::uint64_t postings = 0;
  std::uint64_t blocks = 0;           ///< of long lists
  std::uint64_t term_text_bytes = 0;  ///< of the lexicon; the rest of it are list headers
};

/// The sections of a segment, as arrays. docs/format.md says what each holds.
struct IndexSections {
  std::span<const std::uint8_t> lexicon;
  std::span<const std::uint64_t> lexicon_index;
  std::span<const std::uint8_t> short_lists;
  std::span<const std::uint32_t> block_last_docids;
  std::span<const std::uint32_t> docid_bases;
  std::span<const std::uint16_t> docid_offsets;
  std::span<const std::uint8_t> docid_codes;
  std::span<const std::uint32_t> frequency_bases;
  std::span<const std::uint16_t> frequency_offsets;
  std::span<const std::uint8_t> frequency_codes;
  std::span<const ScoreBound> block_bounds;
  std::span<const std::uint8_t> docids;
  std::span<const std::uint8_t> frequencies;
  std::span<const std::uint32_t> document_lengths;
  std::span<const std::uint64_t> document_name_offsets;
  std::span<const std::uint8_t> document_names;
  std::span<const float> static_scores;  ///< by docID, or empty
  std::span<const float> static_bounds;  ///< largest in each kStaticWindow documents, or empty
};

/// An index, opened by mapping. Immutable and safe to read from many threads.
class Index {
 public:
  /// Maps the index at `folder`. Checks the manifest and every file's size, header and footer;
  /// O(files). Throws IoError if there is none, FormatError if it is damaged or of another
  /// version.
  static Index open(const std::filesystem::path& folder);

  Index(Index&&) noexcept;
  Index& operator=(Index&&) noexcept;
  ~Index();

  const IndexSettings& settings() const;
  const IndexCounts& counts() const;
  const std::filesystem::path& folder() const;
  const IndexSections& sections() const;

  std::span<const std::uint32_t> lengths() const { return sections().document_lengths; }

  /// UsageError for a docID past the last, FormatError for a damaged table of names.
  std::string_view document_name(std::uint32_t document) const;

  /// The postings of a term, or none. O(log terms). FormatError if the lexicon is damaged.
  std::optional<PostingsEntry> find(std::string_view term) const;

  /// Calls visit(term, entry) for all terms in order of their bytes.
  void for_each_term(
      const std::function<void(std::string_view, const PostingsEntry&)>& visit) const;

  /// The sections' files as the manifest records them, in the order of docs/format.md.
  const std::vector<SectionInfo>& section_infos() const;

  /// Whether a section's bytes (by its place in section_infos()) have its checksum. O(bytes).
  bool section_intact(std::size_t section) const;

 private:
  struct State;
  explicit Index(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace warpdex
