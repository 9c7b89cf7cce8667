#include "term_search.hpp"

#include <nanobind/stl/optional.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "answers.hpp"
#include "options.hpp"
#include "searcher.hpp"
#include "warpdex/index_reader.hpp"

namespace warpdex::python {
namespace {

/// A term as an index with several text fields has it, of "title:old".
std::string term_of_field(const IndexReader& index, std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon != text.npos) return index.term_in(text.substr(0, colon), text.substr(colon + 1));
  throw UsageError(
      "the term '" + std::string(text) +
      "' names no field; the index has several: write it as 'title:" + std::string(text) + "'");
}

/// Of fields that are searched as one text, a query is for OR: its signs say what must be there.
void read_mode(QueryMode mode, Query& query) {
  if (mode == QueryMode::kOr) return;
  if (mode == QueryMode::kAndOr) query.or_else = std::make_shared<const Query>(query);
  for (QueryTerm& term : query.terms) term.occur = Occur::kMust;
}

/// The terms of a dict {term: weight}. Weights of 0 are left out.
Query query_of_weights(nb::handle weights) {
  if (!PyDict_Check(weights.ptr())) {
    throw nb::type_error(
        ("a query must be a dict of terms and weights, not " + name_of_type(weights)).c_str());
  }
  Query query;
  for (const auto [key, value] : nb::borrow<nb::dict>(weights)) {
    const std::string term(text_of(key, "a term"));
    const double weight = number_of(value, "the weight of the term '" + term + "'");
    if (weight == 0) continue;
    if (!(weight >= kMinQueryWeight && weight <= kMaxQueryWeight)) {
      throw InputError("the weight of the term '" + term + "' is " + std::to_string(weight) +
                       "; give 0, or a number from 1e-9 to 1e9");
    }
    query.terms.push_back({.term = term, .weight = static_cast<float>(weight)});
  }
  if (query.terms.size() > QueryLimits{}.terms) {
    throw InputError("a query has " + std::to_string(query.terms.size()) + " terms; give at most " +
                     std::to_string(QueryLimits{}.terms));
  }
  return query;
}

/// `queries` is a list of dicts {term: weight}, `vectors` has a row for each. `progress` is None or
/// called with the number of queries answered since the last call. Returns a Hits for each query.
nb::list search_terms(const TextSearcher& of, nb::handle queries,
                      const std::optional<FloatRows>& vectors, nb::handle k, std::size_t threads,
                      nb::handle progress, const nb::dict& keywords) {
  SearchOptions options = search_options(whole_of(k, "k", 1, kMostDocuments), keywords);
  options.threads = threads;
  options.on_progress = search_watch(progress);
  std::vector<Query> asked;
  for (const nb::handle weights : nb::borrow<nb::list>(queries)) {
    asked.push_back(query_of_weights(weights));
  }
  const Searcher& searcher = of.searcher();
  const IndexReader index(searcher);
  if (text_names_of(index.settings().schema).size() > 1) {
    for (Query& query : asked) {
      for (QueryTerm& term : query.terms) term.term = term_of_field(index, term.term);
      read_mode(options.mode, query);
    }
  }
  std::vector<Answer> answers;
  {
    const nb::gil_scoped_release no_gil;
    answers =
        searcher.search(asked, vectors ? components(*vectors) : std::span<const float>(), options);
  }
  nb::list hits;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    hits.append(nb::cast(Hits(std::make_shared<const Found>(
        Found{std::move(asked[i]), std::move(answers[i]), options.scorer, !vectors}))));
  }
  return hits;
}

}  // namespace

void bind_term_search(nb::module_& module) {
  module.def("search_terms", &search_terms, nb::arg("searcher"), nb::arg("queries"),
             nb::arg("vectors").none(), nb::arg("k"), nb::arg("threads"),
             nb::arg("progress").none(), nb::arg("options"));
}

}  // namespace warpdex::python
