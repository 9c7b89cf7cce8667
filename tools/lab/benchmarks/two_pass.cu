// Tables, distances, two selections, and the rows of what was selected: a kernel or a call each,
// tile after tile of the queries.
#include "benchmarks/two_pass.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <vector>

#include "benchmarks/two_pass_kernels.cuh"
#include "warpdex/core/cuda/kernel_internal.hpp"
#include "warpdex/core/cuda/launch.cuh"
#include "warpdex/core/error.hpp"

namespace warpdex::tools {
namespace {

using namespace two_pass;

constexpr std::size_t kMaxBytes = 200;
constexpr std::size_t kMaxTile = 65'535;  ///< CTAs in y

template <typename T>
DeviceArray<T> copy_to_gpu(std::span<const T> values, const Stream& stream) {
  DeviceArray<T> array(values.size(), stream.device());
  if (!values.empty()) array.upload(values, stream);
  return array;
}

/// Makes an array have at least `size` places, of any content.
template <typename T>
void make_room(DeviceArray<T>& array, std::size_t size, int device) {
  if (array.size() >= size) return;
  array = {};
  array = DeviceArray<T>(size, device);
}

}  // namespace

/// A batch of queries on its way, and GPU memory for it, which later batches use again.
struct TwoPassSearch::Batch {
  std::size_t k = 0;
  std::int32_t* rows = nullptr;
  float* distances = nullptr;
  Tile tile{};  ///< of all queries
  std::size_t tile_queries = 0;
  std::array<Event, 5> points;
  DeviceArray<std::int32_t> lists;
  DeviceArray<float> to_centroids;
  DeviceArray<std::uint32_t> offsets;
  DeviceArray<std::uint32_t> totals;
  DeviceArray<float> tables;  ///< and so on: of tile_queries queries
  DeviceArray<float> values;
  DeviceArray<float> first;
  DeviceArray<std::uint32_t> first_ids;
  DeviceArray<float> second;
  DeviceArray<std::uint32_t> second_ids;

  void make_list_room(std::size_t count, std::size_t probes, int device) {
    make_room(lists, count * probes, device);
    make_room(to_centroids, count * probes, device);
    make_room(offsets, count * (probes + 1), device);
    make_room(totals, count, device);
  }

  /// For as many queries at a time as `memory` holds.
  void make_tile_room(std::size_t count, std::size_t memory, int device) {
    const std::size_t table_size = std::size_t{tile.codes.bytes} * kEntries;
    const std::size_t columns = std::size_t{tile.parts} * tile.part_columns;
    const std::size_t of_parts = tile.parts * k;
    const std::size_t each = 4 * (table_size + columns) + 8 * (of_parts + k);
    tile_queries = std::clamp<std::size_t>(memory / each, 1, std::min(count, kMaxTile));
    make_room(tables, tile_queries * table_size, device);
    make_room(values, tile_queries * columns, device);
    make_room(first, tile_queries * of_parts, device);
    make_room(first_ids, tile_queries * of_parts, device);
    make_room(second, tile_queries * k, device);
    make_room(second_ids, tile_queries * k, device);
  }
};

TwoPassSearch::TwoPassSearch(const vector::IvfPqVectors& vectors, Resources& resources,
                             std::size_t parts, std::size_t memory)
    : vectors_(vectors),
      parts_(parts),
      memory_(memory),
      stream_(resources.device()),
      coarse_(vectors.centroids, resources),
      scratch_(resources.device()),
      batch_(std::make_unique<Batch>()) {
  if (vectors.metric == vector::Metric::kCosine) {
    throw UsageError("the search in two passes knows l2 and ip; build the index with one of them");
  }
  if (vectors.quantizer.bytes > kMaxBytes) {
    throw UsageError("the search in two passes takes codes of up to " + std::to_string(kMaxBytes) +
                     " bytes; build the index with fewer");
  }
  if (parts == 0) throw UsageError("there is at least one part; give 1 or more");
  codes_ = copy_to_gpu(vectors.codes, stream_);
  terms_ = copy_to_gpu(vectors.terms, stream_);
  codebooks_ = copy_to_gpu(vectors.quantizer.codebooks, stream_);
  row_numbers_ = copy_to_gpu(vectors.row_numbers, stream_);
  begins_ = copy_to_gpu(vectors.begins, stream_);
  group_begins_ = copy_to_gpu(vectors.group_begins, stream_);
  stream_.synchronize();
  allow_all_shared_memory(reinterpret_cast<const void*>(scan_list));
}

TwoPassSearch::~TwoPassSearch() = default;

TwoPassQueries TwoPassSearch::upload(const vector::Matrix<float>& queries) const {
  const std::size_t dimension = vectors_.quantizer.dimension;
  const bool is_l2 = vectors_.metric == vector::Metric::kL2;
  std::vector<float> ready(queries.values.size());
  std::vector<float> moved((dimension + 31) / 32 * 32);
  for (std::size_t q = 0; q < queries.rows; ++q) {
    std::copy_n(queries.row(q).data(), dimension, moved.data());
    for (std::size_t c = 0; c < vectors_.centre.size(); ++c) moved[c] -= vectors_.centre[c];
    float* const vector = ready.data() + q * dimension;
    vector::rotate(vectors_.quantizer, moved.data(), vector);
    for (std::size_t c = 0; c < dimension; ++c) vector[c] *= is_l2 ? -2.0F : -1.0F;
  }
  TwoPassQueries uploaded{queries.rows,
                          copy_to_gpu(std::span<const float>(queries.values), stream_),
                          copy_to_gpu(std::span<const float>(ready), stream_)};
  stream_.synchronize();
  return uploaded;
}

void TwoPassSearch::choose_lists(const TwoPassQueries& queries, std::size_t probes) {
  Batch& batch = *batch_;
  batch.make_list_room(queries.count, probes, stream_.device());
  coarse_.nearest_on_gpu(queries.values.data(), queries.count, probes, batch.lists.data(),
                         batch.to_centroids.data());
  Tile& tile = batch.tile;
  tile.codes = {codes_.data(),
                terms_.data(),
                codebooks_.data(),
                row_numbers_.data(),
                begins_.data(),
                group_begins_.data(),
                static_cast<std::uint32_t>(vectors_.quantizer.dimension),
                static_cast<std::uint32_t>(vectors_.quantizer.bytes),
                static_cast<std::uint32_t>(vectors_.quantizer.bits)};
  tile.probed = {batch.lists.data(), batch.to_centroids.data(), batch.offsets.data(),
                 static_cast<std::uint32_t>(probes)};
  tile.vectors = queries.vectors.data();
  launch(launch_over("add_sizes", queries.count, kThreads, stream_.handle()), add_sizes, tile.codes,
         tile.probed, queries.count, batch.totals.data());
  std::vector<std::uint32_t> sizes(queries.count);
  batch.totals.download(sizes, stream_);
  stream_.synchronize();
  const std::size_t largest = std::max(1U, *std::max_element(sizes.begin(), sizes.end()));
  tile.parts = static_cast<std::uint32_t>(parts_);
  tile.part_columns = static_cast<std::uint32_t>((largest + parts_ - 1) / parts_);
}

void TwoPassSearch::search_tile(std::size_t first, std::size_t count, TwoPassTimes& times) {
  Batch& batch = *batch_;
  Tile tile = batch.tile;
  const std::uint32_t probes = tile.probed.probes;
  tile.probed.lists += first * probes;
  tile.probed.distances += first * probes;
  tile.probed.offsets += first * (probes + 1);
  tile.vectors += first * tile.codes.dimension;
  tile.tables = batch.tables.data();
  tile.distances = batch.values.data();
  std::array<Event, 5>& points = batch.points;
  points[0].record(stream_);
  const auto queries = static_cast<unsigned>(count);
  launch({.name = "make_tables",
          .ctas = dim3(tile.codes.bytes, queries),
          .threads = kEntries,
          .stream = stream_.handle()},
         make_tables, tile);
  points[1].record(stream_);
  launch({.name = "scan_list",
          .ctas = dim3(probes + 1, queries),
          .threads = kThreads,
          .shared_memory = std::size_t{tile.codes.bytes} * kEntries * sizeof(float),
          .stream = stream_.handle()},
         scan_list, tile);
  points[2].record(stream_);
  const std::size_t of_parts = parts_ * batch.k;
  select_k<float, std::uint32_t>(
      {tile.distances, count * parts_, tile.part_columns, tile.part_columns}, batch.k,
      SelectOrder::kSmallest, batch.first.data(), batch.first_ids.data(), scratch_, stream_);
  points[3].record(stream_);
  select_k<float, std::uint32_t>({batch.first.data(), count, of_parts, of_parts}, batch.k,
                                 SelectOrder::kSmallest, batch.second.data(),
                                 batch.second_ids.data(), scratch_, stream_);
  const Selected selected{batch.first_ids.data(),
                          batch.second.data(),
                          batch.second_ids.data(),
                          static_cast<std::uint32_t>(batch.k),
                          count * batch.k,
                          batch.rows + first * batch.k,
                          batch.distances + first * batch.k};
  launch(launch_over("name_rows", selected.count, kThreads, stream_.handle()), name_rows, tile,
         selected);
  points[4].record(stream_);
  stream_.synchronize();
  times.tables += points[1].seconds_since(points[0]);
  times.scan += points[2].seconds_since(points[1]);
  times.first_pass += points[3].seconds_since(points[2]);
  times.second_pass += points[4].seconds_since(points[3]);
}

void TwoPassSearch::nearest_on_gpu(const TwoPassQueries& queries, std::size_t k, std::size_t probes,
                                   std::int32_t* rows, float* distances, TwoPassTimes& times) {
  if (queries.count == 0) return;
  Batch& batch = *batch_;
  batch.k = k;
  batch.rows = rows;
  batch.distances = distances;
  choose_lists(queries, probes);
  batch.make_tile_room(queries.count, memory_, stream_.device());
  for (std::size_t first = 0; first < queries.count; first += batch.tile_queries) {
    search_tile(first, std::min(batch.tile_queries, queries.count - first), times);
  }
}

}  // namespace warpdex::tools
