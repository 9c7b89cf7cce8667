// Checks the segments' bytes, then lets the rewriter join them.
#include "living/merge_segments.hpp"

#include <vector>

#include "build/memory_plan.hpp"
#include "rewrite/rewriter.hpp"
#include "warpdex/core/parallel.hpp"
#include "warpdex/core/storage/check_sections.hpp"
#include "warpdex/indexer/format/index_writer.hpp"

namespace warpdex {
namespace {

std::uint64_t live_documents(const MergeSource& source) {
  return source.index->counts().documents - count_removed(source.removed.words());
}

SegmentInfo write(std::span<const rewrite::RewriteSource> sources, std::uint64_t postings,
                  std::uint64_t number, const MergeMeans& means, ReplacementFolder& to) {
  const IndexSettings& settings = sources.front().index->settings();
  IndexWriter writer(to, number, settings);
  const build::MemoryPlan plan =
      build::plan_memory(means.memory, means.threads != 0 ? means.threads : default_threads());
  writer.set_forward_memory(plan.writing / 4);
  const rewrite::RewriteSettings rewriting{settings, {}, plan.writing / 2, plan.threads};
  double share = 0;
  rewrite::rewrite_index(sources, rewriting, writer, [&](std::uint64_t done) {
    share = static_cast<double>(done) / static_cast<double>(postings);
    means.on_progress(share);
  });
  return writer.finish_segment([&] { means.on_progress(share); });
}

}  // namespace

std::optional<SegmentInfo> merge_segments(std::span<const MergeSource> sources,
                                          std::uint64_t number, const MergeMeans& means,
                                          ReplacementFolder& to) {
  std::vector<rewrite::RewriteSource> checked;
  std::uint64_t live = 0;
  std::uint64_t postings = 1;
  for (const MergeSource& source : sources) {
    check_before_copy(*source.index, [&](double) { means.on_progress(0); });
    checked.push_back({source.index.get(), source.removed});
    live += live_documents(source);
    postings += source.index->counts().postings;
  }
  if (live == 0) return std::nullopt;
  try {
    return write(checked, postings, number, means, to);
  } catch (...) {
    to.discard(number);
    throw;
  }
}

}  // namespace warpdex
