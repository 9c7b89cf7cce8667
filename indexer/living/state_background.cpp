// Begins merges on a thread, and takes in what they wrote.
#include <algorithm>
#include <chrono>
#include <utility>

#include "living/living_state.hpp"

namespace warpdex {

void LivingIndex::State::collect() noexcept {
  if (under_way && under_way->wait(std::chrono::milliseconds(0))) take_merge();
}

void LivingIndex::State::rethrow_failure() {
  if (failure) std::rethrow_exception(std::exchange(failure, nullptr));
}

void LivingIndex::State::note_failure(std::vector<std::string>& to) const {
  if (!failure) return;
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& error) {
    to.push_back(error.what());
  }
}

void LivingIndex::State::start_merge() noexcept {
  if (!background || under_way) return;
  try {
    const std::optional<SegmentRange> range = choose_merge(sizes());
    if (!range) return;
    std::vector<BackgroundMerge::Source> sources;
    for (std::size_t i = range->first; i < range->first + range->count; ++i) {
      const OpenSegment& segment = segments[i];
      const auto removed = segment.removed().words();
      sources.push_back(
          {segment.info().number, segment.shared_index(), {removed.begin(), removed.end()}});
    }
    under_way = std::make_unique<BackgroundMerge>(
        std::move(sources), next_segment++, background->memory, background->threads,
        std::make_unique<ReplacementFolder>(target, lock, false));
  } catch (...) {
    background.reset();
    failure = std::current_exception();
  }
}

void LivingIndex::State::take_merge() noexcept {
  try {
    take(*under_way);
  } catch (...) {
    background.reset();
    failure = std::current_exception();
  }
  under_way.reset();
}

void LivingIndex::State::take(BackgroundMerge& merge) {
  std::optional<SegmentInfo> merged = merge.finish();
  // A segment of which all documents were removed went with a commit.
  SegmentRange range{segments.size(), 0};
  std::vector<std::optional<RemovedRows>> removed;
  for (const BackgroundMerge::Source& source : merge.sources()) {
    const auto segment =
        std::find_if(segments.begin(), segments.end(),
                     [&](const OpenSegment& each) { return each.info().number == source.number; });
    removed.emplace_back();
    if (segment == segments.end()) continue;
    removed.back() = segment->removed();
    range.first = std::min(range.first, static_cast<std::size_t>(segment - segments.begin()));
    ++range.count;
  }
  if (range.count == 0) return;
  std::optional<OpenSegment> by;
  if (merged) {
    change().take(merge.folder(), *merged);
    try {
      by = open_new(*merged);
      merge.for_each_removed_since(removed, [&](std::uint32_t document) { by->remove(document); });
    } catch (...) {
      change().discard(merged->number);
      throw;
    }
  }
  replace(range, std::move(by));
}

}  // namespace warpdex
