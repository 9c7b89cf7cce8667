// What GPUs would do, in a build without CUDA: all of it throws what device_info() throws.
#include "lists/build/gpu_steps.hpp"
#include "pq/gpu_train.hpp"
#include "warpdex/core/cuda/no_cuda.hpp"
#include "warpdex/vector/flat/gpu_segment_searcher.hpp"
#include "warpdex/vector/kmeans/gpu_kmeans.hpp"
#include "warpdex/vector/metric/gpu_permutation_builder.hpp"
#include "warpdex/vector/metric/gpu_permutation_searcher.hpp"
#include "warpdex/vector/search/make_searcher.hpp"

namespace warpdex::vector {

std::unique_ptr<VectorSearcher> search_on_gpu(const SearchedVectors& /*vectors*/,
                                              Resources& /*resources*/,
                                              const GpuSearchSettings& /*settings*/) {
  refuse_without_cuda();
}

struct GpuSegmentVectors::State {};
GpuSegmentVectors::GpuSegmentVectors(const FlatVectors&, Resources&) { refuse_without_cuda(); }
GpuSegmentVectors::~GpuSegmentVectors() = default;
bool GpuSegmentVectors::is_resident() const { refuse_without_cuda(); }
std::size_t GpuSegmentVectors::memory() const { refuse_without_cuda(); }

struct GpuSegmentSearcher::State {};
GpuSegmentSearcher::GpuSegmentSearcher(std::vector<GpuSegment>, Resources&) {
  refuse_without_cuda();
}
GpuSegmentSearcher::~GpuSegmentSearcher() = default;
GpuSegmentSearcher::GpuSegmentSearcher(GpuSegmentSearcher&&) noexcept = default;
GpuSegmentSearcher& GpuSegmentSearcher::operator=(GpuSegmentSearcher&&) noexcept = default;
std::size_t GpuSegmentSearcher::live_rows() const { refuse_without_cuda(); }
std::size_t GpuSegmentSearcher::set_words() const { refuse_without_cuda(); }
std::size_t GpuSegmentSearcher::first_word(std::size_t) const { refuse_without_cuda(); }
void GpuSegmentSearcher::nearest(std::span<const float>, std::size_t, const TakeAnswers&) const {
  refuse_without_cuda();
}
void GpuSegmentSearcher::nearest_on_gpu(std::span<const float>, std::size_t,
                                        const TakeRows&) const {
  refuse_without_cuda();
}
void GpuSegmentSearcher::nearest_within(std::span<const float>, std::size_t, const FillSets&,
                                        const TakeAnswers&) const {
  refuse_without_cuda();
}
void GpuSegmentSearcher::nearest_passing(std::span<const float>, std::size_t, std::size_t,
                                         const FillSets&, const TakeAnswers&) const {
  refuse_without_cuda();
}
void GpuSegmentSearcher::nearest_among(std::span<const float>, std::size_t,
                                       std::span<const std::uint32_t>,
                                       std::span<const std::uint32_t>, const TakeAnswers&) const {
  refuse_without_cuda();
}

KmeansResult kmeans_on_gpu(const Matrix<float>&, const KmeansSettings&, Resources&) {
  refuse_without_cuda();
}

KmeansResult kmeans_on_gpu(const float*, std::size_t, std::size_t, const KmeansSettings&,
                           Resources&) {
  refuse_without_cuda();
}

KmeansResult kmeans_on_gpus(const Matrix<float>&, const KmeansSettings&,
                            std::span<Resources* const>) {
  refuse_without_cuda();
}

struct GpuSteps::State {};

GpuSteps::GpuSteps(Resources&) { refuse_without_cuda(); }
GpuSteps::~GpuSteps() = default;

Matrix<float> GpuSteps::train_centroids(const VectorView&, std::span<const std::uint64_t>,
                                        const KmeansSettings&) {
  refuse_without_cuda();
}

void GpuSteps::assign(const VectorView&, const Matrix<float>&, const CentroidSearch&,
                      std::uint32_t*, const OnBlock&) {
  refuse_without_cuda();
}

std::vector<float> GpuSteps::train_codebooks(const Matrix<float>&, const PqTraining&) {
  refuse_without_cuda();
}

void GpuSteps::encode_binary(const VectorView&, const BinaryQuantizer&, const CodeSink&,
                             const OnBlock&) {
  refuse_without_cuda();
}

void GpuSteps::encode(const VectorView&, const BitRules&, const ListGroups&, const BlockSink&) {
  refuse_without_cuda();
}

void GpuSteps::encode(const VectorView&, const RulesOf<Sq8Quantizer>&, const ListGroups&,
                      const BlockSink&) {
  refuse_without_cuda();
}

void GpuSteps::encode(const VectorView&, const EncodingRules&, const ListGroups&,
                      const BlockSink&) {
  refuse_without_cuda();
}

std::vector<float> train_codebooks_on_gpu(const Matrix<float>&, const PqTraining&, Resources&) {
  refuse_without_cuda();
}

}  // namespace warpdex::vector

namespace warpdex::metric {

struct GpuPermutationSearcher::State {};

GpuPermutationSearcher::GpuPermutationSearcher(const ObjectsView&, std::span<const std::uint32_t>,
                                               const Permutations&, Resources&,
                                               const GpuMetricSettings&) {
  refuse_without_cuda();
}
GpuPermutationSearcher::~GpuPermutationSearcher() = default;
GpuPermutationSearcher::GpuPermutationSearcher(GpuPermutationSearcher&&) noexcept = default;
GpuPermutationSearcher& GpuPermutationSearcher::operator=(GpuPermutationSearcher&&) noexcept =
    default;
Matches GpuPermutationSearcher::nearest(const QueryObjects&, std::size_t,
                                        const MetricSearchSettings&) const {
  refuse_without_cuda();
}
Matches GpuPermutationSearcher::within(const QueryObjects&, float,
                                       const MetricSearchSettings&) const {
  refuse_without_cuda();
}

std::unique_ptr<std::uint8_t[]> rank_permutants_on_gpu(const ObjectsView&,
                                                       std::span<const std::uint32_t>, Resources&,
                                                       std::size_t, const MetricProgress&) {
  refuse_without_cuda();
}

}  // namespace warpdex::metric
