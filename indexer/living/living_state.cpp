// Opens the index, builds segments, and keeps what is to be committed.
#include "living/living_state.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "format/segment_opener.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/storage/leftovers.hpp"
#include "warpdex/core/storage/open_stored.hpp"
#include "warpdex/core/storage/target.hpp"

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

/// Locks an existing index. If the folder is not an index, no lock file is made beside it.
std::shared_ptr<TargetLock> lock_index(const fs::path& folder, const fs::path& target) {
  map_manifest(find_stored(folder));
  auto lock = std::make_shared<TargetLock>(target, LockUse::kChange);
  clear_leftovers(target);
  return lock;
}

}  // namespace

LivingIndex::State::State(const fs::path& given)
    : folder(given), target(resolve_target(given)), lock(lock_index(given, target)) {
  load();
  check_changeable(folder, settings);
}

void LivingIndex::State::load() {
  segments.clear();
  open_stored(folder, [&](const Folder& opened) {
    const Manifest manifest = SegmentOpener::read_manifest(opened);
    settings = manifest.settings;
    commits = manifest.stored.commit;
    next_segment = std::max(next_segment, manifest.stored.next_segment);
    for (const SegmentInfo& info : manifest.stored.segments) {
      segments.emplace_back(
          info, std::make_shared<const Index>(SegmentOpener::open(folder, opened, settings, info)),
          false);
    }
    return 0;
  });
}

void LivingIndex::State::forget() {
  next.reset();
  is_changed = false;
  load();
}

ReplacementFolder& LivingIndex::State::change() {
  if (!next) next = std::make_unique<ReplacementFolder>(target, lock, under_way == nullptr);
  return *next;
}

OpenSegment LivingIndex::State::open_new(SegmentInfo info) const {
  const std::optional<Folder> opened = Folder::find(next->path());
  auto index = std::make_shared<const Index>(SegmentOpener::open(folder, *opened, settings, info));
  return {std::move(info), std::move(index), true};
}

void LivingIndex::State::replace(SegmentRange range, std::optional<OpenSegment> by) {
  for (std::size_t i = range.first; i < range.first + range.count; ++i) {
    if (segments[i].is_new()) change().discard(segments[i].info().number);
  }
  const auto first = segments.begin() + static_cast<std::ptrdiff_t>(range.first);
  segments.erase(first, first + static_cast<std::ptrdiff_t>(range.count));
  if (by)
    segments.insert(segments.begin() + static_cast<std::ptrdiff_t>(range.first), std::move(*by));
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
      segments.push_back(open_new(writer.finish_segment([&] { progress.report(true); })));
      is_changed = true;
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

std::uint64_t LivingIndex::State::documents() const {
  std::uint64_t count = 0;
  for (const OpenSegment& segment : segments) {
    count += segment.live_documents() + segment.removed_documents();
  }
  return count;
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

std::vector<SegmentSize> LivingIndex::State::sizes() const {
  std::vector<SegmentSize> sizes;
  for (const OpenSegment& segment : segments) {
    sizes.push_back({segment.live_documents(), segment.removed_documents()});
  }
  return sizes;
}

}  // namespace warpdex
