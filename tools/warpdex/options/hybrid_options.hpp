// Searches by words and vectors together: their options, and how they are answered.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "options/options.hpp"
#include "search/search_engine.hpp"
#include "options/search_options.hpp"
#include "warpdex/query/hybrid/hybrid_searcher.hpp"

namespace warpdex::tools {

/// The vectors of a file, row after row. Throws InputError where they have not `dimension`
/// components, and what open_vectors() does.
std::vector<float> read_query_vectors(const std::string& path, std::size_t dimension);

/// Throws InputError unless there is a vector for each query.
void check_vector_count(const std::string& path, std::size_t vectors, std::size_t queries);

/// The options --vector-queries, --fusion, --fusion-weight and --fusion-depth.
class HybridOptions {
 public:
  void add_to(CommandLine& command);
  bool is_given() const { return !path_.empty(); }
  const std::string& path() const { return path_; }
  /// Throws UsageError for options that do not go together. `has_words`: the queries have.
  void check(const CommandLine& command, const SearchOptions& search, bool has_words) const;
  /// For answers of `k` documents: without --fusion-depth, each half finds as many at least. Throws
  /// UsageError for values out of range.
  FusionSettings fusion(std::uint32_t k) const;
  /// Queries without words for the vectors of the file; their ids are the numbers of the rows, from
  /// 1.
  std::vector<QueryText> numbered_queries() const;

 private:
  std::string path_;
  std::string fusion_ = "rrf";
  float weight_ = FusionSettings{}.weight;
  std::optional<std::int64_t> depth_;
};

/// Answers queries one batch after the other, each with the next vectors of the file.
class HybridSearch {
 public:
  /// Without --vector-queries, is_asked() is false. `engine` answers the text half. If `gpu` is not
  /// null, it holds the vectors and the GPU searches them. All arguments must outlive this. Throws
  /// UsageError if the index holds no vectors, and what read_query_vectors() does.
  HybridSearch(const Snapshot& snapshot, const HybridOptions& options, SearchEngine& engine,
               const SearchSettings& settings, std::size_t threads, const UploadedIndex* gpu);

  bool is_asked() const { return searcher_.has_value(); }
  /// Throws InputError unless there are as many vectors as queries. `have_words`: whether queries
  /// have words; without, their vectors alone are searched for.
  void check_count(std::size_t queries, bool have_words);
  std::vector<SearchResult> search(std::span<const Query> queries);
  /// Whether the scores of answers are distances. After check_count().
  bool scores_are_distances() const;

 private:
  SearchSettings settings_;
  FusionSettings fusion_;
  vector::Metric metric_ = vector::Metric::kL2;
  std::string path_;
  bool have_words_ = true;
  std::size_t dimension_ = 0;
  std::vector<float> vectors_;
  std::size_t next_ = 0;  ///< row
  std::optional<HybridSearcher> searcher_;
};

}  // namespace warpdex::tools
