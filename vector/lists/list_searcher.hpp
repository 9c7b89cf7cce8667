// The search of lists on the CPU, for the sources of codings, which instantiate it.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "flat/search_input.hpp"
#include "lists/code_list_search.hpp"
#include "lists/probes.hpp"
#include "lists/row_list_search.hpp"
#include "lists/searchers.hpp"
#include "warpdex/core/parallel.hpp"
#include "warpdex/vector/flat/flat_searcher.hpp"
#include "warpdex/vector/lists/lists.hpp"

namespace warpdex::vector {

/// Chooses lists by exact search among the centroids, then searches them. With as many probes as
/// lists, nothing is missed that the coding would find.
template <class Coding>
class ListSearcher final : public VectorSearcher {
 public:
  ListSearcher(const Lists<Coding>& lists, std::size_t threads)
      : lists_(lists),
        metric_(metric_of(lists)),
        coarse_(lists.centroids, threads),
        threads_(threads == 0 ? default_threads() : threads) {}

  Metric metric() const override { return metric_; }
  std::size_t dimension() const override { return coarse_.dimension(); }
  std::size_t rows() const override { return lists_.rows(); }

  Neighbors nearest(std::span<const float> queries, std::size_t k,
                    const SearchOptions& options) const override {
    check_k(k, rows());
    return search(queries, options, [k](const auto& lists) { return lists.nearest(k); });
  }

  RangeNeighbors within(std::span<const float> queries, float radius,
                        const SearchOptions& options) const override {
    check_radius(radius);
    SearchOptions unrefined = options;
    unrefined.refine = 0;
    return search(queries, unrefined, [&](const auto& lists) { return lists.within(radius); });
  }

 private:
  template <class Find>
  auto search(std::span<const float> queries, const SearchOptions& options,
              const Find& find) const {
    using Search = typename Coding::ListSearch;
    check_probes(options.probes, lists_.lists());
    check_filter(options.filter, rows());
    Search::check(lists_, options);
    const PreparedQueries prepared = prepare_queries(metric_, dimension(), queries);
    const Neighbors probed = choose_lists(coarse_, prepared, dimension(), options.probes);
    return find(Search(lists_, prepared, probed, options, threads_));
  }

  Lists<Coding> lists_;
  Metric metric_;
  FlatSearcher coarse_;
  std::size_t threads_;
};

template <class Coding>
std::unique_ptr<VectorSearcher> make_cpu_searcher(const Lists<Coding>& lists, std::size_t threads) {
  return std::make_unique<ListSearcher<Coding>>(lists, threads);
}

}  // namespace warpdex::vector
