// Changes the codec of an index, and makes impacts of its frequencies.
#include "warpdex/indexer/rewrite/rewrite.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <string>

#include "build/memory_plan.hpp"
#include "rewrite/rewriter.hpp"
#include "rewrite/source.hpp"
#include "rewrite/stages.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/parallel.hpp"
#include "warpdex/core/storage/check_sections.hpp"
#include "warpdex/indexer/build/index_builder.hpp"
#include "warpdex/indexer/format/impacts.hpp"
#include "warpdex/indexer/format/text_fields.hpp"

namespace warpdex {
namespace rewrite {

Means means_of(const RewriteOptions& options) {
  if (options.memory < kMinBuildMemory) {
    throw UsageError("writing an index needs at least " + std::to_string(kMinBuildMemory >> 20) +
                     " MiB of memory; allow more");
  }
  const build::MemoryPlan plan = build::plan_memory(
      options.memory, options.threads != 0 ? options.threads : default_threads());
  return {plan.threads, plan.writing, options.memory - plan.writing};
}

}  // namespace rewrite

namespace {

IndexSettings settings_of(const ConvertOptions& options, const Index& index) {
  IndexSettings settings = index.settings();
  settings.codec = options.codec;
  if (!options.impacts) return settings;
  if (settings.impacts) {
    throw UsageError("the index '" + index.folder().string() +
                     "' holds impacts already, which cannot be made again; leave impacts out, or "
                     "build it from its documents");
  }
  if (settings.has_positions) {
    throw UsageError("the index '" + index.folder().string() +
                     "' has positions of words, which one of impacts has not; build it from its "
                     "documents with impacts and without positions");
  }
  if (text_count(settings.schema) > 1) {
    throw UsageError("an index of impacts has one text, and the index '" + index.folder().string() +
                     "' has several text fields; leave impacts out");
  }
  settings.impacts = options.impacts;
  settings.has_forward = false;  // with BM25's impacts, an index does not change
  return settings;
}

/// How large a static score may be beside impacts depends on the number of documents.
void check_static_scores(const ConvertOptions& options, const Index& index) {
  const auto scores = index.sections().static_scores;
  if (!options.impacts || scores.empty()) return;
  const double limit =
      ImpactQuantizer(*options.impacts, {index.counts().documents, index.counts().tokens})
          .largest_static();
  const auto largest = std::max_element(scores.begin(), scores.end());
  if (*largest <= limit) return;
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.6g", limit);
  throw InputError(
      "the static score of the document '" +
      std::string(index.document_name(static_cast<std::uint32_t>(largest - scores.begin()))) +
      "' is too large for an index of impacts, which takes at most " + text.data() +
      " here; convert without impacts");
}

}  // namespace

ConvertReport convert_index(const ConvertOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  const rewrite::Means means = rewrite::means_of(options.rewrite);
  if (options.codec.pfor_levels > kMaxPforLevels) {
    throw UsageError("pfor has 0 to " + std::to_string(kMaxPforLevels) +
                     " levels; choose a number of these");
  }
  const rewrite::Stages stages(options.rewrite.on_progress);
  rewrite::check_places(options.rewrite.input, options.rewrite.output);
  const Index opened = Index::open(options.rewrite.input);
  rewrite::RewriteSettings settings;
  settings.index = settings_of(options, opened);
  IndexWriter writer(options.rewrite.output, settings.index);
  const Index index = rewrite::open_again(opened, options.rewrite.output);
  check_before_copy(index, [&](double share) { stages.tell_share("checking", share); });
  check_static_scores(options, index);
  const IndexCounts& counts = index.counts();
  const std::uint64_t held = writer.memory() + 2 * sizeof(float) * counts.documents;
  const std::uint64_t memory = means.without(held).memory;
  const std::uint64_t forward = settings.index.has_forward ? memory / 8 : 0;
  writer.set_forward_memory(forward);
  settings.memory = memory - forward;
  settings.threads = means.threads;
  const auto tell = [&](std::uint64_t done) { stages.tell("writing", done, counts.postings); };
  const rewrite::RewriteSource source{&index};
  rewrite::rewrite_index({&source, 1}, settings, writer, tell);
  std::vector<std::string> notes = writer.commit([&] { tell(counts.postings); });
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  return {counts.documents, counts.terms, counts.postings, seconds.count(), std::move(notes)};
}

}  // namespace warpdex
