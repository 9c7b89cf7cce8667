// Gathers changes in a folder beside the index, which a commit puts in its place.
#include "warpdex/indexer/living/living_index.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "format/manifest.hpp"
#include "living/living_state.hpp"
#include "living/merge_segments.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/storage/open_stored.hpp"

namespace warpdex {
namespace {

namespace fs = std::filesystem;

void check_memory(std::uint64_t memory) {
  if (memory >= kMinBuildMemory) return;
  throw UsageError("merging needs at least " + std::to_string(kMinBuildMemory >> 20) +
                   " MiB of memory; allow more");
}

}  // namespace

LivingIndex::LivingIndex(const fs::path& folder) : state_(std::make_unique<State>(folder)) {}
LivingIndex::~LivingIndex() = default;

const IndexSettings& LivingIndex::settings() const { return state_->last.settings; }

std::uint64_t LivingIndex::number() const { return state_->last.number; }

BuildReport LivingIndex::add(DocumentReader& reader, const AddOptions& options) {
  State& state = *state_;
  state.check_known();
  state.collect();
  state.start_merge();
  const IndexSettings& settings = state.last.settings;
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
  build.schema = settings.schema;
  build.vectors = settings.vectors;
  build.impacts.reset();
  build.positions = settings.has_positions && !settings.positions_by_field;
  build::check_build_options(reader, build);
  std::vector<std::string> updated;
  const auto refusal = [&](const std::string& id) -> std::string {
    if (!state.has(id)) return "";
    if (!options.update) {
      return "the index holds a document with the id '" + id +
             "' already; update it, delete it first, or leave the new one out";
    }
    updated.push_back(id);
    return "";
  };
  const build::Admission admission{refusal, settings.impacts, state.documents()};
  std::vector<OpenSegment> before;
  if (options.update) before = state.segments;
  const std::size_t segments_before = state.segments.size();
  BuildReport report = state.build(reader, build, admission);
  try {
    for (const std::string& id : updated) {
      report.updated += state.remove(id, segments_before) ? 1 : 0;
    }
  } catch (...) {
    state.go_back_to(std::move(before));
    throw;
  }
  return report;
}

bool LivingIndex::has(std::string_view id) const {
  state_->check_known();
  return state_->has(id);
}

bool LivingIndex::remove(std::string_view id) {
  state_->check_known();
  state_->collect();
  return state_->remove(id, state_->segments.size());
}

void LivingIndex::State::merge(SegmentRange range, const MergeOptions& options) {
  std::vector<MergeSource> sources;
  for (std::size_t i = range.first; i < range.first + range.count; ++i) {
    sources.push_back({segments[i].shared_index(), segments[i].removed()});
  }
  const MergeMeans means{options.memory, options.threads, [&](double share) {
                           if (options.on_progress) options.on_progress(share);
                         }};
  std::optional<SegmentInfo> merged = merge_segments(sources, next_segment++, means, change());
  std::optional<OpenSegment> by;
  if (merged) by = open_new(std::move(*merged));
  replace(range, std::move(by));
}

MergeReport LivingIndex::merge(const MergeOptions& options) {
  State& state = *state_;
  check_memory(options.memory);
  state.check_known();
  state.collect();
  state.under_way.reset();
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
    while (const std::optional<SegmentRange> range = choose_merge(state.sizes())) {
      state.merge(*range, options);
    }
  }
  report.segments = state.segments.size();
  report.removed_documents = removed();
  report.dropped_documents = removed_before - report.removed_documents;
  return report;
}

void LivingIndex::merge_in_background(const BackgroundMergeOptions& options) {
  check_memory(options.memory);
  state_->check_known();
  state_->background = options;
  state_->start_merge();
}

void LivingIndex::finish_merges(const std::function<void()>& check) {
  State& state = *state_;
  constexpr std::chrono::milliseconds kBetweenChecks{50};
  state.check_known();
  state.collect();
  for (state.start_merge(); state.under_way; state.start_merge()) {
    while (check && !state.under_way->wait(kBetweenChecks)) check();
    state.take_merge();
  }
  state.rethrow_failure();
}

CommitReport LivingIndex::commit(const std::function<void()>& check) {
  State& state = *state_;
  state.check_known();
  state.collect();
  CommitReport report{state.last.number};
  try {
    report.notes = state.notes;
    state.note_failure(report.notes);
    if (state.is_changed) state.put_in_place(check, report);
  } catch (...) {
    state.under_way.reset();
    state.forget();
    throw;
  }
  state.notes.clear();
  state.failure = nullptr;
  state.start_merge();
  return report;
}

void LivingIndex::rollback() {
  state_->under_way.reset();
  state_->is_lost = false;  // unless there is no memory for it
  state_->forget();
  state_->check_known();
}

JournalContent LivingIndex::read_journal(const ChangeVisitor& visit) {
  const Folder opened = find_stored(state_->target);
  const JournalContent content = read_changes(opened, state_->journal_base(), visit);
  state_->has_read_journal = true;
  return content;
}

std::unique_ptr<ChangeJournal> LivingIndex::open_journal() const {
  return std::make_unique<ChangeJournal>(state_->target, state_->journal_base());
}

void LivingIndex::remove_journal() const {
  warpdex::remove_journal(state_->target, state_->journal_base());
}

}  // namespace warpdex
