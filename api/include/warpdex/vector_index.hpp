// An index of vectors: build, change, search.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "warpdex/core/storage/commit_report.hpp"
#include "warpdex/gpu.hpp"
#include "warpdex/vector/data/ids.hpp"
#include "warpdex/vector/neighbors.hpp"
#include "warpdex/vector/rows/row_filter.hpp"
#include "warpdex/vector/rows/vector_view.hpp"

namespace warpdex {

/// What vectors are compared by.
enum class VectorCoding {
  kRows,    ///< themselves: distances are exact
  kPq,      ///< codes of a few bytes by a product quantizer; with lists only
  kBinary,  ///< codes of a few bits a component
};

/// A number of lists that is chosen by the number of vectors: 4 times its square root.
inline constexpr std::size_t kAutoLists = ~std::size_t{0};

/// How an index of vectors is made: in lists or not, by which coding.
struct NewVectorIndex {
  std::size_t dimension = 0;  ///< components of a vector, 1 to 4,096
  vector::Metric metric = vector::Metric::kL2;
  vector::Store store = vector::Store::kFloat;  ///< of the vectors that are kept
  VectorCoding coding = VectorCoding::kRows;
  /// Of an inverted file, whose queries probe the nearest lists. 0: all vectors are compared.
  std::size_t lists = 0;
  std::size_t pq_bytes = 0;     ///< kPq: of a code; 0: a byte for each 4 components
  std::size_t binary_bits = 4;  ///< kBinary: of a component's code, 1 to 8
  bool is_rotated = false;      ///< codes: rotate first, so that they lose less
  bool is_corrected = false;    ///< kBinary: 8 bytes a vector make distances right on average
  bool keeps_vectors = true;    ///< codes: beside them, so that answers can be refined
  std::uint64_t seed = 1;       ///< of the training
};

/// How thoroughly an index is searched.
struct VectorDepth {
  std::size_t probes = 1;      ///< lists of a query, 1 to as many as there are
  std::size_t refine = 0;      ///< codes: how many of the nearest are ranked again by their vectors
  std::size_t query_bits = 0;  ///< kBinary: of a query's component, 1 to 8; 0: as the codes, or 4
};

struct VectorIndexOptions {
  Device device = Device::kCpu;  ///< kAuto: the GPU, if there is a usable one
  std::optional<Gpu> gpu{};      ///< none: GPU 0, with most of its free memory
  std::size_t threads = 0;       ///< of the CPU; 0: as many as this process may run on
  VectorDepth depth{};
};

/// An index of vectors open for searching, from any number of threads, and for changes. Answers are
/// the same on every device, to the bit. Row numbers, in answers and in filters, hold until merge()
/// of an index with ids, or a refresh() that takes one. Once a change is made, nothing throws: what
/// goes wrong afterwards is among the report's notes.
class VectorIndex {
 public:
  /// Makes an index of `rows`, one after the other, in the place of one of vectors that is there.
  /// `ids` are one a row; without them rows have their numbers. Throws UsageError, InputError and
  /// IoError, and the folder is then as it was. Returns a sentence for each thing that could not be
  /// cleared away.
  static std::vector<std::string> build(const std::filesystem::path& folder,
                                        const NewVectorIndex& settings, std::span<const float> rows,
                                        const vector::VectorIds& ids = {},
                                        const VectorIndexOptions& options = {});

  /// Opens the last commit, and uploads it to a GPU. Throws IoError if there is no index,
  /// FormatError if it is damaged, UsageError for a depth out of range, CudaError.
  explicit VectorIndex(const std::filesystem::path& folder, const VectorIndexOptions& options = {});
  ~VectorIndex();
  VectorIndex(VectorIndex&&) noexcept;
  VectorIndex& operator=(VectorIndex&&) noexcept;

  /// The k nearest of each query; queries are rows, one after the other. With `filter`, of rows()
  /// rows, among those that it has. Throws UsageError for sizes that do not fit.
  vector::Neighbors search(std::span<const float> queries, std::size_t k,
                           const vector::RowFilter* filter = nullptr) const;
  /// All within a radius of each query: of a metric whose larger values are nearer, at least as
  /// near.
  vector::RangeNeighbors search_radius(std::span<const float> queries, float radius,
                                       const vector::RowFilter* filter = nullptr) const;

  /// For each row its k nearest other rows, by the stored vectors: the k-NN graph. It is as exact
  /// as the search, by probes and refining; the list of a removed row has only missing places.
  /// Throws UsageError for fewer than two vectors, a k that is not below their number, and where
  /// the vectors were not kept.
  vector::Neighbors knn_graph(std::size_t k) const;

  /// Adds vectors in one commit, and searches them from now on. With ids, if the index has some;
  /// `replace`: those that the index has are removed in the same commit, else they are an
  /// InputError. Nothing is trained anew.
  CommitReport add(std::span<const float> rows, vector::VectorIds ids = {}, bool replace = false);
  /// Removes vectors by their ids, or by their row numbers where there are none. Throws InputError
  /// for one that is not there; nothing is removed then.
  CommitReport remove(const vector::VectorIds& ids);
  /// Joins all segments, without removed vectors.
  CommitReport merge();
  /// Takes the last commit of another writer, if it is not the one that is searched, and says
  /// whether it did.
  bool refresh();
  /// Opens the last commit anew, and uploads it again.
  void set_depth(const VectorDepth& depth);

  std::size_t dimension() const;
  vector::Metric metric() const;
  std::size_t rows() const;       ///< row numbers are below it
  std::size_t live_rows() const;  ///< vectors that were not removed
  std::size_t lists() const;      ///< 0 where there are none
  std::uint64_t commit() const;
  /// The id of a row as text; its number where there are no ids. UsageError for one past the last.
  std::string id(std::size_t row) const;
  /// Where it is searched: kCpu or kGpu.
  Device device() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace warpdex
