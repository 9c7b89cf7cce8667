// The options of searches by words and vectors together, and the vectors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "options/options.hpp"
#include "options/search_options.hpp"
#include "warpdex/index_reader.hpp"
#include "warpdex/query/hybrid/fusion_settings.hpp"

namespace warpdex::tools {

/// The vectors of a file, row after row. Throws InputError where they have not `dimension`
/// components, and what open_vectors() does.
std::vector<float> read_query_vectors(const std::string& path, std::size_t dimension);

/// Throws InputError unless there is a vector for each query.
void check_vector_count(const std::string& path, std::size_t vectors, std::size_t queries);

/// The options --vector-queries, --vector-field, --fusion, --fusion-weight, --fusion-depth,
/// --probes and --refine.
class HybridOptions {
 public:
  void add_to(CommandLine& command);
  bool is_given() const { return !path_.empty(); }
  const std::string& path() const { return path_; }
  /// Of the schema; empty: the vectors without a name, or the only ones.
  const std::string& field() const { return field_; }
  /// Throws UsageError for options that do not go together. `has_words`: the queries have.
  void check(const CommandLine& command, const SearchOptions& search, bool has_words) const;
  /// Throws UsageError for options that are for another kind of --vector-index.
  void check(const CommandLine& command, const IndexReader& index) const;
  /// For answers of `k` documents: without --fusion-depth, each half finds as many at least. Throws
  /// UsageError for values out of range.
  FusionSettings fusion(std::uint32_t k) const;
  /// Queries without words for the vectors of the file; their ids are the numbers of the rows, from
  /// 1.
  std::vector<QueryText> numbered_queries() const;

 private:
  std::string path_;
  std::string field_;
  std::string fusion_ = "rrf";
  float weight_ = FusionSettings{}.weight;
  std::optional<std::int64_t> depth_;
  std::int64_t probes_ = FusionSettings{}.probes;
  std::int64_t refine_ = FusionSettings{}.refine;
};

/// The vectors of --vector-queries, for one batch of queries after the other.
class QueryVectors {
 public:
  /// Of options that are given. Throws UsageError if the index holds no such vectors, and what
  /// read_query_vectors() does.
  QueryVectors(const IndexReader& index, const HybridOptions& options);

  /// Throws InputError unless there are as many vectors as queries.
  void check_count(std::size_t queries) const;
  /// Those of the next queries. Throws InputError where there are too few.
  std::span<const float> next(std::size_t queries);

 private:
  std::string path_;
  std::size_t dimension_;
  std::vector<float> vectors_;
  std::size_t next_ = 0;  ///< row
};

}  // namespace warpdex::tools
