// Phrases as they go to the GPU, before their places there are known. Internal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gpu/layout/list_source.hpp"
#include "gpu/phrases/gpu_positions_state.hpp"
#include "gpu/phrases/phrase_batch.hpp"
#include "tree/tree_plan.hpp"

namespace warpdex::gpu {

/// Some phrases of a batch. Numbers count from the first of these phrases.
class PreparedPhrases {
 public:
  /// A list. If it is kPacked, `source.docids` is null, and its postings are the next in `raw`.
  struct PreparedList {
    ListSource source;
    std::size_t segment;  ///< its number in GpuPositions::State::segments
    PositionList positions;
  };

  /// Adds a planned phrase, which takes the next number. Throws FormatError for damage.
  void add(const GpuPositions::State& index, const PlannedTree& tree, const ScorerSettings& scorer);

  std::vector<PhraseQuery> queries;  ///< candidates have no places yet
  std::vector<SegmentPhrase> phrases;
  std::vector<std::uint32_t> blocks;  ///< by phrase: of its rarest word
  std::vector<PreparedList> lists;
  std::vector<PhraseWord> words;
  std::vector<PhrasePart> parts;
  std::vector<std::uint32_t> raw;  ///< kRawListEntries for each packed list

 private:
  bool add_segment(const GpuPositions::State& index, const PlannedNode& phrase,
                   std::size_t segment);
  /// What a document can have, at most.
  struct Largest {
    std::uint64_t frequency = 0;  ///< of the phrase
    float static_score = 0;
  };
  void set_scorer(const PlannedTree& tree, const ScorerSettings& scorer,
                  const SegmentPhrase& segment, const Largest& largest, PhraseQuery& query);
  void add_list(const GpuPositions::State& index, const PostingsEntry& entry, std::size_t segment);

  std::vector<std::uint64_t> occurrences_;  ///< by list
  std::vector<std::uint32_t> packed_;
};

}  // namespace warpdex::gpu
