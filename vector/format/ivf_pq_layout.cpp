// Codebooks are trained on residuals; then all rows are encoded, group after group.
#include "format/ivf_pq_layout.hpp"

#include <algorithm>

#include "format/ivf_lists.hpp"
#include "format/manifest.hpp"
#include "kmeans/parallel_parts.hpp"
#include "pq/code_groups.hpp"
#include "pq/residual_encoder.hpp"
#include "pq/rotation.hpp"
#include "pq/train.hpp"
#include "warpdex/vector/kmeans/kmeans.hpp"

namespace warpdex::vector {
namespace {

/// Residuals that codebooks are trained on, and floats of them, at most.
constexpr std::size_t kTrainingRows = 65'536;
constexpr std::size_t kTrainingFloats = std::size_t{1} << 26;
/// Groups that are encoded before they are written, and those of a thread's part.
constexpr std::size_t kBlockGroups = 4096;
constexpr std::size_t kPartGroups = 16;

/// A sample of what rows have beside their centroids.
Matrix<float> sample_residuals(const WrittenRows& rows, const IvfLists& lists,
                               const IvfSettings& settings) {
  const VectorView& view = rows.flat.vectors;
  std::size_t wanted = std::min(kTrainingRows, kTrainingFloats / view.dimension);
  if (settings.train > 0) wanted = std::min(wanted, settings.train);
  const std::vector<std::uint64_t> sample = sample_rows(view.rows, wanted, settings.seed + 1);
  Matrix<float> residuals = copy_rows(view, sample);
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const std::span<const float> centroid = lists.centroids.row(lists.of_row[sample[i]]);
    const std::span<float> row = residuals.row(i);
    for (std::size_t c = 0; c < row.size(); ++c) row[c] -= centroid[c];
  }
  return residuals;
}

/// The codebooks, and the rotation if there is to be one.
void train(Matrix<float> residuals, const VectorIndexSettings& settings,
           const BuildProgress& progress, std::vector<float>& codebooks,
           std::vector<float>& rotation) {
  PqTraining training{.bytes = settings.pq.bytes, .bits = settings.pq.bits};
  training.seed = settings.ivf.seed;
  training.threads = settings.ivf.threads;
  const auto tell = [&](const char* stage) {
    training.on_parts = [&progress, stage](std::size_t done, std::size_t total) {
      if (progress) progress(stage, done, total);
    };
  };
  if (settings.pq.is_rotated) {
    tell("training rotation");
    rotation = train_rotation(residuals, training);
    rotate_points({settings.dimension, settings.pq.bytes, settings.pq.bits, {}, rotation},
                  residuals, settings.ivf.threads, residuals);
  }
  tell("training codes");
  codebooks = train_codebooks(residuals, training);
}

/// Encodes groups into memory.
class GroupEncoder {
 public:
  GroupEncoder(const WrittenRows& rows, const IvfLists& lists, const ProductQuantizer& quantizer)
      : rows_(rows), lists_(lists), quantizer_(quantizer), layout_{quantizer.bytes} {
    group_begins_.push_back(0);
    for (std::size_t list = 0; list < lists.centroids.rows; ++list) {
      group_begins_.push_back(group_begins_.back() + groups_of(lists.members.size(list)));
    }
  }

  std::size_t groups() const { return group_begins_.back(); }

  /// The codes of groups [first, last), and, with a place for each vector, their terms.
  void encode(std::size_t first, std::size_t last, std::uint8_t* codes, float* terms) const {
    ResidualEncoder encoder(quantizer_, rows_.flat.centre);
    std::vector<float> row(quantizer_.dimension);
    std::vector<std::uint8_t> code(quantizer_.bytes);
    std::size_t list = lists_.centroids.rows;
    for (std::size_t group = first; group < last; ++group, codes += layout_.group_bytes()) {
      if (list == lists_.centroids.rows || group >= group_begins_[list + 1]) {
        list = list_of(group);
        encoder.set_centroid(lists_.centroids.row(list));
      }
      const std::span<const std::uint32_t> own = rows_of(list, group);
      for (std::size_t i = 0; i < own.size(); ++i) {
        copy_row(rows_.flat.vectors, own[i], row.data());
        encoder.encode(row, code.data());
        layout_.write(code.data(), i, codes);
        terms[(group - first) * kGroupVectors + i] = encoder.term(code.data());
      }
    }
  }

  /// The rows of a group of a list.
  std::span<const std::uint32_t> rows_of(std::size_t list, std::size_t group) const {
    const std::span<const std::uint32_t> own =
        lists_.members.of(list).subspan((group - group_begins_[list]) * kGroupVectors);
    return own.first(std::min(kGroupVectors, own.size()));
  }

  std::size_t list_of(std::size_t group) const {
    const auto after = std::upper_bound(group_begins_.begin(), group_begins_.end(), group);
    return static_cast<std::size_t>(after - group_begins_.begin()) - 1;
  }

 private:
  const WrittenRows& rows_;
  const IvfLists& lists_;
  const ProductQuantizer& quantizer_;
  CodeGroups layout_;
  std::vector<std::uint64_t> group_begins_;
};

void write_codes(const WrittenRows& rows, const IvfLists& lists, const ProductQuantizer& quantizer,
                 std::size_t threads, const std::filesystem::path& folder,
                 const BuildProgress& progress, std::vector<SectionInfo>& sections) {
  const GroupEncoder encoder(rows, lists, quantizer);
  const std::size_t group_bytes = CodeGroups{quantizer.bytes}.group_bytes();
  const bool is_l2 = rows.flat.metric == Metric::kL2;
  SectionWriter codes(folder, section::kCodes);
  SectionWriter terms(folder, section::kTerms);
  for (std::size_t first = 0; first < encoder.groups(); first += kBlockGroups) {
    const std::size_t count = std::min(kBlockGroups, encoder.groups() - first);
    std::vector<std::uint8_t> block(count * group_bytes);
    std::vector<float> block_terms(count * kGroupVectors);
    for_each_part(count, kPartGroups, threads, [&](std::size_t begin, std::size_t end) {
      encoder.encode(first + begin, first + end, block.data() + begin * group_bytes,
                     block_terms.data() + begin * kGroupVectors);
    });
    codes.append(block);
    for (std::size_t group = 0; is_l2 && group < count; ++group) {
      const std::size_t vectors =
          encoder.rows_of(encoder.list_of(first + group), first + group).size();
      append_all(terms,
                 std::span<const float>(block_terms).subspan(group * kGroupVectors, vectors));
    }
    if (progress) progress("encoding", first + count, encoder.groups());
  }
  sections.push_back(codes.finish());
  sections.push_back(terms.finish());
}

}  // namespace

std::vector<SectionInfo> write_ivf_pq(const WrittenRows& rows, const VectorIndexSettings& settings,
                                      const std::filesystem::path& folder,
                                      const BuildProgress& progress) {
  const IvfLists lists = make_lists(rows, settings.ivf, progress);
  std::vector<float> codebooks;
  std::vector<float> rotation;
  train(sample_residuals(rows, lists, settings.ivf), settings, progress, codebooks, rotation);
  const ProductQuantizer quantizer{settings.dimension, settings.pq.bytes, settings.pq.bits,
                                   codebooks, rotation};
  std::vector<SectionInfo> sections;
  write_codes(rows, lists, quantizer, settings.ivf.threads, folder, progress, sections);
  sections.push_back(write_section(folder, section::kCodebooks, std::span<const float>(codebooks)));
  sections.push_back(write_section(folder, section::kRotation, std::span<const float>(rotation)));
  write_list_sections(lists, settings.metric, folder, sections);
  return sections;
}

}  // namespace warpdex::vector
