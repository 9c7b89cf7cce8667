// Builds in memory what format/ writes to a disk.
#include <cstring>
#include <utility>

#include "kmeans/parallel_parts.hpp"
#include "lists/build/owned_codes.hpp"
#include "warpdex/vector/lists/ivf_builder.hpp"

namespace warpdex::vector {
namespace {

constexpr std::size_t kCopiedRows = 4096;

/// The rows in the order of lists, and their norms.
void copy_in_order(const FlatVectors& rows, const ClusterMembers& members, std::size_t threads,
                   OwnedIvfVectors& to) {
  const std::size_t bytes = rows.vectors.dimension * store_bytes(rows.vectors.store);
  // Not zeroed first: mapping the pages takes most of the time, and so all threads share that work.
  to.vectors = std::make_unique_for_overwrite<std::uint8_t[]>(rows.vectors.rows * bytes);
  to.norms.resize(rows.vectors.rows);
  for_each_part(rows.vectors.rows, kCopiedRows, threads, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      const std::uint32_t row = members.points[i];
      std::memcpy(to.vectors.get() + i * bytes, rows.vectors.row(row), bytes);
      to.norms[i] = rows.norms[row];
    }
  });
}

}  // namespace

OwnedLists own_lists(IvfLists&& lists, Metric metric) {
  OwnedLists owned;
  owned.metric = coarse_metric(metric);
  owned.dimension = lists.centroids.columns;
  for (std::size_t i = 0; i < lists.centroids.rows; ++i) {
    owned.norms.push_back(row_norm(owned.metric, lists.centroids.row(i), {}));
  }
  owned.centroids = std::move(lists.centroids.values);
  owned.row_numbers = std::move(lists.members.points);
  owned.begins = std::move(lists.members.begins);
  return owned;
}

void encode_lists(const FlatVectors& rows, const IvfLists& lists, const TrainedCodes& trained,
                  const PqSettings& pq, std::size_t threads, BuildSteps& steps,
                  OwnedIvfPqVectors& built) {
  const ListGroups groups(lists.members);
  const ProductQuantizer quantizer = trained.quantizer(rows.vectors.dimension, pq);
  const EncodingRules rules{quantizer, lists.centroids, rows.centre, rows.metric == Metric::kL2};
  built.codes.reserve(groups.count() * CodeGroups{pq.bytes}.group_bytes());
  if (rules.has_terms) built.terms.reserve(rows.vectors.rows);
  encode_rows(rows, rules, groups, threads, steps, [&](const EncodedBlock& block) {
    built.codes.insert(built.codes.end(), block.codes.begin(), block.codes.end());
    for_each_piece(groups, block, block.terms, [&](std::span<const float> terms) {
      built.terms.insert(built.terms.end(), terms.begin(), terms.end());
    });
  });
  built.group_begins = groups.begins();
}

PqSettings settled_codes(const PqSettings& settings, std::size_t dimension) {
  PqSettings pq = settings;
  check_codes(dimension, pq);
  if (pq.bytes == 0) pq.bytes = default_code_bytes(dimension);
  return pq;
}

FlatVectors OwnedLists::centroid_view() const {
  return {metric,
          {centroids.data(), Store::kFloat, begins.size() - 1, dimension, dimension},
          {},
          norms};
}

Lists<RowCoding> OwnedIvfVectors::view() const {
  return {{metric,
           {vectors.get(), store, rows, lists.dimension, lists.dimension},
           centre,
           norms,
           lists.row_numbers},
          lists.begins,
          lists.centroid_view()};
}

Lists<PqCoding> OwnedIvfPqVectors::view() const {
  Lists<PqCoding> made;
  made.metric = metric;
  made.quantizer = {lists.dimension, bytes, bits, codebooks, rotation};
  made.codes = codes;
  made.terms = terms;
  made.row_numbers = lists.row_numbers;
  made.begins = lists.begins;
  made.group_begins = group_begins;
  made.centre = centre;
  made.centroids = lists.centroid_view();
  made.vectors = vectors;
  return made;
}

OwnedIvfVectors build_ivf(const FlatVectors& rows, const IvfSettings& settings,
                          const BuildProgress& progress, const BuildDevice& device) {
  const IvfSettings ivf = settled(settings, rows.vectors.rows);
  BuildSteps steps(progress, device);
  IvfLists lists = make_lists(rows, ivf, steps);
  OwnedIvfVectors built;
  built.metric = rows.metric;
  built.store = rows.vectors.store;
  built.rows = rows.vectors.rows;
  built.centre.assign(rows.centre.begin(), rows.centre.end());
  steps.run_on_cpu("copying", [&] { copy_in_order(rows, lists.members, settings.threads, built); });
  built.lists = own_lists(std::move(lists), rows.metric);
  return built;
}

OwnedIvfPqVectors build_ivf_pq(const FlatVectors& rows, const IvfSettings& settings,
                               const PqSettings& pq_settings, const BuildProgress& progress,
                               const BuildDevice& device) {
  const IvfSettings ivf = settled(settings, rows.vectors.rows);
  const PqSettings pq = settled_codes(pq_settings, rows.vectors.dimension);
  BuildSteps steps(progress, device);
  IvfLists lists = make_lists(rows, ivf, steps);
  TrainedCodes trained = train_codes(rows, lists, ivf, pq, steps);
  OwnedIvfPqVectors built;
  built.metric = rows.metric;
  built.bytes = pq.bytes;
  built.bits = pq.bits;
  built.centre.assign(rows.centre.begin(), rows.centre.end());
  if (pq.keeps_vectors) built.vectors = rows;
  encode_lists(rows, lists, trained, pq, ivf.threads, steps, built);
  built.codebooks = std::move(trained.codebooks);
  built.rotation = std::move(trained.rotation);
  built.lists = own_lists(std::move(lists), rows.metric);
  return built;
}

}  // namespace warpdex::vector
