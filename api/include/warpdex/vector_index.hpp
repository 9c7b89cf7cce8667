// An index of vectors: build, change, search.
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
#include "warpdex/core/storage/commit_report.hpp"
#include "warpdex/gpu.hpp"
#include "warpdex/vector/data/ids.hpp"
#include "warpdex/vector/data/vector_reader.hpp"
#include "warpdex/vector/neighbors.hpp"
#include "warpdex/vector/rows/row_filter.hpp"
#include "warpdex/vector/rows/row_settings.hpp"
#include "warpdex/vector/rows/vector_view.hpp"

namespace warpdex {

struct StoredVectors;

/// What vectors are compared by.
enum class VectorCoding {
  kRows,    ///< themselves: distances are exact
  kPq,      ///< codes of a few bytes by a product quantizer; with lists only
  kBinary,  ///< codes of a few bits a component
  kSq8,     ///< codes of a byte a component
};

/// A number of lists that is chosen by the number of vectors: 4 times its square root.
inline constexpr std::size_t kAutoLists = ~std::size_t{0};

/// How an index of vectors is made: in lists or not, by which coding. Of an index that is open,
/// `train`, `clip` and `seed` are not known.
struct NewVectorIndex {
  std::size_t dimension = 0;  ///< components of a vector, 1 to 4,096
  vector::Metric metric = vector::Metric::kL2;
  vector::Store store = vector::Store::kFloat;  ///< of the vectors that are kept
  VectorCoding coding = VectorCoding::kRows;
  /// Of an inverted file, whose queries probe the nearest lists. 0: all vectors are compared.
  std::size_t lists = 0;
  std::size_t train = 0;        ///< vectors that lists are trained on; 0: 256 a list
  std::size_t pq_bytes = 0;     ///< kPq: of a code; 0: a byte for each 4 coded components
  std::size_t pq_bits = 8;      ///< kPq: of a codeword's number, 8 or 4
  std::size_t binary_bits = 4;  ///< kBinary: of a component's code, 1 to 8
  bool is_rotated = false;      ///< codes: rotate first, so that they lose less
  /// kPq: rotate to that many components, `pq_bytes` to `dimension`, of which codes are made; 0: to
  /// as many as there are, if is_rotated.
  std::size_t rotated_dimension = 0;
  bool is_corrected = false;  ///< kBinary: 8 bytes a vector make distances right on average
  /// kBinary: the share of components that may lie outside of the range that codes stand for, from
  /// 0 to below 1; negative: what suits the bits.
  double clip = -1;
  bool keeps_vectors = true;  ///< codes: beside them, so that answers can be refined
  std::uint64_t seed = 1;     ///< of the training
};

/// "flat", "ivf-flat", "ivf-pq", "xfbq", "ivf-xfbq", "sq8" or "ivf-sq8": one name for the coding,
/// and whether there are lists.
std::string_view vector_kind_name(const NewVectorIndex& settings);
/// Sets the coding, and kAutoLists or no lists, by such a name. Throws UsageError, which lists the
/// names, for another.
void set_vector_kind(std::string_view name, NewVectorIndex& settings);

/// The same of the vectors of documents (NewIndex::vectors), which are always kept beside codes.
/// Throws UsageError for codes that need lists.
vector::RowSettings row_settings(const NewVectorIndex& settings);

/// How thoroughly an index is searched.
struct VectorDepth {
  std::size_t probes = 1;      ///< lists of a query, 1 to as many as there are
  std::size_t refine = 0;      ///< codes: how many of the nearest are ranked again by their vectors
  std::size_t query_bits = 0;  ///< kBinary: of a query's component, 1 to 8; 0: as the codes, or 4
  /// kBinary without lists, with `refine`: those are ranked again too whose distance by codes is
  /// that many steps larger than the last one's.
  std::size_t extra = 0;
};

/// Told why the CPU takes over from a GPU, within the handler of the error. What it throws ends the
/// call.
using OnCpu = std::function<void(const Error&)>;

struct VectorIndexOptions {
  /// kAuto: the GPU, if there is a usable one with memory enough. Where a search fails for want of
  /// memory, that search and all later ones are the CPU's.
  Device device = Device::kCpu;
  /// None: GPU 0, with most of its free memory. Several share the vectors and the queries; one may
  /// be there more than once.
  std::vector<Gpu> gpus{};
  /// Parts into which several GPUs cut the vectors; the number of GPUs is a multiple of it. Each
  /// `shards` of them hold all vectors, and these replicas share out the queries.
  std::size_t shards = 1;
  std::size_t threads = 0;  ///< of the CPU; 0: as many as this process may run on
  VectorDepth depth{};
  OnCpu on_cpu{};  ///< of kAuto; from the thread that searches
};

/// Told of long work: its stage, how much of it is done, and of how much. What it throws ends the
/// work.
using VectorProgress =
    std::function<void(const char* stage, std::uint64_t done, std::uint64_t total)>;

/// How a caller follows long work, and ends it. The index is then as it was.
struct VectorWork {
  VectorProgress progress{};
  std::stop_token stop{};  ///< ends the work, which then throws CancelledError
};

struct VectorBuildOptions {
  /// kGpu: trains, assigns and encodes there; too little memory is an error. kAuto: the CPU does
  /// what the GPU has too little memory for. Without lists or codes the CPU does all.
  Device device = Device::kCpu;
  std::optional<Gpu> gpu{};  ///< none: GPU 0, with most of its free memory
  std::size_t threads = 0;   ///< of the CPU; 0: as many as this process may run on
  OnCpu on_cpu{};            ///< of kAuto
  VectorWork work{};
};

/// A step of a build.
struct VectorBuildStep {
  std::string name{};
  double seconds = 0;
  bool is_on_gpu = false;
};

struct VectorBuildReport {
  std::size_t vectors = 0;
  std::vector<VectorBuildStep> steps{};  ///< in their order; none without lists and codes
  /// A sentence for each thing that could not be cleared away.
  std::vector<std::string> notes{};
};

/// A change that is made, and its commit.
struct VectorChangeReport : CommitReport {
  std::size_t added = 0;
  std::size_t removed = 0;  ///< also those that were replaced
  std::size_t vectors = 0;  ///< that the index has now
  bool is_changed = true;   ///< of merge(), false: there was nothing to join
};

struct VectorSearchOptions {
  /// Answers are of these rows alone; it is of rows() rows.
  const vector::RowFilter* filter = nullptr;
  std::stop_token stop{};  ///< ends the search, which then throws CancelledError
};

/// Neighbours with the ids of their rows, which hold where row numbers do not. Of a missing place
/// the id is empty.
struct NamedNeighbors {
  vector::Neighbors neighbors{};
  std::vector<std::string> ids{};  ///< queries * k
};

/// What GPUs did in the searches since they hold the index.
struct VectorGpuFigures {
  bool is_resident = true;  ///< all that is searched lies in their memory
  /// Queries that products in half precision were made for; each once for each part that a GPU
  /// holds.
  std::uint64_t queries = 0;
  /// Of these, those whose answers the products did not settle, so that all vectors were compared.
  std::uint64_t uncertified = 0;
};

/// What an index of vectors holds.
struct VectorIndexStats {
  NewVectorIndex settings{};
  std::uint64_t commit = 0;
  std::size_t live_rows = 0;
  std::size_t removed_rows = 0;  ///< stored until a merge
  std::size_t segments = 0;
  vector::IdKind ids = vector::IdKind::kRows;
  // Vectors of a list, removed ones too, and the number of empty ones; 0 without lists.
  std::uint64_t smallest_list = 0;
  std::uint64_t largest_list = 0;
  std::uint64_t empty_lists = 0;
  struct Section {
    std::string name{};
    std::uint64_t bytes = 0;
  };
  std::vector<Section> sections{};  ///< in the order of the files
};

/// An index of vectors open for searching, from any number of threads, and for changes. Answers are
/// the same on every device, to the bit. Row numbers, in answers and in filters, hold until merge()
/// of an index with ids, or a refresh() that takes one; ids hold always. Once a change is made,
/// nothing throws: what goes wrong afterwards is among the report's notes.
class VectorIndex {
 public:
  /// Makes an index of `rows`, one after the other, in the place of one of vectors that is there.
  /// `ids` are one a row; without them rows have their numbers. Throws UsageError, InputError and
  /// IoError, and the folder is then as it was.
  static VectorBuildReport build(const std::filesystem::path& folder,
                                 const NewVectorIndex& settings, std::span<const float> rows,
                                 const vector::VectorIds& ids = {},
                                 const VectorBuildOptions& options = {});
  /// The same of the rows of a file, from where the reader stands; they may be more than memory
  /// holds. A dimension of 0 is the reader's. Its first stage of work is "reading", of rows.
  static VectorBuildReport build(const std::filesystem::path& folder,
                                 const NewVectorIndex& settings, vector::VectorReader& rows,
                                 const vector::VectorIds& ids = {},
                                 const VectorBuildOptions& options = {});

  /// Opens the last commit, and uploads it to a GPU. Throws IoError if there is no index,
  /// FormatError if it is damaged, UsageError for options out of range, CudaError, and Error for
  /// too little memory.
  explicit VectorIndex(const std::filesystem::path& folder, const VectorIndexOptions& options = {});
  ~VectorIndex();
  VectorIndex(VectorIndex&&) noexcept;
  VectorIndex& operator=(VectorIndex&&) noexcept;

  /// The k nearest of each query; queries are rows, one after the other. Throws UsageError for
  /// sizes that do not fit, CancelledError, and on a GPU CudaError, and Error for too little
  /// memory.
  vector::Neighbors search(std::span<const float> queries, std::size_t k,
                           const VectorSearchOptions& options = {}) const;
  /// The same, with ids.
  NamedNeighbors search_named(std::span<const float> queries, std::size_t k,
                              const VectorSearchOptions& options = {}) const;
  /// The same of `count` queries at a device pointer, with answers at device pointers: rows and
  /// distances of count * k places, k at most live_rows(). The work that writes the queries must
  /// have ended; returns when the answers are there. A query with a component that is not finite
  /// has distances that are not finite either. Throws UsageError unless one GPU holds an index of
  /// one segment without removed vectors, of kRows, or of kPq, with the vectors if answers are
  /// refined; else as search() does.
  void search_on_gpu(const float* queries, std::size_t count, std::size_t k, std::int32_t* rows,
                     float* distances) const;
  /// The same with row numbers of 64 bits.
  void search_on_gpu(const float* queries, std::size_t count, std::size_t k, std::int64_t* rows,
                     float* distances) const;
  /// All within a radius of each query: of a metric whose larger values are nearer, at least as
  /// near. Throws likewise.
  vector::RangeNeighbors search_radius(std::span<const float> queries, float radius,
                                       const VectorSearchOptions& options = {}) const;

  /// Adds vectors in one commit, and searches them from now on. With ids, if the index has some;
  /// `replace`: those that the index has are removed in the same commit, else they are an
  /// InputError. Nothing is trained anew. Throws UsageError, InputError and IoError.
  VectorChangeReport add(std::span<const float> rows, vector::VectorIds ids = {},
                         bool replace = false, const VectorWork& work = {});
  /// The same of the rows of a file, as build() reads them.
  VectorChangeReport add(vector::VectorReader& rows, vector::VectorIds ids = {},
                         bool replace = false, const VectorWork& work = {});
  /// Removes vectors by their ids, or by their row numbers where there are none. Throws InputError
  /// for one that is not there; nothing is removed then.
  VectorChangeReport remove(const vector::VectorIds& ids, const VectorWork& work = {});
  /// Joins all segments, without removed vectors.
  VectorChangeReport merge(const VectorWork& work = {});

  /// Takes the last commit of another writer, if it is not the one that is searched, and says
  /// whether it did.
  bool refresh();
  /// Searches the same commit with other options from now on. What GPUs hold goes first, once no
  /// search reads it. Throws as the constructor does; then the options are what they were, and the
  /// next search uploads anew.
  void set_options(const VectorIndexOptions& options);
  /// The same with another depth. What GPUs hold stays, unless answers are refined from now on.
  void set_depth(const VectorDepth& depth);
  /// Those that hold; after the CPU took over, kCpu without GPUs.
  VectorIndexOptions options() const;
  /// Where it is searched: kCpu or kGpu.
  Device device() const;
  VectorGpuFigures gpu_figures() const;

  /// As the caller named it.
  const std::filesystem::path& folder() const;
  NewVectorIndex settings() const;
  std::size_t dimension() const;
  vector::Metric metric() const;
  std::size_t rows() const;       ///< row numbers are below it
  std::size_t live_rows() const;  ///< vectors that were not removed
  std::size_t lists() const;      ///< 0 where there are none
  std::uint64_t commit() const;
  vector::IdKind id_kind() const;
  VectorIndexStats stats() const;  ///< O(lists * segments)

  /// The id of a row as text; its number where there are no ids. UsageError for one past the last.
  std::string id(std::size_t row) const;
  /// The same of several; empty for rows below 0.
  std::vector<std::string> ids(std::span<const std::int32_t> rows) const;
  /// The live row of each id, or -1 where the index has none. Numbers may be given as texts. O(rows
  /// + ids).
  std::vector<std::int64_t> find(const vector::VectorIds& ids) const;
  /// The rows that were not removed.
  vector::RowFilter live() const;
  /// The rows that have those ids; of row numbers where there are no ids. `unknown`, if it is not
  /// null, tells of ids that no vector has.
  vector::RowFilter filter_of(const vector::VectorIds& ids,
                              vector::UnknownIds* unknown = nullptr) const;
  /// Reads a filter from a file: a .npy file of bool, one a row, or ids, as for filter_of(). Throws
  /// InputError and IoError.
  vector::RowFilter read_filter(const std::string& path,
                                vector::UnknownIds* unknown = nullptr) const;

  /// Copies the dimension() components of a row. Throws UsageError for a row that is not stored.
  using CopyRow = std::function<void(std::size_t row, float* out)>;
  /// Of the vectors as they are stored; with `by_codes`, or where they were not kept, of what their
  /// codes stand for. It keeps the commit, and any number of threads may call it. Takes 4 bytes a
  /// row where vectors lie in lists. Throws UsageError where there are no codes.
  CopyRow row_copier(bool by_codes = false) const;
  /// Checks every section's checksum. `progress` gets the share done, 0 to 1. Throws FormatError,
  /// which names the damaged section, and what `progress` throws. O(index).
  void check_sections(const std::function<void(double)>& progress = {}) const;

  /// The commit itself, for the library's own use.
  std::shared_ptr<const StoredVectors> stored() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace warpdex
