// Cuts a search into blocks of queries times slices of rows, and joins what was found.
#include <algorithm>
#include <array>

#include "binary/candidate_keys.hpp"
#include "binary/check_depth.hpp"
#include "binary/query_code.hpp"
#include "binary/searchers.hpp"
#include "flat/run_tasks.hpp"
#include "flat/search_input.hpp"
#include "pq/code_groups.hpp"
#include "warpdex/core/parallel.hpp"

namespace warpdex::vector {
namespace {

/// Groups whose codes stay in a core's cache while the queries of a block meet them.
constexpr std::size_t kChunkGroups = 32;
constexpr std::size_t kBlockQueries = 16;
/// Groups of a task are no fewer than this, unless there are no more.
constexpr std::size_t kMinTaskGroups = 256;
/// Tasks for each thread, so that none waits long for the last.
constexpr std::size_t kCodeTasksPerThread = 4;

using CodeKeys = std::vector<std::uint64_t>;

std::size_t divide_up(std::size_t a, std::size_t b) { return (a + b - 1) / b; }

/// Offers the rows of some groups to what a query keeps.
class GroupScan {
 public:
  GroupScan(const BinaryVectors& vectors, std::size_t query_bits, const RowFilter* filter)
      : vectors_(vectors),
        shape_(code_shape(vectors.quantizer, query_bits)),
        layout_{vectors.quantizer.code_bytes()},
        filter_(filter) {}

  template <class Kept>
  void scan(const QueryCode& query, std::size_t first_group, std::size_t groups, Kept& kept) {
    code_kernels().xor_distances(vectors_.codes.data() + first_group * layout_.group_bytes(),
                                 groups, shape_, query.words.data(), distances_.data());
    const std::size_t first = first_group * kGroupVectors;
    const std::size_t count = std::min(groups * kGroupVectors, vectors_.rows - first);
    if (vectors_.metric == Metric::kL2) {
      set_values<true>(query, first, count);
    } else {
      set_values<false>(query, first, count);
    }
    // A limit that was not set is NaN, which excludes nothing.
    for (std::size_t i = 0; i < count; ++i) {
      if (values_[i] > key_value(kept.limit())) continue;
      if (filter_ != nullptr && !filter_->contains(first + i)) continue;
      const std::uint64_t key = order_key(values_[i], static_cast<std::uint32_t>(first + i));
      if (key <= kept.limit()) kept.add(key);
    }
  }

 private:
  /// The distances of rows from those of their codes.
  template <bool kIsL2>
  void set_values(const QueryCode& query, std::size_t first, std::size_t count) {
    const bool has_terms = kIsL2 || !vectors_.terms.empty();
    for (std::size_t i = 0; i < count; ++i) {
      float term = has_terms ? vectors_.terms[first + i] : 0.0F;
      if (!kIsL2) term *= query.share;
      const float factor = vectors_.factors.empty() ? 1.0F : vectors_.factors[first + i];
      values_[i] = code_distance(query, query.base, kIsL2, distances_[i], term, factor);
    }
  }

  const BinaryVectors& vectors_;
  CodeShape shape_;
  CodeGroups layout_;
  const RowFilter* filter_;
  std::array<std::uint32_t, kChunkGroups * kGroupVectors> distances_;
  std::array<float, kChunkGroups * kGroupVectors> values_;
};

/// What a range search keeps: all.
class CodeKeysWithin {
 public:
  explicit CodeKeysWithin(std::uint64_t limit) : limit_(limit) {}
  std::uint64_t limit() const { return limit_; }
  void add(std::uint64_t key) { keys_.push_back(key); }
  CodeKeys take() { return std::move(keys_); }

 private:
  std::uint64_t limit_;
  CodeKeys keys_;
};

std::vector<QueryCode> encode_queries(const BinaryVectors& vectors, std::size_t query_bits,
                                      const PreparedQueries& prepared, std::size_t threads) {
  std::vector<QueryCode> codes(prepared.count);
  run_tasks(threads, prepared.count, [&](std::size_t q) {
    codes[q] = encode_query(vectors, query_bits, prepared.query(q));
  });
  return codes;
}

/// What make(query code) keeps of all rows, for each query, joined of all slices.
template <class Make>
std::vector<CodeKeys> scan_all(const BinaryVectors& vectors, std::size_t query_bits,
                               const RowFilter* filter, const std::vector<QueryCode>& queries,
                               std::size_t threads, const Make& make) {
  const std::size_t groups = groups_of(vectors.rows);
  const std::size_t blocks = divide_up(queries.size(), kBlockQueries);
  const std::size_t wanted =
      divide_up(threads * kCodeTasksPerThread, std::max<std::size_t>(1, blocks));
  const std::size_t slices =
      threads == 1
          ? 1
          : std::clamp<std::size_t>(wanted, 1, std::max<std::size_t>(1, groups / kMinTaskGroups));
  std::vector<std::vector<CodeKeys>> found(slices, std::vector<CodeKeys>(queries.size()));
  run_tasks(threads, blocks * slices, [&](std::size_t item) {
    const std::size_t slice = item % slices;
    const std::size_t begin = item / slices * kBlockQueries;
    const std::size_t end = std::min(queries.size(), begin + kBlockQueries);
    const std::size_t last = groups * (slice + 1) / slices;
    std::vector<std::invoke_result_t<Make, const QueryCode&>> kept;
    for (std::size_t q = begin; q < end; ++q) kept.push_back(make(queries[q]));
    GroupScan scan(vectors, query_bits, filter);
    for (std::size_t group = groups * slice / slices; group < last; group += kChunkGroups) {
      for (std::size_t q = begin; q < end; ++q) {
        scan.scan(queries[q], group, std::min(kChunkGroups, last - group), kept[q - begin]);
      }
    }
    for (std::size_t q = begin; q < end; ++q) found[slice][q] = kept[q - begin].take();
  });
  std::vector<CodeKeys> joined = std::move(found.front());
  for (std::size_t slice = 1; slice < slices; ++slice) {
    for (std::size_t q = 0; q < joined.size(); ++q) {
      joined[q].insert(joined[q].end(), found[slice][q].begin(), found[slice][q].end());
    }
  }
  return joined;
}

class BinarySearcher final : public VectorSearcher {
 public:
  BinarySearcher(const BinaryVectors& vectors, std::size_t threads)
      : vectors_(vectors), threads_(threads == 0 ? default_threads() : threads) {}

  Metric metric() const override { return vectors_.metric; }
  std::size_t dimension() const override { return vectors_.quantizer.dimension; }
  std::size_t rows() const override { return vectors_.rows; }

  /// O(queries * rows * code_words() * query bits).
  Neighbors nearest(std::span<const float> queries, std::size_t k,
                    const SearchOptions& options) const override;
  RangeNeighbors within(std::span<const float> queries, float radius,
                        const SearchOptions& options) const override;

 private:
  BinaryVectors vectors_;
  std::size_t threads_;
};

Neighbors BinarySearcher::nearest(std::span<const float> queries, std::size_t k,
                                  const SearchOptions& options) const {
  check_k(k, vectors_.rows);
  check_filter(options.filter, vectors_.rows);
  const std::size_t query_bits = check_depth(vectors_, options);
  const PreparedQueries prepared = prepare_queries(metric(), dimension(), queries);
  const std::vector<QueryCode> codes = encode_queries(vectors_, query_bits, prepared, threads_);
  const std::size_t candidates = candidate_count(options, k, vectors_.rows);
  std::vector<CodeKeys> found =
      scan_all(vectors_, query_bits, options.filter, codes, threads_, [&](const QueryCode& query) {
        return CandidateKeys(candidates, candidate_margin(options, query));
      });
  Neighbors result = make_neighbors(metric(), prepared.count, k);
  run_tasks(threads_, prepared.count, [&](std::size_t q) {
    CandidateKeys kept(candidates, candidate_margin(options, codes[q]));
    for (const std::uint64_t key : found[q]) kept.add(key);
    found[q] = kept.take();
    if (options.refine > 0) rescore_keys(vectors_.vectors, prepared.query(q), found[q]);
    keep_nearest(found[q], k);
    set_answers(metric(), q, found[q], result);
  });
  return result;
}

RangeNeighbors BinarySearcher::within(std::span<const float> queries, float radius,
                                      const SearchOptions& options) const {
  check_radius(radius);
  check_filter(options.filter, vectors_.rows);
  const std::size_t query_bits = check_depth(vectors_, options);
  const PreparedQueries prepared = prepare_queries(metric(), dimension(), queries);
  const std::vector<QueryCode> codes = encode_queries(vectors_, query_bits, prepared, threads_);
  const std::uint64_t limit = order_key(ascending(metric(), radius), ~std::uint32_t{0});
  std::vector<CodeKeys> found = scan_all(vectors_, query_bits, options.filter, codes, threads_,
                                         [&](const QueryCode&) { return CodeKeysWithin(limit); });
  return range_of(metric(), found);
}

}  // namespace

std::unique_ptr<VectorSearcher> make_cpu_searcher(const BinaryVectors& codes, std::size_t threads) {
  return std::make_unique<BinarySearcher>(codes, threads);
}

}  // namespace warpdex::vector
