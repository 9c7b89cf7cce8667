// Predicts what a query costs on each processor.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

#include "warpdex/indexer/format/index.hpp"
#include "warpdex/query/plan/plan.hpp"
#include "warpdex/query/search.hpp"
#include "warpdex/scheduler/job.hpp"

namespace warpdex {

/// What a query's cost is predicted from. Lengths are in postings.
enum class Feature : std::uint8_t {
  kConstant,         ///< 1
  kTerms,            ///< distinct terms that the index knows
  kShortest,         ///< the shortest list
  kSecondShortest,   ///< the next one, or the shortest again
  kSum,              ///< all lists
  kProbes,           ///< the shortest list times the other terms: what AND looks up
  kRootOfProbes,     ///< the square root of the shortest list times the sum: skipping
  kEssential,        ///< of lists that are likely to be essential at the seeded threshold
  kRootOfEssential,  ///< its square root
  kBlocks,           ///< of all lists
  kSeedShare,        ///< the seeded threshold over the largest score there could be
  kRootOfK,          ///< the square root of k
  kKTerms,           ///< k times terms
  kMissingBytes,     ///< of lists that are likely not to be in GPU memory
};
inline constexpr std::size_t kFeatures = 14;
using Features = std::array<double, kFeatures>;

/// Queries whose costs have models of their own: by mode, with or without counting.
inline constexpr std::size_t kQueryClasses = 6;
std::size_t query_class(const SearchSettings& settings);
/// As "or" or "and+count".
std::string_view query_class_name(std::size_t query_class);

/// O(terms). `missing_share`: how much of the index's lists is not in GPU memory.
Features features_of(const Index& index, const PlannedQuery& plan, const SearchSettings& settings,
                     double missing_share);

/// A tree whose inner nodes ask whether a feature exceeds a value and whose leaves are linear in
/// the features; a single leaf is a linear model. (M5, as the paper uses it.)
struct ModelTree {
  struct Node {
    std::int32_t feature = -1;  ///< -1: a leaf
    double value = 0;           ///< above it: `right`, else `left`
    std::uint32_t left = 0;     ///< in `nodes`
    std::uint32_t right = 0;
    Features weights{};  ///< of a leaf
  };
  std::vector<Node> nodes;  ///< the first is the root; none: not fitted

  bool empty() const { return nodes.empty(); }
  /// Microseconds; 0.1 or more. O(depth + features).
  double predict(const Features& features) const;
};

/// The models of one query class.
struct ClassModels {
  ModelTree cpu;
  ModelTree gpu_alone;
  ModelTree gpu_share;
};

/// Predictions of all classes. A copy is plain data; reading it is safe from any threads.
class CostModel {
 public:
  /// Rough figures of common machines, for an index that was not calibrated. They put queries of
  /// few postings on the CPU and others on the GPU, and are corrected while running.
  CostModel();

  JobCost predict(std::size_t query_class, const Features& features) const;

  const ClassModels& models(std::size_t query_class) const { return classes_[query_class]; }
  ClassModels& models(std::size_t query_class) { return classes_[query_class]; }

 private:
  std::array<ClassModels, kQueryClasses> classes_;
};

/// Where a calibration of the index in `folder` is stored: beside it, at FOLDER.costs.json.
std::filesystem::path cost_file_of(const std::filesystem::path& folder);
/// Writes the model as JSON; see docs/scheduler.md. Throws IoError.
void write_cost_model(const CostModel& model, const std::filesystem::path& file);
/// The stored model, or the uncalibrated one where there is no file. Throws FormatError for a file
/// that is damaged or of another version.
CostModel read_cost_model(const std::filesystem::path& file);

}  // namespace warpdex
