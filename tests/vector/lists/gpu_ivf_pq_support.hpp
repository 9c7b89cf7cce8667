// What tests of the search by codes on a GPU share.
#pragma once

#include <string>
#include <vector>

#include "tests/support.hpp"
#include "tests/vector/flat/gpu_flat_support.hpp"
#include "tests/vector/lists/made_codes.hpp"
#include "warpdex/vector/pq/pq_coding.hpp"
#include "warpdex/vector/search/make_searcher.hpp"

namespace warpdex::vector {

using test::CodesShape;
using test::draw_values;
using test::MadeCodes;
using GpuIvfPq = GpuFlat;

inline std::string describe(const CodesShape& shape) {
  return std::string(metric_name(shape.metric)) + ", " + std::to_string(shape.dimension) +
         " components, " + std::to_string(shape.bytes) + " bytes of " + std::to_string(shape.bits) +
         " bits" + (shape.is_rotated ? ", rotated to " + std::to_string(shape.coded()) : "") +
         (shape.is_of_version_2 ? ", of version 2" : "");
}

/// All ways of comparing queries with codes.
inline constexpr CodeWay kCodeWays[] = {CodeWay::kQueries, CodeWay::kTables, CodeWay::kProducts};

/// A searcher that compares queries with codes in one way.
inline std::unique_ptr<VectorSearcher> search_by(CodeWay way, const MadeCodes& index,
                                                 Resources& resources) {
  return search_on_gpu(index.view(), resources, {.way = way});
}

/// Compares answers with those of the CPU, to the bit.
inline void expect_as_cpu(const MadeCodes& index, const VectorSearcher& gpu,
                          const std::vector<float>& queries, std::size_t k, std::size_t probes,
                          std::size_t refine, const RowFilter* filter, const std::string& what) {
  expect_same(gpu.nearest(queries, k, {.filter = filter, .probes = probes, .refine = refine}),
              search_on_cpu(index.view())
                  ->nearest(queries, k, {.filter = filter, .probes = probes, .refine = refine}),
              what + ", k " + std::to_string(k) + ", probes " + std::to_string(probes) +
                  ", refine " + std::to_string(refine) + (filter == nullptr ? "" : ", filtered"));
}

}  // namespace warpdex::vector
