// The image of some phrases: what their kernels read, in page-locked memory and on the GPU.
// Internal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gpu/phrases/phrase_batch.hpp"
#include "gpu/phrases/prepared_phrases.hpp"
#include "query_threads.hpp"
#include "warpdex/core/cuda/memory_budget.hpp"
#include "warpdex/core/cuda/pinned.hpp"
#include "warpdex/core/cuda/stream.hpp"

namespace warpdex::gpu {

/// Memory of the GPU and of the host for one batch after the other. Used by one thread.
class PhraseImage {
 public:
  PhraseImage(const GpuPositions::State& index, QueryThreads& threads, MemoryBudget& memory,
              int device)
      : index_(index), threads_(threads), memory_(memory), device_(device) {}

  /// Takes memory for the phrases, with room for `k` hits of each, writes their image, and queues
  /// its upload. What was uploaded before must not be in use. Fills in what `batch` has of them.
  /// Returns false if GPU memory does not suffice.
  bool upload(std::span<PreparedPhrases> prepared, std::uint32_t k, PhraseBatch& batch,
              const Stream& stream);

  /// Queues the copy of the answers to the host.
  void download(const PhraseBatch& batch, const Stream& stream);
  /// Of the batch, once that is done: the states by query, and k candidates for each.
  const PhraseState* states() const { return states_; }
  const PhraseCandidate* best() const { return best_; }

 private:
  struct Sizes {
    std::size_t queries = 0;
    std::size_t phrases = 0;
    std::size_t lists = 0;
    std::size_t words = 0;
    std::size_t parts = 0;
    std::size_t raw = 0;
    std::size_t items = 0;
    std::size_t candidates = 0;
    std::size_t k = 0;
  };
  struct Parts {
    PhraseQuery* queries;
    SegmentPhrase* phrases;
    List* lists;
    PositionList* positions;
    PhraseWord* words;
    PhrasePart* parts;
    PhraseItem* items;
    std::uint32_t* raw;
    std::size_t image_bytes;  ///< up to here they are uploaded
    PhraseState* states;      ///< the states and bins are cleared
    std::uint32_t* bins;
    std::size_t cleared_bytes;
    PhraseCandidate* best;
    void* tails;
    PhraseCandidate* found;
    std::size_t bytes;
  };

  Sizes sizes_of(std::span<const PreparedPhrases> prepared, std::uint32_t k,
                 std::uint32_t item_blocks) const;
  Parts lay_out(void* begin, const Sizes& sizes) const;
  std::vector<Sizes> places_of(std::span<const PreparedPhrases> prepared) const;
  void write(PreparedPhrases& prepared, const Sizes& place, const Parts& host,
             const Parts& device) const;
  static void point_to(const Parts& device, const Sizes& sizes, PhraseBatch& batch);
  static void write_items(std::span<const PreparedPhrases> prepared, std::uint32_t item_blocks,
                          PhraseItem* items);

  const GpuPositions::State& index_;
  QueryThreads& threads_;
  MemoryBudget& memory_;
  int device_;
  PinnedBuffer host_;
  PinnedBuffer answers_;
  AccountedBuffer device_memory_;
  PhraseState* states_ = nullptr;
  PhraseCandidate* best_ = nullptr;
};

}  // namespace warpdex::gpu
