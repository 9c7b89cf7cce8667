// One commit of an index of vectors, and its searchers. Internal.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "warpdex/core/error.hpp"
#include "warpdex/vector/format/vector_index.hpp"
#include "warpdex/vector/lists/ivf_settings.hpp"
#include "warpdex/vector/searcher/vector_searcher.hpp"
#include "warpdex/vector_index.hpp"

namespace warpdex {

struct StoredVectors {
  explicit StoredVectors(const std::filesystem::path& folder)
      : index(vector::VectorIndex::open(folder)) {}

  /// Before an upload: checks what searches read, once. Throws FormatError.
  void check() const;

  vector::VectorIndex index;

 private:
  mutable std::mutex mutex_;
  mutable bool is_checked_ = false;
};

/// How thoroughly to search, among all rows.
vector::SearchOptions search_options(const VectorDepth& depth);

/// The commit, searched where `options` say; with GPUs, there. The searcher is made when it is
/// first needed, and again after it failed to be made. Any thread.
class OpenVectors {
 public:
  OpenVectors(std::shared_ptr<const StoredVectors> stored, VectorIndexOptions options)
      : stored_(std::move(stored)),
        options_(std::move(options)),
        has_vectors_(options_.depth.refine > 0) {}

  /// For rows as they are stored, as a graph asks for them. Throws UsageError where they were not
  /// kept.
  static OpenVectors of_rows(std::shared_ptr<const StoredVectors> stored,
                             VectorIndexOptions options);

  const std::shared_ptr<const StoredVectors>& stored() const { return stored_; }
  const vector::VectorIndex& index() const { return stored_->index; }
  const VectorIndexOptions& options() const { return options_; }
  bool is_on_gpu() const { return options_.device != Device::kCpu; }

  /// Throws FormatError for damage, and what the searcher's constructor does.
  const vector::VectorSearcher& searcher() const;
  /// How to search among the rows of a filter; null: among all.
  vector::SearchOptions depth(const vector::RowFilter* filter = nullptr) const;
  /// The same commit, searched by the CPU.
  OpenVectors on_cpu() const;
  /// The same searcher, with another depth. None where a new one must be made: there is none yet,
  /// or it lacks the vectors that answers are now refined by.
  std::optional<OpenVectors> at(const VectorDepth& depth) const;

 private:
  struct Rows {
    vector::Metric metric;
    vector::SearchOptions depth;
  };
  std::unique_ptr<vector::VectorSearcher> make_searcher() const;

  std::shared_ptr<const StoredVectors> stored_;
  VectorIndexOptions options_;
  std::optional<Rows> rows_{};
  bool has_vectors_ =
      false;  ///< of GPUs: whether the searcher was told to keep vectors beside codes
  mutable std::unique_ptr<std::mutex> mutex_ = std::make_unique<std::mutex>();
  mutable std::shared_ptr<vector::VectorSearcher> searcher_{};
};

/// The options with GPUs that can search, if not the CPU is to; where kAuto finds none, the CPU's.
/// Throws as usable_gpu().
VectorIndexOptions with_usable_gpus(VectorIndexOptions options);

/// Within the handler of `error`, of a search on GPUs: returns if the CPU is to take over, else
/// throws the error again.
void let_cpu_take_over(const VectorIndexOptions& options, const Error& error);

/// Throws CancelledError if the caller stopped the work.
void check_stop(const std::stop_token& stop);
/// What looks at the stop token, too.
vector::BuildProgress progress_of(const VectorWork& work);

vector::VectorIndexSettings stored_settings(const NewVectorIndex& given, std::size_t threads);
NewVectorIndex given_settings(const vector::VectorIndexSettings& stored);

}  // namespace warpdex
