// What an IndexWriter holds: the sections under way, and what they are finished from. Internal.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "format/document_extras.hpp"
#include "format/forward_writer.hpp"
#include "format/lexicon.hpp"
#include "warpdex/core/storage/manifest_json.hpp"
#include "warpdex/core/storage/replacement_folder.hpp"
#include "warpdex/core/storage/segment_files.hpp"
#include "warpdex/indexer/format/index_writer.hpp"
#include "warpdex/indexer/format/postings.hpp"
#include "warpdex/indexer/format/section_names.hpp"
#include "warpdex/indexer/format/text_fields.hpp"

namespace warpdex {

/// The payload and offsets of the docIDs, or of the frequencies, of posting lists.
struct StreamWriter {
  SectionWriter bases;
  SectionWriter offsets;
  SectionWriter codes;
  SectionWriter bytes;

  void add(const EncodedValues& values) {
    const std::size_t blocks = values.codes.size();
    for (std::size_t block = 0; block < blocks; ++block) {
      const std::size_t group_begin = block - block % kBlocksPerBase;
      const std::uint32_t base = values.offsets[group_begin];
      if (block == group_begin && block > 0) bases.append_value(base);
      offsets.append_value(static_cast<std::uint16_t>(values.offsets[block] - base));
    }
    codes.append(values.codes);
    bytes.append(values.bytes);
  }
};

/// The sections of positions.
struct PositionsWriter {
  explicit PositionsWriter(SegmentFiles& files)
      : short_bytes(files, section::kShortPositions),
        starts(files, section::kPositionStarts),
        blocks{{files, section::kPositionBases},
               {files, section::kPositionOffsets},
               {files, section::kPositionCodes},
               {files, section::kPositions}} {}

  SectionWriter short_bytes;
  SectionWriter starts;
  StreamWriter blocks;
  std::uint64_t bases = 0;
};

/// Lengths in a text field behind the first.
struct MoreLengths {
  MoreLengths(SegmentFiles& files, std::size_t field)
      : section(files, section::lengths_of_text(field)) {}
  std::vector<std::uint32_t> lengths;
  SectionWriter section;
};

struct IndexWriter::State {
  State(const std::filesystem::path& target, const IndexSettings& index_settings)
      : State(index_settings, std::make_unique<ReplacementFolder>(target, kTextKind), nullptr, 0,
              0) {}
  State(ReplacementFolder& commit, std::uint64_t number, const IndexSettings& index_settings)
      : State(index_settings, nullptr, &commit, number, kSmallSegmentBytes) {}
  State(const IndexSettings& index_settings, std::unique_ptr<ReplacementFolder> own,
        ReplacementFolder* commit, std::uint64_t number, std::uint64_t small_bytes)
      : settings(index_settings),
        own_folder(std::move(own)),
        folder(own_folder ? *own_folder : *commit),
        files(folder, number, small_bytes),
        quantises(index_settings.impacts.has_value()),
        forward(folder.scratch()) {
    const std::size_t count = text_count(settings.schema);
    if (count > 1) counts.texts.resize(count);
    while (texts() < count) more_texts.emplace_back(files, texts());
    if (settings.has_forward) {
      forward_offsets.emplace(files, section::kForwardOffsets);
      forward_bytes.emplace(files, section::kForward);
    }
    if (settings.has_positions) positions.emplace(files);
    extras.emplace(files, settings);
  }

  /// Texts of a document.
  std::size_t texts() const { return 1 + more_texts.size(); }
  /// One of each text.
  void add_lengths(std::span<const std::uint32_t> of_texts);
  void append_static_score(float score);
  void finish_impacts();
  void add_to_forward(const EncodedPostings::Data& data);
  void append_blocks(const EncodedPostings::Data& data, PostingsEntry& entry);
  void append_positions(const EncodedPostings::Data& data, PostingsEntry& entry);
  void append_bounds(const ListBounds& bounds, PostingsEntry& entry);

  IndexSettings settings;
  std::unique_ptr<ReplacementFolder> own_folder;  ///< none where it is a commit's
  ReplacementFolder& folder;
  SegmentFiles files;
  IndexCounts counts;
  std::size_t threads = 0;  ///< that train lists of vectors; 0: default_threads()
  bool quantises = false;   ///< static scores and `largest` are yet to be turned into impacts' unit
  std::vector<std::uint32_t> lengths;
  std::vector<std::uint32_t> name_hashes;
  ForwardWriter forward;
  std::vector<float> unquantised_scores;  ///< static ones, whose unit is known at the end
  std::uint64_t static_count = 0;
  float static_bound = 0;
  std::uint64_t blocks_bases = 0;
  std::uint32_t frequent_lists = 0;

  SectionWriter lexicon_bytes{files, section::kLexicon};
  SectionWriter lexicon_index{files, section::kLexiconIndex};
  SectionWriter short_lists{files, section::kShortLists};
  SectionWriter last_docids{files, section::kBlockLastDocids};
  StreamWriter docids{{files, section::kDocidBases},
                      {files, section::kDocidOffsets},
                      {files, section::kDocidCodes},
                      {files, section::kDocids}};
  StreamWriter frequencies{{files, section::kFrequencyBases},
                           {files, section::kFrequencyOffsets},
                           {files, section::kFrequencyCodes},
                           {files, section::kFrequencies}};
  SectionWriter bounds{files, section::kBlockBounds};
  SectionWriter range_bounds{files, section::kRangeBounds};
  SectionWriter seeds{files, section::kSeeds};
  SectionWriter length_section{files, section::kDocumentLengths};
  SectionWriter name_offsets{files, section::kDocumentNameOffsets};
  SectionWriter names{files, section::kDocumentNames};
  SectionWriter static_scores{files, section::kStaticScores};
  SectionWriter static_bounds{files, section::kStaticBounds};
  SectionWriter name_order{files, section::kDocumentNameOrder};
  std::optional<PositionsWriter> positions;
  std::deque<MoreLengths> more_texts;
  std::optional<SectionWriter> forward_offsets;
  std::optional<SectionWriter> forward_bytes;
  std::optional<DocumentExtras> extras;  ///< behind the forward index
  PositionedTexts positioned{settings};
  LexiconWriter lexicon{lexicon_bytes, lexicon_index, settings};
};

/// Appends the bytes of the values, as they lie in memory.
template <class T>
void append_all(SectionWriter& writer, const std::vector<T>& values) {
  writer.append({reinterpret_cast<const std::uint8_t*>(values.data()), values.size() * sizeof(T)});
}

}  // namespace warpdex
