// What an index of vectors holds: settings, counts, ids, rows; and whether it is whole.
#include <algorithm>
#include <utility>

#include "vectors/vector_index_state.hpp"
#include "warpdex/vector/format/id_rows.hpp"
#include "warpdex/vector/format/read_filter.hpp"
#include "warpdex/vector/format/verify.hpp"
#include "warpdex/vector/search/reconstructed_rows.hpp"
#include "warpdex/vector/search/stored_rows.hpp"

namespace warpdex {
namespace {

/// Of all segments together, removed vectors too.
void set_list_sizes(const vector::VectorIndex& index, VectorIndexStats& stats) {
  std::vector<std::uint64_t> sizes(stats.settings.lists);
  if (sizes.empty()) return;
  for (const vector::VectorSegment& segment : index.segments()) {
    const std::span<const std::uint64_t> begins = vector::list_begins_of(segment.vectors);
    for (std::size_t list = 0; list < sizes.size(); ++list) {
      sizes[list] += begins[list + 1] - begins[list];
    }
  }
  const auto [smallest, largest] = std::minmax_element(sizes.begin(), sizes.end());
  stats.smallest_list = *smallest;
  stats.largest_list = *largest;
  stats.empty_lists =
      static_cast<std::uint64_t>(std::count(sizes.begin(), sizes.end(), std::uint64_t{0}));
}

}  // namespace

const std::filesystem::path& VectorIndex::folder() const { return state_->folder; }
NewVectorIndex VectorIndex::settings() const { return given_settings(stored()->index.settings()); }
std::size_t VectorIndex::dimension() const { return stored()->index.settings().dimension; }
vector::Metric VectorIndex::metric() const { return stored()->index.settings().metric; }
std::size_t VectorIndex::rows() const { return stored()->index.rows(); }
std::size_t VectorIndex::live_rows() const { return stored()->index.live_rows(); }
std::size_t VectorIndex::lists() const { return settings().lists; }
std::uint64_t VectorIndex::commit() const { return stored()->index.commit(); }
vector::IdKind VectorIndex::id_kind() const { return stored()->index.id_kind(); }

VectorIndexStats VectorIndex::stats() const {
  const std::shared_ptr<const StoredVectors> stored = this->stored();
  const vector::VectorIndex& index = stored->index;
  VectorIndexStats stats;
  stats.settings = given_settings(index.settings());
  stats.commit = index.commit();
  stats.live_rows = index.live_rows();
  for (const vector::VectorSegment& segment : index.segments()) {
    stats.removed_rows += segment.rows - segment.live_rows;
  }
  stats.segments = index.segments().size();
  stats.ids = index.id_kind();
  set_list_sizes(index, stats);
  for (const SectionInfo& section : index.section_infos()) {
    stats.sections.push_back({section.name, section.bytes});
  }
  return stats;
}

std::vector<std::int64_t> VectorIndex::find(const vector::VectorIds& ids) const {
  return vector::rows_of_ids(stored()->index, ids);
}

vector::RowFilter VectorIndex::live() const {
  const std::shared_ptr<const StoredVectors> stored = this->stored();
  vector::RowFilter live(stored->index.rows());
  for (const vector::VectorSegment& segment : stored->index.segments()) {
    for (std::size_t place = 0; place < segment.rows; ++place) {
      if (segment.is_live(place)) live.add(segment.row(place));
    }
  }
  return live;
}

vector::RowFilter VectorIndex::filter_of(const vector::VectorIds& ids,
                                         vector::UnknownIds* unknown) const {
  return vector::filter_of_ids(stored()->index, ids, unknown);
}

vector::RowFilter VectorIndex::read_filter(const std::string& path,
                                           vector::UnknownIds* unknown) const {
  return vector::read_filter(stored()->index, path, unknown);
}

VectorIndex::CopyRow VectorIndex::row_copier(bool by_codes) const {
  const std::shared_ptr<const StoredVectors> stored = this->stored();
  if (by_codes || !stored->index.settings().pq.keeps_vectors) {
    return [stored, rows = vector::ReconstructedRows(stored->index)](std::size_t row, float* out) {
      rows.copy(row, out);
    };
  }
  return [stored, rows = vector::StoredRows(stored->index)](std::size_t row, float* out) {
    rows.copy(row, out);
  };
}

void VectorIndex::check_sections(const std::function<void(double)>& progress) const {
  const auto tell = [&](double share) {
    if (progress) progress(share);
  };
  vector::check_before_copy(stored()->index, tell);
}

}  // namespace warpdex
