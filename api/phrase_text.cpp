#include "phrase_text.hpp"

#include <algorithm>
#include <utility>

#include "warpdex/core/error.hpp"
#include "warpdex/indexer/format/text_fields.hpp"

namespace warpdex {

PhraseText::PhraseText(const Snapshot& snapshot, std::span<const GpuSnapshot> shards,
                       std::size_t threads, Device device, const PhraseText* before)
    : snapshot_(snapshot),
      shards_(shards.begin(), shards.end()),
      threads_(threads),
      device_(device) {
  if (before == nullptr) return;
  const std::lock_guard lock(before->mutex_);
  for (std::size_t i = 0; i < before->positions_.size(); ++i) {
    positions_.push_back(before->positions_[i].next(shards_[i]));
  }
}

std::vector<std::optional<SearchResult>> PhraseText::find(std::span<const QueryNode* const> trees,
                                                          const SearchSettings& settings) {
  const std::lock_guard lock(mutex_);
  try {
    if (positions_.empty()) {
      std::vector<GpuPositions> uploaded;
      for (const GpuSnapshot& shard : shards_) uploaded.emplace_back(shard);
      positions_ = std::move(uploaded);
    }
    if (!phrases_) phrases_.emplace(snapshot_, positions_, threads_);
    return phrases_->search(trees, settings);
  } catch (const CudaError&) {
    if (device_ != Device::kAuto) throw;
    return std::vector<std::optional<SearchResult>>(trees.size());
  }
}

std::vector<std::size_t> PhraseText::search(std::span<const Query> queries,
                                            const SearchSettings& settings,
                                            const SearchLimits& limits,
                                            std::span<TextAnswer> answers) {
  std::vector<std::size_t> left;
  std::vector<std::size_t> taken;
  std::vector<const QueryNode*> trees;
  // The GPU has the lengths of one text.
  const bool can_take = text_count(snapshot_.settings().schema) < 2;
  for (std::size_t i = 0; i < queries.size(); ++i) {
    if (can_take && is_exact_phrase(*queries[i].tree)) {
      taken.push_back(i);
      trees.push_back(queries[i].tree.get());
    } else {
      left.push_back(i);
    }
  }
  if (trees.empty()) return left;
  limits.check_stop();
  std::vector<std::optional<SearchResult>> found = find(trees, settings);
  for (std::size_t i = 0; i < taken.size(); ++i) {
    if (found[i]) {
      answers[taken[i]] = {.result = std::move(*found[i]), .is_of_gpu = true};
    } else {
      left.push_back(taken[i]);
    }
  }
  return left;
}

/// Whether all that are searched are in GPU memory.
bool PhraseText::has_positions() const {
  return std::ranges::all_of(positions_, [](const GpuPositions& shard) {
    return shard.is_resident() || shard.snapshot().snapshot().segments().empty();
  });
}

std::string PhraseText::note() const {
  const std::lock_guard lock(mutex_);
  if (positions_.empty() || has_positions()) return "";
  return "the GPU's memory does not hold the positions of words; the CPU searches phrases";
}

}  // namespace warpdex
