// Reads vectors of queries and hands them to the searcher.
#include "options/hybrid_options.hpp"

#include <algorithm>
#include <utility>

#include "output/text.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/vector/data/vector_reader.hpp"

namespace warpdex::tools {

std::vector<float> read_query_vectors(const std::string& path, std::size_t dimension) {
  const auto file = vector::open_vectors(path, vector::Role::kQueries);
  if (file->dimension() != dimension) {
    throw InputError("the vectors of '" + path + "' have " + std::to_string(file->dimension()) +
                     " components, and those of the index have " + std::to_string(dimension) +
                     "; give vectors of the same model");
  }
  std::vector<float> vectors(file->rows() * dimension);
  for (std::size_t rows = 0; rows < file->rows();) {
    rows += file->read(file->rows() - rows, vectors.data() + rows * dimension);
  }
  return vectors;
}

void check_vector_count(const std::string& path, std::size_t vectors, std::size_t queries) {
  if (vectors == queries) return;
  throw InputError("there are not as many vectors as queries: '" + path + "' has " +
                   counted(vectors, "vector") + " for " + counted(queries, "query") +
                   "; give one for each query, in their order");
}

void HybridOptions::add_to(CommandLine& command) {
  po::options_description group = option_group("Vectors");
  group.add_options()(
      "vector-queries", po::value(&path_)->value_name("FILE"),
      "a vector for each query, in their order, for an index built with vectors: a file of "
      "'warpdex vector', such as .npy or .fvecs. Without words, the nearest documents are found; "
      "queries are then named by their rows, from 1")(
      "vector-field", po::value(&field_)->value_name("NAME"),
      "the vectors of documents that they are compared with, a field of 'index --schema'. Default: "
      "those of --vectors, or the only ones")(
      "fusion", po::value(&fusion_)->value_name("HOW")->default_value(fusion_),
      "rrf: reciprocal rank fusion; convex: the scores of both halves, each from 0 to 1, added up; "
      "rerank: the best by words, ranked anew by vectors; filter: the nearest of all documents "
      "that the words match (as --mode says); neighbors: the best by words among the nearest")(
      "fusion-weight", po::value(&weight_)->value_name("W")->default_value(weight_, "0.5"),
      "rrf, convex: weight of the words, 0 to 1; 'warpdex tune' finds a good one")(
      "fusion-depth",
      po::value<std::int64_t>()->value_name("N")->notifier([this](std::int64_t n) { depth_ = n; }),
      "documents that each half finds, 1 to 10000 (by default 1000, or as many as -k says if that "
      "is more); with fewer than -k, an answer may have fewer, too")(
      "probes", po::value(&probes_)->value_name("N")->default_value(probes_),
      "of an index built with --vector-index: lists that a query probes, the nearest ones; at most "
      "all")("refine", po::value(&refine_)->value_name("N")->default_value(refine_),
             "likewise, of codes: rank the N best, or all that are looked for if that is more, "
             "anew by their exact distances; 0: none");
  command.add(group);
}

void HybridOptions::check(const CommandLine& command, const SearchOptions& search,
                          bool has_words) const {
  const auto refuse_fusion = [&](const char* why) {
    for (const char* option : {"fusion", "fusion-weight", "fusion-depth"}) {
      if (command.given(option)) {
        throw UsageError("--" + std::string(option) + " " + why + ", or leave it out");
      }
    }
  };
  if (!is_given()) {
    for (const char* option : {"vector-field", "probes", "refine"}) {
      if (!command.given(option)) continue;
      throw UsageError("--" + std::string(option) +
                       " is for --vector-queries; add that, or leave it out");
    }
    return refuse_fusion("is for --vector-queries; add that");
  }
  const Fusion way = fusion(search.settings().k).fusion;
  if (!has_words) refuse_fusion("joins words and vectors; give --queries or words, too");
  if (command.given("fusion-weight") && way != Fusion::kReciprocalRank && way != Fusion::kConvex) {
    throw UsageError("--fusion-weight is for rrf and convex; leave it out");
  }
  if (command.given("fusion-depth") && way == Fusion::kFilter) {
    throw UsageError("--fusion filter looks at all that the words match; leave --fusion-depth out");
  }
  for (const char* option : {"probes", "refine"}) {
    if (!has_words || !command.given(option)) continue;
    if (way != Fusion::kRerank && way != Fusion::kFilter) continue;
    throw UsageError("--fusion rerank and filter compare all vectors that they look at; leave --" +
                     std::string(option) + " out");
  }
  if (search.skips_bad_queries()) {
    throw UsageError(
        "--on-bad-query skip would part queries from their vectors; mend the queries, "
        "or leave it out");
  }
  if (search.settings().count) {
    throw UsageError("--count is for words alone; leave it or --vector-queries out");
  }
}

FusionSettings HybridOptions::fusion(std::uint32_t k) const {
  const std::int64_t usual = std::max(FusionSettings{}.depth, k);
  FusionSettings settings{fusion_from_name(fusion_), weight_,
                          checked_number("--fusion-depth", depth_.value_or(usual), 1, kMaxK),
                          checked_number("--probes", probes_, 1),
                          checked_number("--refine", refine_, 0, vector::kMaxRows)};
  if (!(weight_ >= 0 && weight_ <= 1)) {
    throw UsageError("--fusion-weight is the weight of the words; give a number from 0 to 1");
  }
  return settings;
}

void HybridOptions::check(const CommandLine& command, const IndexReader& index) const {
  if (!is_given()) return;
  const std::string kind = index.vector_settings(field_).index.kind;
  const auto refuse = [&](const char* option, const char* what) {
    if (!command.given(option)) return;
    throw UsageError("'" + index.folder().string() + "' has no " + what +
                     ": it was built with --vector-index " + kind + "; leave --" + option + " out");
  };
  if (!kind.starts_with("ivf-")) refuse("probes", "lists to probe");
  if (kind == "flat" || kind == "ivf-flat") refuse("refine", "codes, so distances are exact");
}

std::vector<QueryText> HybridOptions::numbered_queries() const {
  const std::uint64_t rows = vector::open_vectors(path_, vector::Role::kQueries)->rows();
  std::vector<QueryText> queries(rows);
  for (std::uint64_t i = 0; i < rows; ++i) queries[i].id = std::to_string(i + 1);
  return queries;
}

QueryVectors::QueryVectors(const IndexReader& index, const HybridOptions& options)
    : path_(options.path()),
      dimension_(index.vector_settings(options.field()).dimension),
      vectors_(read_query_vectors(path_, dimension_)) {}

void QueryVectors::check_count(std::size_t queries) const {
  check_vector_count(path_, vectors_.size() / dimension_, queries);
}

std::span<const float> QueryVectors::next(std::size_t queries) {
  if (next_ + queries > vectors_.size() / dimension_) check_count(next_ + queries);
  const std::size_t first = std::exchange(next_, next_ + queries);
  return std::span<const float>(vectors_).subspan(first * dimension_, queries * dimension_);
}

}  // namespace warpdex::tools
