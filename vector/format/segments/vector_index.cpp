// Opens an index of vectors.
#include "warpdex/vector/format/vector_index.hpp"

#include <algorithm>
#include <optional>

#include "format/manifest.hpp"
#include "format/segments/segment_reader.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/storage/folder.hpp"
#include "warpdex/core/storage/open_stored.hpp"
#include "warpdex/core/storage/segment_view.hpp"

namespace warpdex::vector {

struct VectorIndex::State {
  State(const std::filesystem::path& path, const Folder& opened);

  /// The segment that a row is stored in; null: none.
  const VectorSegment* segment_of(std::size_t row) const;
  std::size_t live_rows() const;
  /// The only segment, with all rows live. Throws UsageError unless the index is that.
  const VectorSegment& whole() const;

  std::filesystem::path folder;
  Manifest manifest;
  std::vector<std::unique_ptr<SegmentReader>> readers;
  std::vector<VectorSegment> segments;
  std::vector<SectionInfo> infos;
  std::vector<const SectionView*> sections;
};

VectorIndex::State::State(const std::filesystem::path& path, const Folder& opened)
    : folder(path), manifest(read_manifest(opened)) {
  for (std::size_t i = 0; i < manifest.stored.segments.size(); ++i) {
    readers.push_back(std::make_unique<SegmentReader>(opened, manifest, i,
                                                      i == 0 ? nullptr : readers.front().get()));
    segments.push_back(readers.back()->view());
    const SegmentView& own = readers.back()->sections();
    for (std::size_t section = 0; section < own.infos().size(); ++section) {
      infos.push_back(own.infos()[section]);
      if (i > 0) infos.back().name = segments.back().name + "/" + infos.back().name;
      sections.push_back(&own.sections()[section]);
    }
  }
}

const VectorSegment* VectorIndex::State::segment_of(std::size_t row) const {
  const auto after =
      std::upper_bound(segments.begin(), segments.end(), row,
                       [](std::size_t r, const VectorSegment& one) { return r < one.first_row; });
  return after == segments.begin() ? nullptr : &*(after - 1);
}

std::size_t VectorIndex::State::live_rows() const {
  std::size_t sum = 0;
  for (const VectorSegment& segment : segments) sum += segment.live_rows;
  return sum;
}

const VectorSegment& VectorIndex::State::whole() const {
  if (segments.size() == 1 && segments.front().is_whole()) return segments.front();
  const bool has_gaps_for_good = manifest.ids == IdKind::kRows && live_rows() < manifest.rows;
  throw UsageError("the vectors of the index at '" + folder.string() +
                   "' lie in several segments, or some were removed; " +
                   (has_gaps_for_good ? "" : "merge it by 'warpdex vector merge', or ") +
                   "search it by search_index_on_cpu() or search_index_on_gpus()");
}

VectorIndex VectorIndex::open(const std::filesystem::path& folder) {
  return open_stored(folder, [&](const Folder& opened) {
    return VectorIndex(std::make_unique<State>(folder, opened));
  });
}

VectorIndex::VectorIndex(std::unique_ptr<State> state) : state_(std::move(state)) {}
VectorIndex::~VectorIndex() = default;
VectorIndex::VectorIndex(VectorIndex&&) noexcept = default;
VectorIndex& VectorIndex::operator=(VectorIndex&&) noexcept = default;

const VectorIndexSettings& VectorIndex::settings() const { return state_->manifest.settings; }
std::size_t VectorIndex::rows() const { return state_->manifest.rows; }
std::size_t VectorIndex::live_rows() const { return state_->live_rows(); }
bool VectorIndex::is_live(std::size_t row) const {
  const VectorSegment* const segment = state_->segment_of(row);
  const auto place = segment == nullptr ? std::nullopt : segment->place(row);
  return place && segment->is_live(*place);
}
const std::vector<VectorSegment>& VectorIndex::segments() const { return state_->segments; }
const std::filesystem::path& VectorIndex::folder() const { return state_->folder; }
std::uint64_t VectorIndex::commit() const { return state_->manifest.stored.commit; }

const FlatVectors& VectorIndex::flat() const {
  if (settings().pq.keeps_vectors) return flat_of(state_->whole().vectors);
  throw UsageError("the index at '" + state_->folder.string() +
                   "' keeps no vectors, only codes; build it again with its vectors");
}
const SearchedVectors& VectorIndex::searched() const { return state_->whole().vectors; }

IdKind VectorIndex::id_kind() const { return state_->manifest.ids; }

std::string VectorIndex::id(std::size_t row) const {
  const VectorSegment* const segment = state_->segment_of(row);
  const auto place = segment == nullptr ? std::nullopt : segment->place(row);
  if (!place) {
    throw UsageError("there is no row " + std::to_string(row) + " in an index of " +
                     std::to_string(rows()));
  }
  switch (id_kind()) {
    case IdKind::kRows: return std::to_string(row);
    case IdKind::kNumbers: return std::to_string(segment->id_numbers[*place]);
    case IdKind::kTexts: break;
  }
  return segment->id_text(*place);
}

const std::vector<SectionInfo>& VectorIndex::section_infos() const { return state_->infos; }

bool VectorIndex::section_intact(std::size_t section) const {
  return state_->sections[section]->intact();
}

}  // namespace warpdex::vector
