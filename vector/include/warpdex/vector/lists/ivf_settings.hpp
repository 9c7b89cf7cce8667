// How an inverted file is built, and where.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "warpdex/core/cuda/resources.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/vector/metric.hpp"

namespace warpdex::vector {

/// Of an inverted file.
struct IvfSettings {
  std::size_t lists = 0;    ///< 0: 4 * sqrt(rows), at least 1 and at most rows / 32 + 1
  std::size_t train = 0;    ///< rows that centroids are trained on, `lists` or more; 0: 256 a list
  std::uint64_t seed = 1;   ///< of the training
  std::size_t threads = 0;  ///< of the training and the assignment; 0: default_threads()
};

/// Of codes.
struct PqSettings {
  std::size_t bytes = 0;    ///< of a vector's code, 1 to max_code_bytes(); 0: a byte for each 4
                            ///< components that are coded
  std::size_t bits = 8;     ///< of a codeword's number: 8 or 4
  bool is_rotated = false;  ///< by a rotation that is trained, so that codes lose less
  /// Components that vectors are rotated to, fewer than they have; 0: as many. If not 0, vectors
  /// are rotated. What is left out, codes lose.
  std::size_t rotated_dimension = 0;
  bool keeps_vectors = true;  ///< beside their codes, so that answers can be refined
};

/// Gets the progress of long work: its stage, how much is done, and of how much.
using BuildProgress =
    std::function<void(const char* stage, std::uint64_t done, std::uint64_t total)>;

/// A step of a build that is done.
struct BuildStep {
  const char* name = "";
  double seconds = 0;
  bool is_on_gpu = false;
};

/// Where an inverted file is built. If there is a GPU, it trains, assigns and encodes. The CPU does
/// a step for which GPU memory is too small.
struct BuildDevice {
  Resources* gpu = nullptr;  ///< null: the CPU does all
  /// Called before the CPU does a step for which the GPU has too little memory, within the handler
  /// of the error that says so; what it throws ends the build.
  std::function<void(const Error&)> on_cpu = {};
  std::function<void(const BuildStep&)> on_step = {};  ///< called after each step
};

/// The metric by which the lists of a query are chosen.
constexpr Metric coarse_metric(Metric metric) {
  return metric == Metric::kInnerProduct ? metric : Metric::kL2;
}

}  // namespace warpdex::vector
