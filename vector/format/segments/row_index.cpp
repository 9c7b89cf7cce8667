// Builds, opens and checks lists and codes beside rows.
#include "warpdex/vector/format/row_index.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "format/manifest.hpp"
#include "format/segments/open_codes.hpp"
#include "format/segments/segment_codes.hpp"
#include "format/verify_lists.hpp"
#include "lists/build/lists.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::vector {
namespace {

constexpr std::size_t kMinListRows = 32;

/// The settings of a segment's own lists.
VectorIndexSettings settings_of_segment(const RowSettings& given, std::size_t rows,
                                        std::size_t threads) {
  VectorIndexSettings settings = checked_settings(index_settings(given));
  settings.ivf.threads = settings.binary.threads = threads;
  IvfSettings& ivf = settings.ivf;
  ivf.lists = std::min(ivf.lists, rows / kMinListRows + 1);
  if (!settings.index.in_lists) {
    ivf.lists = 1;
    ivf.train = 0;
  }
  if (ivf.lists == 0) ivf.lists = default_lists(rows);
  if (ivf.train != 0) ivf.train = std::max(ivf.train, ivf.lists);
  return settings;
}

const SectionInfo& find_info(const std::vector<SectionInfo>& sections, const std::string& name) {
  return *std::find_if(sections.begin(), sections.end(),
                       [&](const SectionInfo& info) { return info.name == name; });
}

}  // namespace

VectorIndexSettings index_settings(const RowSettings& given) {
  const RowIndexSettings& index = given.index;
  VectorIndexSettings settings{
      .metric = given.metric, .store = given.store, .dimension = given.dimension};
  settings.index = vector_kind(index.kind);
  const bool is_binary = settings.index.coding == CodingKind::kBinary;
  settings.ivf.lists = index.lists;
  settings.ivf.train = index.train;
  settings.ivf.seed = settings.binary.seed = index.seed;
  settings.pq.bytes = index.pq_bytes;
  settings.pq.bits = index.pq_bits;
  settings.pq.is_rotated = settings.index.coding == CodingKind::kPq && index.is_rotated;
  settings.binary.bits = index.binary_bits;
  settings.binary.is_rotated = is_binary && index.is_rotated;
  settings.binary.is_corrected = index.is_corrected;
  settings.binary.clip = index.clip;
  return settings;
}

void check_row_settings(const RowSettings& settings) {
  checked_settings(index_settings(settings));
  const RowIndexSettings& index = settings.index;
  if (index.lists > kMaxRows) {
    throw UsageError("an index has up to " + std::to_string(kMaxRows) + " lists, not " +
                     std::to_string(index.lists));
  }
  if (index.train != 0 && index.train < index.lists)
    settled(index_settings(settings).ivf, kMaxRows);
}

bool is_too_long(std::span<const float> row, const RowSettings& settings) {
  if (settings.index.is_flat() || settings.metric == Metric::kCosine) return false;
  double squared = 0;
  for (const float component : row) squared += double{component} * double{component};
  return squared > kMaxTrainedLength * kMaxTrainedLength;
}

void write_row_index(const SectionFolder& folder, const RowSettings& given, std::size_t rows,
                     std::size_t threads, std::vector<SectionInfo>& sections,
                     const BuildProgress& progress) {
  const VectorIndexSettings settings = settings_of_segment(given, rows, threads);
  const auto info = [&](std::string_view name) {
    return find_info(sections, folder.prefix + std::string(name));
  };
  const WrittenRows written(
      folder.path, {info(section::kVectors), info(section::kNorms), info(section::kCentre)},
      settings, rows);
  BuildSteps steps(progress, {});
  build_codes({written, settings, folder, steps, sections, true});
}

struct RowIndex::State {
  VectorIndexSettings settings;
  FlatVectors rows;
  OpenedCodes opened;
};

RowIndex::RowIndex(const SegmentView& segment, const RowSettings& given, const FlatVectors& rows)
    : state_(new State{checked_settings(index_settings(given)), rows, {}}) {
  VectorIndexSettings& settings = state_->settings;
  const std::size_t count = rows.vectors.rows;
  settings.ivf.lists = 0;
  if (stores_lists(settings.index)) {
    const std::size_t begins =
        segment.section(section::kListBegins).bytes().size() / sizeof(std::uint64_t);
    if (begins < 2 || begins > kMaxRows) damaged_segment("the lists", "the documents' vectors");
    settings.ivf.lists = begins - 1;
  }
  const bool are_in_lists = !settings.index.has_codes();
  state_->opened =
      open_codes({segment, segment, settings, count,
                  are_in_lists ? open_vectors(segment, settings, count, rows.centre,
                                              section::kListVectors, section::kListNorms)
                               : rows},
                 "the documents' vectors");
}
bool RowIndex::is_in(const SegmentView& segment) {
  return segment.has_section(section::kListBegins) || segment.has_section(section::kCodes);
}
RowIndex::~RowIndex() = default;
RowIndex::RowIndex(RowIndex&&) noexcept = default;
RowIndex& RowIndex::operator=(RowIndex&&) noexcept = default;

const SearchedVectors& RowIndex::vectors() const { return state_->opened.vectors; }

void RowIndex::check() const {
  VectorSegment segment;
  segment.vectors = vectors();
  segment.rows = segment.row_span = state_->rows.vectors.rows;
  if (stores_lists(state_->settings.index)) check_centroids(centroids_of(segment.vectors));
  check_row_numbers(segment);
  check_codes(segment);
  const auto* const lists = std::get_if<Lists<RowCoding>>(&segment.vectors);
  if (lists == nullptr) return;
  const FlatVectors& flat = lists->vectors;
  const std::size_t bytes = flat.vectors.stride * store_bytes(flat.vectors.store);
  for (std::size_t i = 0; i < segment.rows; ++i) {
    const std::uint32_t row = flat.row_numbers[i];
    if (flat.norms[i] == state_->rows.norms[row] &&
        std::memcmp(flat.vectors.row(i), state_->rows.vectors.row(row), bytes) == 0) {
      continue;
    }
    throw FormatError("the vector of row " + std::to_string(row) + " is another one in its list");
  }
}

}  // namespace warpdex::vector
