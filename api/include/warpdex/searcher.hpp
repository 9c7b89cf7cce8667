// Searches an index of documents.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "warpdex/answer.hpp"
#include "warpdex/gpu.hpp"
#include "warpdex/query/query.hpp"
#include "warpdex/search_options.hpp"

namespace warpdex {

class Snapshot;
struct TermStatistics;

struct SearcherOptions {
  Device device = Device::kCpu;
  /// The GPUs with their budgets; none: GPU 0, with most of its free memory. Several share the
  /// index and the queries; one may be there more than once. Not read by kCpu.
  std::vector<Gpu> gpus{};
  /// Parts, of whole segments, into which several GPUs cut the index; the number of GPUs is a
  /// multiple of it. Each `shards` of them hold the whole index, and these replicas share out the
  /// queries.
  std::size_t shards = 1;
  std::size_t threads = 0;  ///< of the CPU; 0: as many as this process may run on
  /// Holds an index of impacts in memory once more, by blocks of documents (DocumentBlocks): OR
  /// over many terms, as of learned weights, is two to three times as fast on the CPU, and with
  /// kGpu on GPUs that are no shards, if the index was reordered. GPUs hold them as well.
  bool document_blocks = false;
  /// Above 0: looks for a new commit this often, on a thread of its own, and takes it.
  std::chrono::milliseconds follow{0};
};

/// An index open for searching: one segment or many, with vectors or without. Searches may come
/// from any number of threads, and each is answered by one commit. Answers are the same on every
/// device, to the bit.
class Searcher {
 public:
  /// Opens the last commit. On a GPU its checksums are checked and it is uploaded. Throws IoError
  /// if there is no index, FormatError if it is damaged, CudaError where kGpu finds no usable GPU,
  /// UsageError where the budget does not hold what every query needs, and for shards that the
  /// index or the GPUs cannot be cut into.
  explicit Searcher(const std::filesystem::path& folder, const SearcherOptions& options = {});
  ~Searcher();
  Searcher(Searcher&&) noexcept;
  Searcher& operator=(Searcher&&) noexcept;

  /// Throws InputError for a text that cannot be analysed, UsageError for options out of range, for
  /// fields that are not stored and for vectors where there are none, CancelledError.
  Answer search(std::string_view text, const SearchOptions& options = {}) const;
  Answer search(const SearchRequest& request, const SearchOptions& options = {}) const;
  /// All at once, which a GPU and several threads do faster than one by one. Either all requests
  /// have vectors or none. In their order.
  std::vector<Answer> search(std::span<const SearchRequest> requests,
                             const SearchOptions& options = {}) const;
  /// Of queries whose terms are known. Row i of `vectors` belongs to query i; empty: words alone.
  std::vector<Answer> search(std::span<const Query> queries, std::span<const float> vectors = {},
                             const SearchOptions& options = {}) const;

  /// Answers thousands of texts at once, each with a vector (`vectors`, row after row) or all
  /// without; without texts, by vectors alone. Texts are analysed on all threads, and answers are
  /// arrays. An InputError
  /// names a text by its place, from 0. SearchOptions' fields, explain, count, sort, search_after
  /// and facets are refused (UsageError).
  BatchAnswer search_batch(std::span<const std::string_view> texts,
                           std::span<const float> vectors = {},
                           const SearchOptions& options = {}) const;

  /// The documents that a tree matches; its terms are scored as words are. What terms with signs
  /// ask as well is answered on the searcher's device, other trees on the CPU. Throws InputError
  /// for a field that the index has not, for a phrase where it has no positions, and as
  /// check_query_tree().
  Answer search_tree(const QueryNode& tree, const SearchOptions& options = {}) const;

  /// A tree's question, for search(). Throws as search_tree().
  Query parse_tree(const QueryNode& tree, const SearchedFields& fields = {}) const;

  /// The terms that a text stands for. `mode` is read by kLucene, and of an index with several text
  /// fields. Words that name no field search `fields`.
  Query parse(std::string_view text, QuerySyntax syntax = QuerySyntax::kSigned,
              std::string_view id = {}, QueryMode mode = QueryMode::kOr,
              const SearchedFields& fields = {}) const;

  /// IndexReader::suggest() of the commit that is searched now.
  std::vector<TermStatistics> suggest(std::string_view prefix, std::size_t count = 10,
                                      std::string_view field = {}) const;

  /// Takes the last commit, if it is not the one that is searched, and says whether it did. A GPU
  /// gets only what is new. Searches under way end on the commit that they began with. Throws as
  /// the constructor does, with kAuto also for errors of the GPU; the searcher then stays as it
  /// was.
  bool refresh();

  /// Another searcher of the commit that is searched now, which shares all memory with this one and
  /// does not follow: for several calls that are to see one commit. O(1).
  Searcher at_this_commit() const;

  /// The number of the commit that is searched now.
  std::uint64_t commit() const;
  /// Its live documents.
  std::uint64_t documents() const;
  /// The commit itself, for the library's own programs; others take IndexReader.
  Snapshot snapshot() const;
  /// kCpu where kAuto found no GPU.
  Device device() const;
  /// Why kAuto found no usable GPU, what the last look for a commit ran into, or that the GPU's
  /// memory does not hold the vectors; else empty.
  std::string problem() const;

 private:
  struct State;
  explicit Searcher(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace warpdex
