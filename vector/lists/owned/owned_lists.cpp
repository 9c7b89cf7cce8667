// Builds in memory what format/ writes to a disk.
#include <cstring>
#include <utility>

#include "kmeans/parallel_parts.hpp"
#include "lists/owned/owned_lists.hpp"
#include "warpdex/vector/lists/owned/list_builder.hpp"

namespace warpdex::vector {
namespace {

constexpr std::size_t kCopiedRows = 4096;

/// The rows in the order of lists, and their norms.
void copy_in_order(const FlatVectors& rows, const ClusterMembers& members, std::size_t threads,
                   OwnedRowLists& to) {
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

FlatVectors OwnedLists::centroid_view() const {
  return {metric,
          {centroids.data(), Store::kFloat, begins.size() - 1, dimension, dimension},
          {},
          norms};
}

Lists<RowCoding> OwnedRowLists::view() const {
  return {{metric,
           {vectors.get(), store, rows, lists.dimension, lists.dimension},
           centre,
           norms,
           lists.row_numbers},
          lists.begins,
          lists.centroid_view()};
}

OwnedRowLists build_row_lists(const FlatVectors& rows, const IvfSettings& settings,
                              const BuildProgress& progress, const BuildDevice& device) {
  const IvfSettings ivf = settled(settings, rows.vectors.rows);
  BuildSteps steps(progress, device);
  IvfLists lists = make_lists(rows, ivf, has_spherical_lists<RowCoding>(rows.metric), steps);
  OwnedRowLists built;
  built.metric = rows.metric;
  built.store = rows.vectors.store;
  built.rows = rows.vectors.rows;
  built.centre.assign(rows.centre.begin(), rows.centre.end());
  steps.run_on_cpu("copying", [&] { copy_in_order(rows, lists.members, settings.threads, built); });
  built.lists = own_lists(std::move(lists), rows.metric);
  return built;
}

namespace {

/// train(lists, steps) is what codes are made by.
template <class Coding, class Train>
OwnedCodeLists<Coding> build_codes_in_lists(const FlatVectors& rows, const IvfSettings& settings,
                                            bool keeps_vectors, BuildSteps steps,
                                            const Train& train) {
  const IvfSettings ivf = settled(settings, rows.vectors.rows);
  IvfLists lists = make_lists(rows, ivf, has_spherical_lists<Coding>(rows.metric), steps);
  OwnedCodeLists<Coding> built;
  built.metric = rows.metric;
  built.centre.assign(rows.centre.begin(), rows.centre.end());
  built.trained = train(lists, ivf, steps);
  if (keeps_vectors) built.vectors = rows;
  encode_into(rows, lists, built.trained, ivf.threads, steps, built);
  built.lists = own_lists(std::move(lists), rows.metric);
  return built;
}

}  // namespace

OwnedCodeLists<PqCoding> build_pq_lists(const FlatVectors& rows, const IvfSettings& settings,
                                        const PqSettings& given, const BuildProgress& progress,
                                        const BuildDevice& device) {
  PqSettings pq = given;
  settle_codes(rows.vectors.dimension, pq);
  return build_codes_in_lists<PqCoding>(
      rows, settings, pq.keeps_vectors, BuildSteps(progress, device),
      [&](const IvfLists& lists, const IvfSettings& ivf, BuildSteps& steps) {
        return train_codes(rows, lists, ivf, pq, steps);
      });
}

OwnedCodeLists<BinaryCoding> build_binary_lists(const FlatVectors& rows,
                                                const IvfSettings& settings,
                                                const BinarySettings& binary,
                                                const BuildProgress& progress,
                                                const BuildDevice& device) {
  check_binary(binary);
  return build_codes_in_lists<BinaryCoding>(
      rows, settings, true, BuildSteps(progress, device),
      [&](const IvfLists& lists, const IvfSettings& /*ivf*/, BuildSteps& steps) {
        return train_binary_codes(rows, lists, binary, steps);
      });
}

}  // namespace warpdex::vector
