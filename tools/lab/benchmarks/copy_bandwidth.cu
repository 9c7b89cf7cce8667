// The copy kernel behind measure_copy_bandwidth(), and the kernels that prepare and check it.
#include "benchmarks/copy_bandwidth.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "warpdex/core/cuda/buffer.hpp"
#include "warpdex/core/cuda/check_internal.hpp"

namespace warpdex::tools {
namespace {

constexpr int kThreads = 256;
constexpr int kVectorsPerThread = 4;  // loads in flight per thread, of 16 bytes each
constexpr std::size_t kVectorsPerBlock = std::size_t{kThreads} * kVectorsPerThread;

// A value that differs from place to place (the finaliser of a multiplicative hash).
__device__ std::uint32_t pattern(std::size_t place) {
  std::uint32_t bits = static_cast<std::uint32_t>(place) * 0x9E3779B1U + 0x7F4A7C15U;
  bits = (bits ^ (bits >> 15)) * 0x85EBCA77U;
  return bits ^ (bits >> 13);
}

__device__ uint4 pattern_vector(std::size_t index) {
  return {pattern(4 * index), pattern(4 * index + 1), pattern(4 * index + 2),
          pattern(4 * index + 3)};
}

// Work item: one vector of 16 bytes; grid-stride. Bound by writing memory.
__global__ void write_pattern(uint4* out, std::size_t vectors) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < vectors;
       i += stride) {
    out[i] = pattern_vector(i);
  }
}

// Work item: one vector of 16 bytes; grid-stride. Adds up the vectors that are not the pattern's.
__global__ void count_differences(const uint4* in, std::size_t vectors,
                                  unsigned long long* differences) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  unsigned long long found = 0;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < vectors;
       i += stride) {
    const uint4 is = in[i];
    const uint4 should = pattern_vector(i);
    found += is.x != should.x || is.y != should.y || is.z != should.z || is.w != should.w;
  }
  if (found != 0) atomicAdd(differences, found);
}

// Work item: a run of kVectorsPerBlock vectors a CTA of 256 threads, 4 loads in flight a thread; no
// shared memory. Bound by memory: 2 * 16 * vectors bytes over the bandwidth.
__global__ void __launch_bounds__(kThreads)
    copy_vectors(const uint4* __restrict__ in, uint4* __restrict__ out, std::size_t vectors) {
  const std::size_t first = std::size_t{blockIdx.x} * kVectorsPerBlock + threadIdx.x;
  uint4 values[kVectorsPerThread];
#pragma unroll
  for (int i = 0; i < kVectorsPerThread; ++i) {
    const std::size_t at = first + std::size_t{kThreads} * i;
    if (at < vectors) values[i] = in[at];
  }
#pragma unroll
  for (int i = 0; i < kVectorsPerThread; ++i) {
    const std::size_t at = first + std::size_t{kThreads} * i;
    if (at < vectors) out[at] = values[i];
  }
}

void require_equal(const DeviceBuffer& copy, std::size_t vectors, unsigned blocks,
                   const Stream& stream) {
  DeviceArray<unsigned long long> differences(1, copy.device());
  differences.fill_bytes(0, stream);
  count_differences<<<blocks, kThreads, 0, stream.handle()>>>(
      static_cast<const uint4*>(copy.data()), vectors, differences.data());
  check_launch("count_differences");
  unsigned long long found = 0;
  differences.download({&found, 1}, stream);
  stream.synchronize();
  if (found == 0) return;
  throw Error("copying within GPU memory changed " + std::to_string(found) + " of " +
              std::to_string(vectors) + " vectors of 16 bytes; do not trust this GPU");
}

}  // namespace

double CopyBandwidth::gigabytes_per_second() const {
  if (median_seconds <= 0) return 0;
  return 2.0 * static_cast<double>(bytes) / median_seconds / 1e9;
}

CopyBandwidth measure_copy_bandwidth(int device, std::size_t bytes, int passes) {
  if (bytes < sizeof(uint4) || passes < 1) {
    throw UsageError("a copy is measured over 16 bytes or more and 1 pass or more");
  }
  const DeviceInfo info = device_info(device);
  const CurrentDevice current(device);
  const std::size_t vectors =
      std::max<std::size_t>(1, std::min(bytes, info.free_memory / 3) / sizeof(uint4));
  const Stream stream(device);
  DeviceBuffer source(vectors * sizeof(uint4), device);
  DeviceBuffer target(vectors * sizeof(uint4), device);
  const unsigned blocks = static_cast<unsigned>(info.multiprocessors) * 8;
  write_pattern<<<blocks, kThreads, 0, stream.handle()>>>(static_cast<uint4*>(source.data()),
                                                          vectors);
  check_launch("write_pattern");
  target.fill(0xFF, stream);

  const unsigned copy_blocks =
      static_cast<unsigned>((vectors + kVectorsPerBlock - 1) / kVectorsPerBlock);
  Event start(device);
  Event end(device);
  std::vector<double> seconds;
  for (int pass = 0; pass <= passes; ++pass) {
    start.record(stream);
    copy_vectors<<<copy_blocks, kThreads, 0, stream.handle()>>>(
        static_cast<const uint4*>(source.data()), static_cast<uint4*>(target.data()), vectors);
    check_launch("copy_vectors");
    end.record(stream);
    end.synchronize();
    if (pass > 0) seconds.push_back(end.seconds_since(start));
  }
  require_equal(target, vectors, blocks, stream);

  std::sort(seconds.begin(), seconds.end());
  CopyBandwidth result;
  result.bytes = vectors * sizeof(uint4);
  result.passes = passes;
  result.median_seconds = seconds[seconds.size() / 2];
  result.best_seconds = seconds.front();
  return result;
}

}  // namespace warpdex::tools
