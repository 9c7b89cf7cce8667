// Opens the index, builds segments, and keeps what is to be committed.
#include "living/living_state.hpp"

#include <algorithm>
#include <new>
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
std::shared_ptr<TargetLock> lock_index(const fs::path& target, std::vector<std::string>& notes) {
  map_manifest(find_stored(target));
  auto lock = std::make_shared<TargetLock>(target, LockUse::kChange);
  check_writable(target);
  notes = clear_leftovers(target).problems;
  return lock;
}

}  // namespace

LivingIndex::State::State(const fs::path& given)
    : folder(given), target(resolve_target(given)), lock(lock_index(target, notes)) {
  last = open_stored(target, [&](const Folder& opened) { return read(opened); });
  check_changeable(folder, last.settings);
  next_segment = last.next_segment;
  segments = last.segments;
}

LivingIndex::State::Committed LivingIndex::State::read(const Folder& opened) const {
  std::string text = SegmentOpener::manifest_text(opened);
  Manifest manifest = manifest_from_json(text);
  Committed found{std::move(manifest.settings),
                  manifest.stored.commit,
                  manifest.stored.next_segment,
                  std::move(text),
                  {}};
  for (SegmentInfo& info : manifest.stored.segments) {
    auto index =
        std::make_shared<const Index>(SegmentOpener::open(folder, opened, found.settings, info));
    found.segments.emplace_back(std::move(info), std::move(index), false);
  }
  return found;
}

void LivingIndex::State::check_known() const {
  if (!is_lost) return;
  throw IoError("a change of '" + folder.string() +
                "' failed, and there was no memory to go back to the last commit, which is whole; "
                "close this object and open the index again");
}

void LivingIndex::State::check_target() const {
  const Folder there = find_stored(target);
  if (SegmentOpener::manifest_text(there) == last.manifest) return;
  throw IoError("the index '" + folder.string() +
                "' was replaced by another one while it was open for changes; open that one");
}

void LivingIndex::State::go_back_to(std::vector<OpenSegment>&& before) noexcept {
  if (segments.size() > before.size() && next) next->discard(segments.back().info().number);
  segments.swap(before);
}

void LivingIndex::State::forget() noexcept {
  next.reset();
  is_changed = false;
  try {
    std::vector<OpenSegment> before = last.segments;
    segments.swap(before);
  } catch (const std::exception&) {
    is_lost = true;
  }
}

Manifest LivingIndex::State::write_changes(ReplacementFolder& to) const {
  const std::uint64_t number = last.number + 1;
  Manifest manifest{last.settings, {number, next_segment, {}}};
  for (const OpenSegment& segment : segments) {
    if (segment.live_documents() > 0) {
      manifest.stored.segments.push_back(segment.write(to, number));
    } else if (segment.is_new()) {
      to.discard(segment.info().number);
    }
  }
  return manifest;
}

void LivingIndex::State::put_in_place(const std::function<void()>& check, CommitReport& report) {
  check_target();
  if (!has_read_journal) check_no_journal(target);
  ReplacementFolder& to = change();
  const Manifest manifest = write_changes(to);
  // The new index is opened before it takes its place: afterwards nothing may fail.
  Committed now;
  std::vector<OpenSegment> changing;
  std::vector<std::string> more = to.commit(manifest_to_json(manifest), [&] {
    now = open_stored(to.path(), [&](const Folder& opened) { return read(opened); });
    changing = now.segments;
    if (check) check();
  });
  std::swap(last, now);
  segments.swap(changing);
  next.reset();
  is_changed = false;
  report.number = last.number;
  try {
    for (std::string& note : more) report.notes.push_back(std::move(note));
  } catch (const std::bad_alloc&) {  // the notes go, the commit stays
  }
}

JournalBase LivingIndex::State::journal_base() const {
  return journal_base_of(last.number, last.manifest);
}

ReplacementFolder& LivingIndex::State::change() {
  if (!next) next = std::make_unique<ReplacementFolder>(target, lock, under_way == nullptr);
  return *next;
}

OpenSegment LivingIndex::State::open_new(SegmentInfo info) const {
  const std::optional<Folder> opened = Folder::find(next->path());
  if (!opened) throw IoError("the folder '" + next->path().string() + "' was removed; try again");
  auto index =
      std::make_shared<const Index>(SegmentOpener::open(folder, *opened, last.settings, info));
  return {std::move(info), std::move(index), true};
}

void LivingIndex::State::replace(SegmentRange range, std::optional<OpenSegment> by) {
  for (std::size_t i = range.first; i < range.first + range.count; ++i) {
    if (segments[i].is_new() && next) next->discard(segments[i].info().number);
  }
  const auto first = segments.begin() + static_cast<std::ptrdiff_t>(range.first);
  const auto end = first + static_cast<std::ptrdiff_t>(range.count);
  if (by) *first = std::move(*by);
  segments.erase(by ? first + 1 : first, end);
  is_changed = true;
}

BuildReport LivingIndex::State::build(DocumentReader& reader, const BuildOptions& options,
                                      const build::Admission& admission) {
  build::Progress progress(options.on_progress);
  const std::uint64_t number = next_segment++;
  try {
    IndexWriter writer(change(), number, last.settings);
    IndexSettings own = last.settings;
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
