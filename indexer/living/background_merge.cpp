// Runs a merge, keeps its result, and finds the documents that were removed meanwhile.
#include "living/background_merge.hpp"

#include <bit>
#include <string>
#include <utility>

#include "warpdex/core/error.hpp"

namespace warpdex {
namespace {

struct GivenUp {};

std::string sentence(const Error& error) {
  return std::string("the merge in the background ended, and the index is as it was without it: ") +
         error.what();
}

}  // namespace

BackgroundMerge::BackgroundMerge(std::vector<Source> sources, std::uint64_t merged,
                                 std::uint64_t memory, std::size_t threads,
                                 std::unique_ptr<ReplacementFolder> folder)
    : sources_(std::move(sources)), folder_(std::move(folder)) {
  std::packaged_task<std::optional<SegmentInfo>(const std::stop_token&)> task(
      [this, merged, memory, threads](const std::stop_token& stop) {
        return run(stop, merged, memory, threads);
      });
  outcome_ = task.get_future();
  thread_ =
      std::jthread([work = std::move(task)](const std::stop_token& stop) mutable { work(stop); });
}

std::optional<SegmentInfo> BackgroundMerge::run(const std::stop_token& stop, std::uint64_t merged,
                                                std::uint64_t memory, std::size_t threads) {
  std::vector<MergeSource> sources;
  for (const Source& source : sources_) {
    sources.push_back({source.index, RemovedRows(source.removed)});
  }
  const MergeMeans means{memory, threads, [&stop](double) {
                           if (stop.stop_requested()) throw GivenUp{};
                         }};
  return merge_segments(sources, merged, means, *folder_);
}

bool BackgroundMerge::wait(std::chrono::milliseconds longest) const {
  return outcome_.wait_for(longest) == std::future_status::ready;
}

std::optional<SegmentInfo> BackgroundMerge::finish() {
  try {
    return outcome_.get();
  } catch (const FormatError& error) {
    throw FormatError(sentence(error));
  } catch (const IoError& error) {
    throw IoError(sentence(error));
  } catch (const InputError& error) {
    throw InputError(sentence(error));
  }
}

void BackgroundMerge::for_each_removed_since(
    std::span<const std::optional<RemovedRows>> now,
    const std::function<void(std::uint32_t)>& visit) const {
  std::uint32_t document = 0;  // of the new segment: the first one of the word
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    const std::uint64_t rows = sources_[i].index->counts().documents;
    for (std::uint64_t word = 0; word < removed_words(rows); ++word) {
      const std::uint64_t left = rows - word * 64;
      const std::uint64_t all = left >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << left) - 1;
      const std::uint64_t before = sources_[i].removed.empty() ? 0 : sources_[i].removed[word];
      const std::uint64_t kept = all & ~before;
      std::uint64_t gone = kept;
      if (now[i]) gone &= now[i]->none() ? 0 : now[i]->words()[word];
      for (; gone != 0; gone &= gone - 1) {
        const std::uint64_t lower = (gone & -gone) - 1;
        visit(document + static_cast<std::uint32_t>(std::popcount(kept & lower)));
      }
      document += static_cast<std::uint32_t>(std::popcount(kept));
    }
  }
}

}  // namespace warpdex
