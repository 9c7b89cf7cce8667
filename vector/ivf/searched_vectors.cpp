// One line for each kind of index.
#include "warpdex/vector/ivf/searched_vectors.hpp"

namespace warpdex::vector {

Metric metric_of(const SearchedVectors& vectors) {
  if (const auto* codes = std::get_if<IvfPqVectors>(&vectors)) return codes->metric;
  if (const auto* codes = std::get_if<XfbqVectors>(&vectors)) return codes->metric;
  return flat_of(vectors).metric;
}

std::size_t dimension_of(const SearchedVectors& vectors) {
  if (const auto* codes = std::get_if<IvfPqVectors>(&vectors)) return codes->quantizer.dimension;
  if (const auto* codes = std::get_if<XfbqVectors>(&vectors)) return codes->quantizer.dimension;
  return flat_of(vectors).vectors.dimension;
}

std::size_t rows_of(const SearchedVectors& vectors) {
  if (const auto* codes = std::get_if<IvfPqVectors>(&vectors)) return codes->rows();
  if (const auto* codes = std::get_if<XfbqVectors>(&vectors)) return codes->rows;
  return flat_of(vectors).vectors.rows;
}

const FlatVectors& flat_of(const SearchedVectors& vectors) {
  if (const auto* flat = std::get_if<FlatVectors>(&vectors)) return *flat;
  if (const auto* ivf = std::get_if<IvfVectors>(&vectors)) return ivf->vectors;
  if (const auto* codes = std::get_if<XfbqVectors>(&vectors)) return codes->vectors;
  return std::get<IvfPqVectors>(vectors).vectors;
}

std::span<const std::uint64_t> list_begins_of(const SearchedVectors& vectors) {
  if (const auto* ivf = std::get_if<IvfVectors>(&vectors)) return ivf->begins;
  if (const auto* codes = std::get_if<IvfPqVectors>(&vectors)) return codes->begins;
  return {};
}

SearchedVectors with_metric(const SearchedVectors& vectors, Metric metric) {
  SearchedVectors changed = vectors;
  if (auto* flat = std::get_if<FlatVectors>(&changed)) flat->metric = metric;
  if (auto* ivf = std::get_if<IvfVectors>(&changed)) ivf->vectors.metric = metric;
  if (auto* codes = std::get_if<IvfPqVectors>(&changed)) {
    codes->metric = metric;
    codes->vectors.metric = metric;
  }
  if (auto* codes = std::get_if<XfbqVectors>(&changed)) {
    codes->metric = metric;
    codes->vectors.metric = metric;
  }
  return changed;
}

}  // namespace warpdex::vector
