// Writes codes as they are made, group after group.
#include "format/segments/segment_codes.hpp"

#include <optional>

#include "format/list_sections.hpp"
#include "format/segments/codings.hpp"

namespace warpdex::vector {
namespace {

/// The sections vectors and norms, in the order of lists.
void write_in_lists(const SegmentJob& job, const ClusterMembers& members) {
  constexpr std::size_t kToldRows = 16'384;
  const FlatVectors& flat = job.rows.flat;
  const std::size_t row_bytes = flat.vectors.stride * store_bytes(flat.vectors.store);
  SectionWriter vectors(job.folder, job.is_beside_rows ? section::kListVectors : section::kVectors);
  SectionWriter norms(job.folder, job.is_beside_rows ? section::kListNorms : section::kNorms);
  std::size_t done = 0;
  for (const std::uint32_t row : members.points) {
    vectors.append({static_cast<const std::uint8_t*>(flat.vectors.row(row)), row_bytes});
    norms.append_value(flat.norms[row]);
    if (++done % kToldRows == 0) job.steps.tell("writing", done, flat.vectors.rows);
  }
  job.sections.push_back(vectors.finish());
  job.sections.push_back(norms.finish());
}

/// The sections codes and terms and, if the coding has some, factors.
template <class Coding>
void write_list_codes(const SegmentJob& job, const IvfLists& lists,
                      const typename Coding::Quantizer& quantizer, std::size_t threads) {
  const FlatVectors& rows = job.rows.flat;
  const ListGroups groups(lists.members);
  SectionWriter codes(job.folder, section::kCodes);
  SectionWriter terms(job.folder, section::kTerms);
  std::optional<SectionWriter> factors;
  if (CodingFormat<Coding>::kHasFactors) factors.emplace(job.folder, section::kFactors);
  const auto append = [&](const EncodedBlock& block, std::span<const float> all,
                          SectionWriter& to) {
    for_each_piece(groups, block, all,
                   [&](std::span<const float> piece) { append_all(to, piece); });
  };
  encode_list_codes(rows,
                    {quantizer, lists.centroids, centre_of_terms(quantizer, rows.centre),
                     has_terms<Coding>(job.settings), rows.metric},
                    groups, threads, job.steps, [&](const EncodedBlock& block) {
                      codes.append(block.codes);
                      append(block, block.terms, terms);
                      if (factors) append(block, block.factors, *factors);
                    });
  job.sections.push_back(codes.finish());
  job.sections.push_back(terms.finish());
  if (factors) job.sections.push_back(factors->finish());
}

template <class Coding>
void build_lists(const SegmentJob& job) {
  const FlatVectors& rows = job.rows.flat;
  const VectorIndexSettings& settings = job.settings;
  const IvfLists lists =
      settings.index.in_lists
          ? make_lists(rows, settings.ivf, has_spherical_lists<Coding>(rows.metric), job.steps)
          : one_list(rows);
  if constexpr (HasCodes<Coding>) {
    const auto trained = CodingFormat<Coding>::train(rows, lists, settings, job.steps);
    const auto quantizer = trained.quantizer(settings.dimension);
    write_list_codes<Coding>(job, lists, quantizer, settings.ivf.threads);
    CodingFormat<Coding>::write_quantizer(quantizer, job.folder, job.sections);
  } else {
    write_in_lists(job, lists.members);
    if (!job.is_beside_rows) {
      job.sections.push_back(write_section(job.folder, section::kCentre, rows.centre));
    }
  }
  write_list_sections(lists, settings.metric, job.folder, job.sections);
}

Matrix<float> to_matrix(const VectorView& rows) {
  Matrix<float> matrix{rows.rows, rows.dimension, std::vector<float>(rows.rows * rows.dimension)};
  for (std::size_t i = 0; i < rows.rows; ++i) copy_row(rows, i, matrix.row(i).data());
  return matrix;
}

template <class Coding>
void add(const SegmentJob& job, const Lists<Coding>& trained) {
  const IvfLists lists =
      assign_to_lists(job.rows.flat, to_matrix(trained.centroids.vectors), 0, job.steps);
  if constexpr (HasCodes<Coding>) {
    write_list_codes<Coding>(job, lists, trained.quantizer, 0);
  } else {
    write_in_lists(job, lists.members);
  }
  write_members(lists.members, job.folder, job.sections);
}

void add(const SegmentJob& /*job*/, const FlatVectors& /*trained*/) {}

void add(const SegmentJob& job, const BinaryVectors& trained) {
  CodingFormat<BinaryCoding>::add_all(job, trained);
}

}  // namespace

void build_codes(const SegmentJob& job) {
  with_coding(job.settings.index.coding, [&]<class Coding>(Coding) {
    if (stores_lists(job.settings.index)) {
      build_lists<Coding>(job);
    } else if constexpr (HasAllCodes<Coding>) {
      CodingFormat<Coding>::build_all(job);
    }
  });
}

void add_codes(const SegmentJob& job, const SearchedVectors& first) {
  std::visit([&](const auto& trained) { add(job, trained); }, first);
}

}  // namespace warpdex::vector
