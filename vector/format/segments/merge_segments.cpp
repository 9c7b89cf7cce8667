// Writes one segment of all that is live in an index. Lists are put together as they are: nothing
// is assigned or encoded anew.
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "format/list_sections.hpp"
#include "format/manifest.hpp"
#include "format/segments/codings.hpp"
#include "format/segments/merged_codes.hpp"
#include "warpdex/core/storage/replacement_folder.hpp"
#include "warpdex/vector/format/vector_index_change.hpp"
#include "warpdex/vector/format/verify.hpp"

namespace warpdex::vector {
namespace {

constexpr std::size_t kRowsBetweenTold = 16'384;

/// A vector of a segment: its place, or its position where vectors lie in lists.
struct Source {
  const VectorSegment* segment;
  std::size_t place;
};

/// What is written from damaged bytes would get new checksums, and look whole.
void check_source(const VectorIndex& index, const BuildProgress& progress) {
  constexpr double kSteps = 1e6;
  check_before_copy(index, [&](double share) {
    if (!progress) return;
    progress("checking", static_cast<std::uint64_t>(share * kSteps),
             static_cast<std::uint64_t>(kSteps));
  });
}

/// Writes section after section.
class Merge {
 public:
  Merge(const VectorIndex& index, std::filesystem::path folder, const BuildProgress& progress)
      : index_(index), folder_(std::move(folder)), progress_(progress) {}

  std::vector<SectionInfo> write();

 private:
  const SearchedVectors& first() const { return index_.segments().front().vectors; }
  VectorKind kind() const { return index_.settings().index; }

  void for_each_live(const std::function<void(const Source&)>& work);
  /// Calls work(list, source, position) for all live vectors, list after list.
  template <class Work>
  void for_each_in_lists(const Work& work);
  void tell();

  void write_vectors();
  void write_lists();
  void write_codes(const FlatVectors& /*first*/) {}
  void write_codes(const BinaryVectors& first);
  template <class Coding>
  void write_codes(const Lists<Coding>& first);
  void write_trained(const FlatVectors& /*first*/) {}
  void write_trained(const BinaryVectors& first);
  template <class Coding>
  void write_trained(const Lists<Coding>& first);
  void write_centroids(const FlatVectors& centroids);
  void write_kept_rows();
  void write_ids();
  template <class T>
  void add_section(std::string_view name, std::span<const T> values) {
    sections_.push_back(write_section(folder_, name, values));
  }

  const VectorIndex& index_;
  std::filesystem::path folder_;
  const BuildProgress& progress_;
  std::vector<SectionInfo> sections_;
  std::size_t told_ = 0;
};

void Merge::for_each_live(const std::function<void(const Source&)>& work) {
  for (const VectorSegment& segment : index_.segments()) {
    for (std::size_t place = 0; place < segment.rows; ++place) {
      if (segment.is_live(place)) work({&segment, place});
    }
  }
}

template <class Work>
void Merge::for_each_in_lists(const Work& work) {
  for (std::size_t list = 0; list < index_.settings().ivf.lists; ++list) {
    for (const VectorSegment& segment : index_.segments()) {
      const std::span<const std::uint64_t> begins = list_begins_of(segment.vectors);
      const std::span<const std::uint32_t> places = row_numbers_of(segment.vectors);
      for (std::size_t position = begins[list]; position < begins[list + 1]; ++position) {
        if (!segment.is_live(places[position])) continue;
        work(list, Source{&segment, places[position]}, position);
        tell();
      }
    }
  }
}

void Merge::tell() {
  // Rows are passed once for vectors, and for each of lists and codes.
  const std::size_t passes = (index_.settings().pq.keeps_vectors ? 1 : 0) +
                             (stores_lists(kind()) ? 1 : 0) + (kind().has_codes() ? 1 : 0);
  if (progress_ && ++told_ % kRowsBetweenTold == 0) {
    progress_("merging", told_, passes * index_.live_rows());
  }
}

std::vector<SectionInfo> Merge::write() {
  if (index_.settings().pq.keeps_vectors) write_vectors();
  if (stores_lists(kind())) write_lists();
  std::visit([&](const auto& trained) { write_codes(trained); }, first());
  add_section(section::kCentre, flat_of(first()).centre);
  std::visit([&](const auto& trained) { write_trained(trained); }, first());
  write_kept_rows();
  write_ids();
  return std::move(sections_);
}

/// In the order of lists if they are what lists hold, else in that of rows.
void Merge::write_vectors() {
  SectionWriter vectors(folder_, section::kVectors);
  SectionWriter norms(folder_, section::kNorms);
  const auto add = [&](const FlatVectors& flat, std::size_t position) {
    const VectorView& view = flat.vectors;
    vectors.append({static_cast<const std::uint8_t*>(view.row(position)),
                    view.stride * store_bytes(view.store)});
    norms.append_value(flat.norms[position]);
  };
  if (kind().in_lists && !kind().has_codes()) {
    for_each_in_lists([&](std::size_t /*list*/, const Source& source, std::size_t position) {
      add(flat_of(source.segment->vectors), position);
    });
  } else {
    for_each_live([&](const Source& source) {
      add(flat_of(source.segment->vectors), source.place);
      tell();
    });
  }
  sections_.push_back(vectors.finish());
  sections_.push_back(norms.finish());
}

void Merge::write_lists() {
  std::vector<std::vector<std::uint32_t>> new_places;
  std::uint32_t next = 0;
  for (const VectorSegment& segment : index_.segments()) {
    std::vector<std::uint32_t>& own = new_places.emplace_back(segment.rows);
    for (std::size_t place = 0; place < segment.rows; ++place) {
      if (segment.is_live(place)) own[place] = next++;
    }
  }
  SectionWriter row_numbers(folder_, section::kRowNumbers);
  std::vector<std::uint64_t> sizes(index_.settings().ivf.lists + 1);
  for_each_in_lists([&](std::size_t list, const Source& source, std::size_t /*position*/) {
    const auto number = static_cast<std::size_t>(source.segment - index_.segments().data());
    row_numbers.append_value(new_places[number][source.place]);
    ++sizes[list + 1];
  });
  for (std::size_t list = 0; list + 1 < sizes.size(); ++list) sizes[list + 1] += sizes[list];
  sections_.push_back(row_numbers.finish());
  add_section(section::kListBegins, std::span<const std::uint64_t>(sizes));
}

/// Each list from a group of its own on.
template <class Coding>
void Merge::write_codes(const Lists<Coding>& first) {
  if constexpr (HasCodes<Coding>) {
    MergedCodes merged(first.quantizer.code_bytes(), CodingFormat<Coding>::kHasFactors, false,
                       folder_);
    std::size_t current = 0;
    for_each_in_lists([&](std::size_t list, const Source& source, std::size_t position) {
      if (list != current) merged.end_group();
      current = list;
      const auto& from = std::get<Lists<Coding>>(source.segment->vectors);
      const std::size_t place = position - from.begins[list];
      merged.add(from.codes, from.group_begins[list] + place / kGroupVectors,
                 place % kGroupVectors);
      merged.add_term(from.terms, position);
      merged.add_factor(from.factors, position);
    });
    merged.finish(sections_);
  }
}

/// In the order of rows.
void Merge::write_codes(const BinaryVectors& first) {
  MergedCodes merged(first.quantizer.code_bytes(), true, true, folder_);
  for_each_live([&](const Source& source) {
    const auto& from = std::get<BinaryVectors>(source.segment->vectors);
    merged.add(from.codes, source.place / kGroupVectors, source.place % kGroupVectors);
    merged.add_term(from.terms, source.place);
    merged.add_factor(from.factors, source.place);
    merged.add_residual(from.residuals, source.place);
    tell();
  });
  merged.finish(sections_);
}

void Merge::write_centroids(const FlatVectors& centroids) {
  const VectorView& view = centroids.vectors;
  add_section(section::kCentroids,
              std::span(static_cast<const float*>(view.data), view.rows * view.stride));
  add_section(section::kCentroidNorms, centroids.norms);
}

void Merge::write_trained(const BinaryVectors& first) {
  CodingFormat<BinaryCoding>::write_quantizer(first.quantizer, folder_, sections_);
}

/// What the first segment was trained to.
template <class Coding>
void Merge::write_trained(const Lists<Coding>& first) {
  if constexpr (HasCodes<Coding>) {
    using Format = CodingFormat<Coding>;
    const auto quantizer = Format::as_stored(first);
    if (!Format::kIsWrittenLast) Format::write_quantizer(quantizer, folder_, sections_);
    write_centroids(first.centroids);
    if (Format::kIsWrittenLast) Format::write_quantizer(quantizer, folder_, sections_);
  } else {
    write_centroids(first.centroids);
  }
}

/// Rows of an index without ids keep their numbers.
void Merge::write_kept_rows() {
  if (index_.id_kind() != IdKind::kRows || index_.live_rows() == index_.rows()) return;
  SectionWriter kept(folder_, section::kKeptRows);
  for_each_live([&](const Source& source) {
    kept.append_value(static_cast<std::uint32_t>(source.segment->row(source.place)));
  });
  sections_.push_back(kept.finish());
}

void Merge::write_ids() {
  if (index_.id_kind() == IdKind::kRows) return;
  if (index_.id_kind() == IdKind::kNumbers) {
    SectionWriter numbers(folder_, section::kIdNumbers);
    for_each_live([&](const Source& source) {
      numbers.append_value(source.segment->id_numbers[source.place]);
    });
    sections_.push_back(numbers.finish());
    return;
  }
  SectionWriter offsets(folder_, section::kIdOffsets);
  SectionWriter texts(folder_, section::kIdTexts);
  offsets.append_value(texts.size());
  for_each_live([&](const Source& source) {
    const std::string text = source.segment->id_text(source.place);
    texts.append({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
    offsets.append_value(texts.size());
  });
  sections_.push_back(offsets.finish());
  sections_.push_back(texts.finish());
}

bool is_merged(const VectorIndex& index) {
  return index.segments().size() == 1 && index.segments().front().live == nullptr;
}

}  // namespace

VectorMergeReport merge_vector_index(const std::filesystem::path& target,
                                     const BuildProgress& progress) {
  {
    const VectorIndex whole = VectorIndex::open(target);
    if (is_merged(whole)) return {false, whole.live_rows(), {whole.commit()}};
  }
  ReplacementFolder replacement(target);
  const VectorIndex index = VectorIndex::open(target);
  check_source(index, progress);
  Manifest manifest = read_manifest(target);
  StoredSegments& stored = manifest.stored;
  SegmentInfo merged{segment_folder(stored.next_segment), {}};
  merged.number = stored.next_segment;
  merged.sections = Merge(index, replacement.subfolder(merged.place), progress).write();
  if (index.id_kind() != IdKind::kRows) manifest.rows = index.live_rows();
  manifest.rows_of = {{index.live_rows(), 0, manifest.rows}};
  stored.segments = {std::move(merged)};
  ++stored.commit;
  ++stored.next_segment;
  std::vector<std::string> notes = replacement.commit(manifest_to_json(manifest));
  return {true, index.live_rows(), {stored.commit, std::move(notes)}};
}

}  // namespace warpdex::vector
