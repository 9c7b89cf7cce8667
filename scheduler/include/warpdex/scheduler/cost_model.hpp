// Predicts what a query costs on each processor.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "warpdex/core/cuda/device.hpp"
#include "warpdex/indexer/format/snapshot.hpp"
#include "warpdex/query/plan/plan.hpp"
#include "warpdex/query/search.hpp"
#include "warpdex/scheduler/job.hpp"
#include "warpdex/scheduler/statistics.hpp"

namespace warpdex {

/// The numbers from which a query's cost is predicted. Lengths of lists are in postings. All are 0
/// or more.
enum class Feature : std::uint8_t {
  kConstant,         ///< 1
  kTerms,            ///< distinct terms that the index knows; 0: nothing can match
  kShortest,         ///< the shortest list
  kSecondShortest,   ///< the next one, or the shortest again
  kSum,              ///< all lists
  kProbes,           ///< the shortest list times the number of other terms: AND's lookups
  kRootOfProbes,     ///< the square root of (the shortest list times kSum): skipping
  kEssential,        ///< all lists that are likely to be essential at the seeded threshold
  kRootOfEssential,  ///< its square root
  kBlocks,           ///< blocks of all lists
  kSeedShare,        ///< the seeded threshold divided by the largest possible score
  kRootOfK,          ///< the square root of k
  kKTerms,           ///< k times terms
  kMissingBytes,     ///< bytes of lists that are not in GPU memory
  // The following are for single queries: their sums over a batch say little.
  kLongest,           ///< the longest list
  kK,                 ///< k
  kEssentialLists,    ///< how many are likely to be essential
  kLongestEssential,  ///< the longest of them
  kShortestOther,     ///< the shortest of the others; 0: there is none
  kCandidates,        ///< documents in essential lists, if terms were independent
  kTouchedBlocks,     ///< blocks that hold a candidate, and all of the essential lists
  kMatches,           ///< documents with all terms, if terms were independent
  kFirstMatches,      ///< the part of the shortest list that holds the first k matches
  kProbedBlocks,      ///< blocks that AND decodes, if terms were independent
};
inline constexpr std::size_t kFeatures = 24;
/// The first of them, which can be summed over the queries of a batch.
inline constexpr std::size_t kSummableFeatures = 14;
using Features = std::array<double, kFeatures>;
/// log(1 + feature) of each, with an error of a millionth of it, or of 1 if it is less. The
/// constant stays as it is.
Features logs_of(const Features& features);

/// Each class of queries has its own models. A class is a mode, with or without counting.
inline constexpr std::size_t kQueryClasses = 6;
std::size_t query_class(const SearchSettings& settings);
/// As "or" or "and+count".
std::string_view query_class_name(std::size_t query_class);

/// Whether a list of a segment is in GPU memory now; asked for lists of 128 postings or more, on
/// any thread. An empty function: all lists are.
using HasList = std::function<bool(std::size_t segment, const PostingsEntry& list)>;

/// The features of a query. O(terms) for each segment. A query that can match nothing has 0 terms.
/// Throws FormatError for a damaged short list.
Features features_of(const Snapshot& snapshot, const PlannedQuery& plan,
                     const SearchSettings& settings, const HasList& has_list = {});

/// A model tree (M5, as the paper uses it). An inner node asks whether a feature exceeds a value. A
/// leaf is either linear, the sum of the weighted features, or a product, the exponential of the
/// sum of their weighted logarithms, within bounds.
struct ModelTree {
  struct Node {
    std::int32_t feature = -1;  ///< -1: a leaf
    double value = 0;           ///< above it: `right`, else `left`
    std::uint32_t left = 0;     ///< in `nodes`
    std::uint32_t right = 0;
    bool is_product = false;
    Features weights{};  ///< of a leaf; the constant's is added as it is
    double low = 0;      ///< of a product: the smallest prediction, in microseconds
    double high = 0;     ///< of a product: the largest
  };
  std::vector<Node> nodes;  ///< the first is the root; none: not fitted

  bool empty() const { return nodes.empty(); }
  /// Microseconds; 0.1 or more. The tree must not be empty. O(depth + features).
  double predict(const Features& features, const Features& logs) const;
  double predict(const Features& features) const { return predict(features, logs_of(features)); }
};

/// The models of one query class.
struct ClassModels {
  ModelTree cpu;
  ModelTree gpu_alone;
  ModelTree gpu_share;
  double gpu_base = 0;  ///< microseconds that a batch takes beside the shares of its queries
  // `cpu` is for a busy machine, `gpu_alone` for queries in close succession. Factors for others:
  double cpu_idle = 1;  ///< of `cpu`, while the other CPU threads are idle
  double gpu_idle = 1;  ///< of `gpu_alone`, a while after the last query
};

/// The models of all classes. A copy is plain data; any number of threads may read it.
class CostModel {
 public:
  /// Rough figures of common machines, for an index that was not calibrated. They send queries of
  /// few postings to the CPU and others to the GPU, whose speed is gpu_speed()'s. The scheduler
  /// corrects them while it runs.
  explicit CostModel(double speed);
  CostModel() : CostModel(1) {}

  /// A query without terms costs half a microsecond.
  JobCost predict(std::size_t query_class, const Features& features) const;

  const ClassModels& models(std::size_t query_class) const { return classes_[query_class]; }
  ClassModels& models(std::size_t query_class) { return classes_[query_class]; }
  CostOrigin origin() const { return origin_; }
  void set_origin(CostOrigin origin) { origin_ = origin; }

 private:
  std::array<ClassModels, kQueryClasses> classes_;
  CostOrigin origin_ = CostOrigin::kRough;
};

/// Where the costs of the index in `folder` are stored: beside it, at FOLDER.costs.json.
std::filesystem::path cost_file_of(const std::filesystem::path& folder);
/// A model of an index's costs as JSON; docs/scheduler.md has the format.
std::string cost_model_to_json(const CostModel& model, const Snapshot& snapshot);
/// Throws FormatError for any other text, with `name` in the message.
CostModel cost_model_from_json(const std::string& json, const std::string& name);
/// The model that is stored beside the index; the uncalibrated one if there is none or if the index
/// was replaced since. If the index was only changed since, its model stays in use, as
/// CostOrigin::kOlder: predictions depend on each query's features, and runs correct them. An index
/// that was replaced, and has had more commits since than the one that was measured, is taken for
/// that one. Throws FormatError for a damaged file, IoError for one that cannot be read.
CostModel load_cost_model(const Snapshot& snapshot, double speed = 1);

/// A GPU's speed, an H100's being 1: its share of multiprocessors. For CostModel's rough figures.
double gpu_speed(const DeviceInfo& gpu);

}  // namespace warpdex
