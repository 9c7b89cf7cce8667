// The files of a segment, in the order in which the manifest lists them. docs/format.md.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace warpdex::section {

inline constexpr std::string_view kLexicon = "lexicon";
inline constexpr std::string_view kLexiconIndex = "lexicon_index";
inline constexpr std::string_view kShortLists = "short_lists";
inline constexpr std::string_view kBlockLastDocids = "block_last_docids";
inline constexpr std::string_view kDocidBases = "docid_bases";
inline constexpr std::string_view kDocidOffsets = "docid_offsets";
inline constexpr std::string_view kDocidCodes = "docid_codes";
inline constexpr std::string_view kDocids = "docids";
inline constexpr std::string_view kFrequencyBases = "frequency_bases";
inline constexpr std::string_view kFrequencyOffsets = "frequency_offsets";
inline constexpr std::string_view kFrequencyCodes = "frequency_codes";
inline constexpr std::string_view kFrequencies = "frequencies";
inline constexpr std::string_view kBlockBounds = "block_bounds";
inline constexpr std::string_view kRangeBounds = "range_bounds";
inline constexpr std::string_view kSeeds = "seeds";
inline constexpr std::string_view kDocumentLengths = "document_lengths";
inline constexpr std::string_view kDocumentNameOffsets = "document_name_offsets";
inline constexpr std::string_view kDocumentNames = "document_names";
inline constexpr std::string_view kStaticScores = "static_scores";
inline constexpr std::string_view kStaticBounds = "static_bounds";

/// Of every segment, also of version 2.
inline constexpr std::array kAll{
    kLexicon,         kLexiconIndex,        kShortLists,    kBlockLastDocids, kDocidBases,
    kDocidOffsets,    kDocidCodes,          kDocids,        kFrequencyBases,  kFrequencyOffsets,
    kFrequencyCodes,  kFrequencies,         kBlockBounds,   kRangeBounds,     kSeeds,
    kDocumentLengths, kDocumentNameOffsets, kDocumentNames, kStaticScores,    kStaticBounds};

// Sections that a segment may lack; behind the others, in this order.
inline constexpr std::string_view kDocumentNameOrder = "document_name_order";
/// Lengths in a text field behind the first: "document_lengths_1".
inline std::string lengths_of_text(std::size_t field) {
  return std::string(kDocumentLengths) + "_" + std::to_string(field);
}
inline constexpr std::string_view kForwardOffsets = "forward_offsets";
inline constexpr std::string_view kForward = "forward";
inline constexpr std::string_view kShortPositions = "short_positions";
inline constexpr std::string_view kPositionStarts = "position_starts";
inline constexpr std::string_view kPositionBases = "position_bases";
inline constexpr std::string_view kPositionOffsets = "position_offsets";
inline constexpr std::string_view kPositionCodes = "position_codes";
inline constexpr std::string_view kPositions = "positions";
inline constexpr std::string_view kStoredDictionary = "stored_dictionary";
inline constexpr std::string_view kStoredBlockNumbers = "stored_block_numbers";
inline constexpr std::string_view kStoredBlockTable = "stored_block_table";
inline constexpr std::string_view kStoredBlocks = "stored_blocks";

/// What the names of the sections of a schema's vectors begin with, by the vectors' number in it.
inline std::string prefix_of_vectors(std::size_t field) {
  return "vector_" + std::to_string(field) + "_";
}

/// Of the file of removed documents, where there is a forward index.
inline constexpr std::string_view kFrequencyChanges = "frequency_changes";

}  // namespace warpdex::section
