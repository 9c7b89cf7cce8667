// A permutation index: the nearest of texts, sets of words or vectors under a metric distance.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "warpdex/core/error.hpp"
#include "warpdex/gpu.hpp"
#include "warpdex/vector/metric/metric_settings.hpp"

namespace warpdex {

/// What is asked of a permutation index: texts, or vectors. Copies are the same queries.
class MetricQueries {
 public:
  explicit MetricQueries(std::vector<std::string> texts);
  /// Rows of `dimension` components. Throws UsageError for components that are no rows.
  MetricQueries(std::vector<float> vectors, std::size_t dimension);
  /// Those of a file, a line or a row each; `objects` are the index's. Throws InputError and
  /// IoError.
  static MetricQueries read(const std::string& path, const metric::ObjectSettings& objects);

  std::size_t size() const;
  /// The text of a query; empty for a vector. Valid while this lives.
  std::string_view text(std::size_t query) const;

 private:
  friend class MetricIndex;
  struct State;
  explicit MetricQueries(std::shared_ptr<const State> state);
  std::shared_ptr<const State> state_;
};

/// How a permutation index is made.
struct NewMetricIndex {
  metric::ObjectSettings objects{};
  /// Objects that each object is described by, up to metric::kMaxPermutants and to the number of
  /// objects; 0: 128, or all objects where these are fewer.
  std::size_t permutants = 0;
  metric::Choice choice = metric::Choice::kRandom;
  std::uint64_t seed = 1;   ///< of the choice
  std::size_t threads = 0;  ///< that build; 0: as many as this process may run on
  /// What computes the distances of objects to permutants and ranks them; the index is the same.
  /// kAuto: the GPU, if there is a usable one with memory enough.
  Device device = Device::kCpu;
  std::optional<Gpu> gpu{};  ///< none: GPU 0, with most of its free memory
  /// Of kAuto: told why the CPU takes over, within the handler of the error. What it throws ends
  /// the build.
  std::function<void(const Error&)> on_cpu{};
};

struct MetricBuildReport {
  std::size_t objects = 0;
  std::size_t permutants = 0;
  bool is_on_gpu = false;  ///< the GPU ranked the permutants
  /// A sentence for each thing that could not be cleared away.
  std::vector<std::string> notes{};
};

struct MetricIndexOptions {
  /// kAuto: the GPU, if there is a usable one with memory enough. Where a search fails for want of
  /// memory, that search and all later ones are the CPU's.
  Device device = Device::kCpu;
  std::optional<Gpu> gpu{};  ///< none: GPU 0, with most of its free memory
  /// Of kAuto: told why the CPU takes over, within the handler of the error. What it throws ends
  /// the call.
  std::function<void(const Error&)> on_cpu{};
};

struct MetricSearchOptions {
  metric::MetricSearchSettings settings{};
  // The queries that are answered: `count` from `first` on, or as many as there are.
  std::size_t first = 0;
  std::size_t count = ~std::size_t{0};
  std::stop_token stop{};  ///< ends the search, which then throws CancelledError
  /// Called before a query is answered, by the CPU's threads, and of a GPU once before all. What it
  /// throws ends the search.
  std::function<void()> on_query{};
};

/// A permutation index open for searching, from any number of threads. Answers are the same on
/// every device, to the bit.
class MetricIndex {
 public:
  /// Makes an index of a file's objects, a line or a row each, in the place of a permutation index
  /// that is there. `progress` gets the distances computed so far, and all; what it throws ends the
  /// build. Throws UsageError, InputError and IoError, of a GPU CudaError, and Error for too little
  /// memory; the folder is then as it was.
  static MetricBuildReport build(const std::filesystem::path& folder,
                                 const NewMetricIndex& settings, const std::string& file,
                                 const metric::MetricProgress& progress = {});
  /// The same of texts, or of sets of words: texts with white space between words.
  static MetricBuildReport build(const std::filesystem::path& folder,
                                 const NewMetricIndex& settings, std::span<const std::string> texts,
                                 const metric::MetricProgress& progress = {});
  /// The same of vectors: rows of objects.dimension components.
  static MetricBuildReport build(const std::filesystem::path& folder,
                                 const NewMetricIndex& settings, std::vector<float> vectors,
                                 const metric::MetricProgress& progress = {});

  /// Opens it, and uploads it to a GPU, which must hold it whole. Throws IoError if there is no
  /// index, FormatError if it is damaged, CudaError, and Error for too little memory.
  explicit MetricIndex(const std::filesystem::path& folder, const MetricIndexOptions& options = {});
  ~MetricIndex();
  MetricIndex(MetricIndex&&) noexcept;
  MetricIndex& operator=(MetricIndex&&) noexcept;

  /// The k nearest objects of each query. Throws UsageError for settings out of range, InputError
  /// for a query that has no distance to the objects, CancelledError, and on a GPU Error for too
  /// little memory.
  metric::Matches search(const MetricQueries& queries, std::size_t k,
                         const MetricSearchOptions& options = {}) const;
  /// All objects that are at most `radius` away. Throws likewise.
  metric::Matches search_radius(const MetricQueries& queries, float radius,
                                const MetricSearchOptions& options = {}) const;

  /// Searches by other options from now on. Throws as the constructor does; then the CPU searches.
  void set_options(const MetricIndexOptions& options);
  /// Where it is searched: kCpu or kGpu.
  Device device() const;
  /// The GPU that searches it, if one does.
  std::optional<Gpu> gpu() const;

  std::size_t objects() const;
  std::size_t permutants() const;
  const metric::ObjectSettings& settings() const;
  /// The text of an object; empty for a vector. Valid while this lives. UsageError for an object
  /// past the last.
  std::string_view text(std::size_t object) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace warpdex
