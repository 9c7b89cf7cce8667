// Gathers changes in a folder beside the index, which a commit puts in its place.
#include "warpdex/indexer/living/living_index.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "build/memory_plan.hpp"
#include "build/segment_build.hpp"
#include "format/segment_opener.hpp"
#include "living/merge_policy.hpp"
#include "living/open_segment.hpp"
#include "rewrite/rewriter.hpp"
#include "rewrite/source.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/parallel.hpp"
#include "warpdex/core/storage/leftovers.hpp"
#include "warpdex/core/storage/open_stored.hpp"
#include "warpdex/core/storage/target.hpp"
#include "warpdex/indexer/format/impacts.hpp"

namespace warpdex {
namespace {

namespace fs = std::filesystem;

void check_changeable(const fs::path& folder, const IndexSettings& settings) {
  if (!settings.impacts || settings.impacts->source != ImpactSource::kBm25) return;
  throw UsageError(
      "the index '" + folder.string() +
      "' holds impacts of BM25, which depend on all documents that it was built of, so "
      "it takes no additions or deletions; build it again, or build one of frequencies");
}

/// Locks an index that is there; a folder that is none gets no lock beside it.
std::shared_ptr<TargetLock> lock_index(const fs::path& folder, const fs::path& target) {
  map_manifest(find_stored(folder));
  auto lock = std::make_shared<TargetLock>(target);
  clear_leftovers(target);
  return lock;
}

}  // namespace

struct LivingIndex::State {
  explicit State(const fs::path& given)
      : folder(given), target(resolve_target(given)), lock(lock_index(given, target)) {
    load();
    check_changeable(folder, settings);
  }

  void load();
  void forget();
  ReplacementFolder& change();
  void add_segment(std::size_t place, SegmentInfo info);
  BuildReport build(DocumentReader& reader, const BuildOptions& options,
                    const build::Admission& admission);
  bool remove(std::string_view id, std::size_t segments_end);
  bool has(std::string_view id) const;
  void merge(SegmentRange range, const MergeOptions& options);

  fs::path folder;  ///< as it was given
  fs::path target;
  std::shared_ptr<TargetLock> lock;
  IndexSettings settings;
  std::uint64_t commits = 0;
  std::uint64_t next_segment = 0;
  std::vector<OpenSegment> segments;
  std::unique_ptr<ReplacementFolder> next;  ///< of the next commit, if something was done
  bool is_changed = false;
};

/// The index as the last commit left it.
void LivingIndex::State::load() {
  segments.clear();
  open_stored(folder, [&](const Folder& opened) {
    const Manifest manifest = SegmentOpener::read_manifest(opened);
    settings = manifest.settings;
    commits = manifest.stored.commit;
    next_segment = manifest.stored.next_segment;
    for (const SegmentInfo& info : manifest.stored.segments) {
      segments.emplace_back(
          info, std::make_shared<const Index>(SegmentOpener::open(folder, opened, settings, info)),
          false);
    }
    return 0;
  });
}

/// Nothing is done since the last commit, or what was is lost.
void LivingIndex::State::forget() {
  next.reset();
  is_changed = false;
  load();
}

ReplacementFolder& LivingIndex::State::change() {
  if (!next) next = std::make_unique<ReplacementFolder>(target, lock);
  return *next;
}

void LivingIndex::State::add_segment(std::size_t place, SegmentInfo info) {
  const std::optional<Folder> opened = Folder::find(next->path());
  auto index = std::make_shared<const Index>(SegmentOpener::open(folder, *opened, settings, info));
  segments.emplace(segments.begin() + static_cast<std::ptrdiff_t>(place), std::move(info),
                   std::move(index), true);
  is_changed = true;
}

BuildReport LivingIndex::State::build(DocumentReader& reader, const BuildOptions& options,
                                      const build::Admission& admission) {
  build::Progress progress(options.on_progress);
  const std::uint64_t number = next_segment++;
  try {
    IndexWriter writer(change(), number, settings);
    IndexSettings own = settings;
    BuildReport report = build::build_segment(reader, options, &admission, own, writer, progress);
    if (report.documents > 0) {
      add_segment(segments.size(), writer.finish_segment([&] { progress.report(true); }));
      return report;
    }
    next->discard(number);
    return report;
  } catch (...) {
    if (next) next->discard(number);
    throw;
  }
}

bool LivingIndex::State::has(std::string_view id) const {
  return std::any_of(segments.begin(), segments.end(),
                     [&](const OpenSegment& segment) { return segment.find(id).has_value(); });
}

bool LivingIndex::State::remove(std::string_view id, std::size_t segments_end) {
  for (std::size_t i = segments_end; i-- > 0;) {
    const std::optional<std::uint32_t> document = segments[i].find(id);
    if (!document) continue;
    segments[i].remove(*document);
    is_changed = true;
    return true;
  }
  return false;
}

LivingIndex::LivingIndex(const fs::path& folder) : state_(std::make_unique<State>(folder)) {}
LivingIndex::~LivingIndex() = default;

const IndexSettings& LivingIndex::settings() const { return state_->settings; }

AddReport LivingIndex::add(DocumentReader& reader, const AddOptions& options) {
  State& state = *state_;
  const IndexSettings& settings = state.settings;
  if (reader.has_vectors() != settings.impacts.has_value()) {
    throw UsageError(
        "the index '" + state.folder.string() + "' is of " +
        (settings.impacts ? "sparse vectors, and texts were" : "texts, and sparse vectors were") +
        " given; give documents as it was built of");
  }
  if (!options.build.static_scores.empty() && !settings.has_static_scores) {
    throw UsageError("the index '" + state.folder.string() +
                     "' has no static scores; leave them out, or build it again with them");
  }
  BuildOptions build = options.build;
  build.codec = settings.codec;
  build.analyzer = settings.analyzer;
  build.fields = settings.fields;
  build.stored_fields = settings.stored_fields;
  build.vectors = settings.vectors;
  build.impacts.reset();
  build::check_build_options(reader, build);
  std::vector<std::string> updated;
  const build::Admission admission{[&](const std::string& id) -> std::string {
    if (!state.has(id)) return "";
    if (!options.update) {
      return "the index holds a document with the id '" + id +
             "' already; update it, delete it first, or leave the new one out";
    }
    updated.push_back(id);
    return "";
  }};
  const std::size_t before = state.segments.size();
  AddReport report{state.build(reader, build, admission), 0};
  for (const std::string& id : updated) report.updated += state.remove(id, before) ? 1 : 0;
  return report;
}

bool LivingIndex::remove(std::string_view id) {
  return state_->remove(id, state_->segments.size());
}

void LivingIndex::State::merge(SegmentRange range, const MergeOptions& options) {
  std::vector<rewrite::RewriteSource> sources;
  std::uint64_t live = 0;
  std::uint64_t postings = 1;
  for (std::size_t i = range.first; i < range.first + range.count; ++i) {
    const OpenSegment& segment = segments[i];
    rewrite::check_sections(segment.index(), [&](double) {
      if (options.on_progress) options.on_progress(0);
    });
    sources.push_back({&segment.index(), segment.removed()});
    live += segment.live_documents();
    postings += segment.index().counts().postings;
  }
  std::optional<SegmentInfo> merged;
  const std::uint64_t number = next_segment++;
  ReplacementFolder& to = change();
  try {
    if (live > 0) {
      IndexWriter writer(to, number, settings);
      const build::MemoryPlan plan = build::plan_memory(
          options.memory, options.threads != 0 ? options.threads : default_threads());
      writer.set_forward_memory(plan.writing / 4);
      rewrite::RewriteSettings rewriting{settings, {}, plan.writing / 2, plan.threads};
      rewrite::rewrite_index(sources, rewriting, writer, [&](std::uint64_t done) {
        if (!options.on_progress) return;
        options.on_progress(static_cast<double>(done) / static_cast<double>(postings));
      });
      merged = writer.finish_segment();
    }
  } catch (...) {
    to.discard(number);
    throw;
  }
  for (std::size_t i = range.first; i < range.first + range.count; ++i) {
    if (segments[i].is_new()) to.discard(segments[i].info().number);
  }
  const auto first = segments.begin() + static_cast<std::ptrdiff_t>(range.first);
  segments.erase(first, first + static_cast<std::ptrdiff_t>(range.count));
  is_changed = true;
  if (merged) add_segment(range.first, std::move(*merged));
}

MergeReport LivingIndex::merge(const MergeOptions& options) {
  State& state = *state_;
  if (options.memory < kMinBuildMemory) {
    throw UsageError("merging needs at least " + std::to_string(kMinBuildMemory >> 20) +
                     " MiB of memory; allow more");
  }
  MergeReport report{.segments_before = state.segments.size()};
  const auto removed = [&] {
    std::uint64_t count = 0;
    for (const OpenSegment& segment : state.segments) count += segment.removed_documents();
    return count;
  };
  const std::uint64_t removed_before = removed();
  if (options.all) {
    const bool is_whole = state.segments.size() <= 1 && removed_before == 0;
    if (!is_whole) state.merge({0, state.segments.size()}, options);
  } else {
    for (;;) {
      std::vector<SegmentSize> sizes;
      for (const OpenSegment& segment : state.segments) {
        sizes.push_back({segment.live_documents(), segment.removed_documents()});
      }
      const std::optional<SegmentRange> range = choose_merge(sizes);
      if (!range) break;
      state.merge(*range, options);
    }
  }
  report.segments = state.segments.size();
  report.dropped_documents = removed_before - removed();
  return report;
}

void LivingIndex::commit(const std::function<void()>& check) {
  State& state = *state_;
  if (!state.is_changed) return;
  ReplacementFolder& folder = state.change();
  Manifest manifest{state.settings, {state.commits + 1, state.next_segment, {}}};
  for (const OpenSegment& segment : state.segments) {
    if (segment.live_documents() > 0) {
      manifest.stored.segments.push_back(segment.write(folder, state.commits + 1));
    } else if (segment.is_new()) {
      folder.discard(segment.info().number);
    }
  }
  try {
    folder.commit(manifest_to_json(manifest), check);
  } catch (...) {
    state.forget();
    throw;
  }
  state.forget();
}

}  // namespace warpdex
