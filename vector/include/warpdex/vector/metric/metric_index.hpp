// A permutation index as it is stored. docs/metric.md has the format.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "warpdex/core/cuda/resources.hpp"
#include "warpdex/core/storage/section_file.hpp"
#include "warpdex/vector/metric/objects.hpp"
#include "warpdex/vector/metric/permutation_index.hpp"

namespace warpdex::metric {

/// Writes an index of the objects into a folder beside `target`, which then takes its place. The
/// permutants are ranked by `gpu`, if there is one, else by the CPU, with the same index. Throws
/// UsageError for a target that is neither empty nor a permutation index alone, and as
/// choose_permutants() does; IoError; as rank_permutants_on_gpu() does; and what `progress` throws.
/// Then the target is as it was. Returns what ReplacementFolder::commit() does.
std::vector<std::string> write_metric_index(const std::filesystem::path& target,
                                            const Objects& objects,
                                            const PermutationSettings& settings,
                                            const MetricProgress& progress = {},
                                            Resources* gpu = nullptr);
/// The same with permutants that the caller chose: numbers of objects, as rank_permutants() takes
/// them.
std::vector<std::string> write_metric_index(const std::filesystem::path& target,
                                            const Objects& objects,
                                            std::span<const std::uint32_t> permutants,
                                            std::size_t threads = 0,
                                            const MetricProgress& progress = {});

/// Mapped, not read. Immutable; any number of threads may read it. Not copied; moving it keeps what
/// it gave out valid.
class MetricIndex {
 public:
  /// Checks the manifest, size, header and footer of each section, and the tables of offsets:
  /// O(objects). Throws IoError if there is no index, FormatError if it is damaged or of another
  /// kind.
  static MetricIndex open(const std::filesystem::path& folder);
  ~MetricIndex();
  MetricIndex(MetricIndex&&) noexcept;
  MetricIndex& operator=(MetricIndex&&) noexcept;

  const ObjectsView& objects() const;
  const ObjectSpace& space() const;
  std::span<const std::uint32_t> permutants() const;
  const Permutations& permutations() const;
  const std::filesystem::path& folder() const;
  /// Searches it; valid while the index lives.
  PermutationSearcher searcher() const { return {space(), permutants(), permutations()}; }

  /// The sections, in the order of the manifest.
  const std::vector<SectionInfo>& section_infos() const;
  /// Whether the section's bytes have their checksum. O(bytes).
  bool section_intact(std::size_t section) const;

 private:
  struct State;
  explicit MetricIndex(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

struct MetricVerifyReport {
  std::vector<std::string> problems;  ///< a sentence each; empty: the index is whole
  std::uint64_t sections = 0;         ///< checked
  std::uint64_t objects = 0;
  bool ok() const { return problems.empty(); }
};

/// Checks every section's checksum, that each row of ranks is a permutation, that texts suit their
/// distance, sets and words ascend, and components are finite. O(index). `progress` is called with
/// the share done (0 to 1). Throws IoError if there is no index.
MetricVerifyReport verify_metric(const std::filesystem::path& folder,
                                 const std::function<void(double)>& progress = {});

/// Throws FormatError, which names a section, where one does not have its checksum; for use before
/// a GpuPermutationSearcher is made. O(bytes).
void check_before_upload(const MetricIndex& index);

/// Whether the manifest of the index at `folder` says that it is of this kind. False where there is
/// no manifest or a damaged one.
bool is_metric_index(const std::filesystem::path& folder);

}  // namespace warpdex::metric
