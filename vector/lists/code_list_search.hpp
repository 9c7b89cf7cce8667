// The search of lists by codes, whatever the codes are: query by query, so that what a query's
// codes are compared with stays in a core's cache while they pass by.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "flat/canonical_distances.hpp"
#include "flat/nearest_keys.hpp"
#include "flat/run_tasks.hpp"
#include "flat/search_input.hpp"
#include "lists/probes.hpp"
#include "warpdex/vector/lists/lists.hpp"
#include "warpdex/vector/neighbors.hpp"

namespace warpdex::vector {

/// The ascending() distance of a query, which is prepared, to the centroid of a list.
inline float centroid_distance(const FlatVectors& centroids, Metric metric, const float* query,
                               std::size_t list) {
  FlatVectors compared = centroids;
  compared.metric = metric;
  float value;
  CanonicalDistances(compared, distance_kernels()).distances(query, list, 1, &value);
  return value;
}

/// A search of lists of codes. Of a query, Coding::ListScan(lists, options, query) is what its
/// codes are compared with: scan(lists, limit, add) computes the order_key() of the vectors of some
/// lists
/// (-1: none) that the filter allows, and calls add(key) for those that are not above limit(),
/// which may fall. If it has take_groups(first, last), threads share the groups of a single list:
/// then only those of each list are scanned.
template <class Coding>
class CodeListSearch {
 public:
  /// Throws UsageError for options that the coding does not have, and for refining where the
  /// vectors were not kept.
  static void check(const Lists<Coding>& lists, const SearchOptions& options) {
    check_refine(lists.keeps_vectors(), options.refine);
    Coding::ListScan::check(lists, options);
  }

  CodeListSearch(const Lists<Coding>& lists, const PreparedQueries& prepared,
                 const Neighbors& probed, const SearchOptions& options, std::size_t threads)
      : lists_(lists), prepared_(prepared), probed_(probed), options_(options), threads_(threads) {}

  /// The k nearest. If options.refine is not 0, they are chosen among max(k, refine) by their
  /// vectors.
  Neighbors nearest(std::size_t k) const {
    const std::size_t candidates = std::min(std::max(k, options_.refine), lists_.rows());
    std::vector<Keys> found = search_lists([&](const auto& scan, const ListNumbers& lists) {
      NearestKeys keys(candidates, lists_.rows());
      scan.scan(
          lists, [&] { return keys.limit(); }, [&](std::uint64_t key) { keys.add(key); });
      return keys.take();
    });
    Neighbors result = make_neighbors(lists_.metric, prepared_.count, k);
    run_tasks(threads_, prepared_.count, [&](std::size_t q) {
      keep_nearest(found[q], candidates);
      if (options_.refine > 0) rescore_keys(lists_.vectors, prepared_.query(q), found[q]);
      keep_nearest(found[q], k);
      set_answers(lists_.metric, q, found[q], result);
    });
    return result;
  }

  /// All within a radius.
  RangeNeighbors within(float radius) const {
    const std::uint64_t limit = order_key(ascending(lists_.metric, radius), ~std::uint32_t{0});
    std::vector<Keys> found = search_lists([&](const auto& scan, const ListNumbers& lists) {
      Keys keys;
      scan.scan(
          lists, [&] { return limit; }, [&](std::uint64_t key) { keys.push_back(key); });
      return keys;
    });
    return range_of(lists_.metric, found);
  }

 private:
  static constexpr bool kTakesGroups = requires(typename Coding::ListScan scan) {
    scan.take_groups(0, 0);
  };
  using Keys = std::vector<std::uint64_t>;
  using ListNumbers = std::span<const std::int32_t>;

  /// Vectors that a task scans are no fewer than this on average, unless there are no more.
  static constexpr std::size_t kMinTaskVectors = 16'384;
  /// Tasks for each thread, so that none waits long for the last.
  static constexpr std::size_t kTasksPerThread = 4;

  /// Whether groups are shared, not lists.
  bool shares_groups() const { return kTakesGroups && lists_.lists() == 1; }

  /// Into how many slices the lists of each query are cut: 1 where there are queries enough.
  std::size_t count_slices() const {
    const std::size_t queries = prepared_.count;
    if (threads_ == 1 || queries == 0) return 1;
    const std::size_t wanted = (threads_ * kTasksPerThread + queries - 1) / queries;
    const std::size_t scanned = lists_.rows() / lists_.lists() * probed_.k;
    const std::size_t parts = shares_groups() ? lists_.group_begins.back() : probed_.k;
    return std::min({wanted, parts, scanned / kMinTaskVectors + 1});
  }

  /// Calls take(scan, lists) for the lists of each query, nearest first, and returns the keys that
  /// it gives: those of each query, from all its slices.
  template <class Take>
  std::vector<Keys> search_lists(const Take& take) const {
    const std::size_t slices = count_slices();
    std::vector<Keys> found(prepared_.count * slices);
    run_tasks(threads_, found.size(), [&](std::size_t item) {
      const std::size_t query = item / slices;
      const std::size_t parts = shares_groups() ? lists_.group_begins.back() : probed_.k;
      const std::size_t first = item % slices * parts / slices;
      const std::size_t last = (item % slices + 1) * parts / slices;
      typename Coding::ListScan scan(lists_, options_, prepared_.query(query));
      const ListNumbers probed = ListNumbers(probed_.rows).subspan(query * probed_.k, probed_.k);
      if constexpr (kTakesGroups) {
        if (shares_groups()) {
          scan.take_groups(first, last);
          found[item] = take(scan, probed);
          return;
        }
      }
      found[item] = take(scan, probed.subspan(first, last - first));
    });
    if (slices == 1) return found;
    std::vector<Keys> joined(prepared_.count);
    for (std::size_t item = 0; item < found.size(); ++item) {
      Keys& keys = joined[item / slices];
      keys.insert(keys.end(), found[item].begin(), found[item].end());
    }
    return joined;
  }

  const Lists<Coding>& lists_;
  const PreparedQueries& prepared_;
  const Neighbors& probed_;
  const SearchOptions& options_;
  std::size_t threads_;
};

}  // namespace warpdex::vector
