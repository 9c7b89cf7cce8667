#include "answers.hpp"

#include <cstdint>
#include <fstream>

#include "warpdex/query/evaluation/trec_run.hpp"
#include "warpdex/query/explanation.hpp"

namespace warpdex::python {
namespace {

/// As Python counts, from the end where it is negative. Throws IndexError.
std::size_t place_of(Py_ssize_t index, std::size_t size) {
  const auto length = static_cast<Py_ssize_t>(size);
  if (index < 0) index += length;
  if (index < 0 || index >= length) throw nb::index_error("there is nothing at this place");
  return static_cast<std::size_t>(index);
}

nb::dict fields_of(const Hit& hit) { return fields_dict(hit.get().fields()); }

nb::dict snippets_of(const Hit& hit) { return snippets_dict(hit.get().fields()); }

/// (from, to, documents), with None for no limit.
nb::list ranges_of(const Facet& facet) {
  nb::list ranges;
  const auto limit = [](const std::string& text) {
    return text.empty() ? nb::object(nb::none()) : nb::object(to_str(text));
  };
  for (const auto& [range, documents] : facet.ranges) {
    ranges.append(nb::make_tuple(limit(range.from), limit(range.to), documents));
  }
  return ranges;
}

}  // namespace

nb::dict fields_dict(const std::vector<ShownField>& shown) {
  nb::dict fields;
  for (const ShownField& field : shown) fields[to_str(field.name)] = to_str(field.text);
  return fields;
}

nb::dict snippets_dict(const std::vector<ShownField>& shown) {
  nb::dict snippets;
  for (const ShownField& field : shown) {
    if (field.snippet) snippets[to_str(field.name)] = to_str(*field.snippet);
  }
  return snippets;
}

nb::dict facets_dict(const std::vector<Facet>& of_answer) {
  nb::dict facets;
  for (const Facet& facet : of_answer) {
    nb::list top;
    for (const FacetCount& count : facet.top) {
      top.append(nb::make_tuple(to_str(count.value), count.documents));
    }
    nb::dict of_column;
    of_column["documents"] = facet.documents;
    of_column["values"] = facet.values;
    of_column["distinct"] = facet.distinct;
    of_column["min"] = facet.min;
    of_column["max"] = facet.max;
    of_column["sum"] = facet.sum;
    of_column["top"] = top;
    if (!facet.ranges.empty()) of_column["ranges"] = ranges_of(facet);
    facets[to_str(facet.column)] = of_column;
  }
  return facets;
}

namespace {

nb::str repr_of(const Hit& hit) {
  return nb::str("Hit(id={!r}, score={!r})").format(to_str(hit.get().id()), hit.get().score());
}

/// `count` hits from `rank` on, each `step` behind the one before.
nb::list hits_of(const Hits& of, std::size_t rank, Py_ssize_t step, std::size_t count) {
  nb::list hits;
  for (; count > 0; --count, rank += static_cast<std::size_t>(step)) hits.append(Hit(of, rank));
  return hits;
}

nb::list ids_of(const Answer& answer) {
  nb::list ids;
  for (const AnswerHit hit : answer) ids.append(to_str(hit.id()));
  return ids;
}

void bind_explanation(nb::module_& module) {
  nb::class_<TermExplanation>(module, "TermExplanation",
                              "A term of the query that the document has, and its share of the "
                              "score.")
      .def_prop_ro(
          "term", [](const TermExplanation& of) { return to_str(of.term); },
          "As the index's analyzer makes it.")
      .def_prop_ro(
          "field", [](const TermExplanation& of) { return to_str(of.field); },
          "The text field that it is in; empty where there is one.")
      .def_ro("weight", &TermExplanation::weight, "In the query.")
      .def_ro("frequency", &TermExplanation::frequency, "In the document.")
      .def_ro("document_frequency", &TermExplanation::document_frequency, "Documents that have it.")
      .def_ro("collection_frequency", &TermExplanation::collection_frequency,
              "Its occurrences in all documents.")
      .def_ro("score", &TermExplanation::score, "What it adds.");
  nb::class_<ClauseExplanation>(module, "ClauseExplanation",
                                "A clause of a query that is searched as a tree.")
      .def_prop_ro(
          "clause", [](const ClauseExplanation& of) { return to_str(of.clause); },
          "As the syntax lucene writes it; of a group how it is joined.")
      .def_prop_ro(
          "role", [](const ClauseExplanation& of) { return to_str(of.role); },
          "must, should, filter or must_not; of the root empty.")
      .def_ro("matches", &ClauseExplanation::matches, "Whether it matches the document.")
      .def_ro("score", &ClauseExplanation::score, "What it adds.")
      .def_prop_ro(
          "why_not", [](const ClauseExplanation& of) { return to_str(of.why_not); },
          "Why it does not match; else empty.")
      .def_prop_ro(
          "words",
          [](const ClauseExplanation& of) {
            nb::list words;
            for (const std::string& word : of.words) words.append(to_str(word));
            return words;
          },
          "Some words of a prefix, pattern or range that the document has.")
      .def_ro("frequency", &ClauseExplanation::frequency, nb::rv_policy::copy,
              "Of a phrase: how often it is there.")
      .def_ro("term", &ClauseExplanation::term, nb::rv_policy::copy, "Of a word.")
      .def_prop_ro(
          "clauses", [](const ClauseExplanation& of) { return of.clauses; }, "Those below it.");
  nb::class_<Explanation>(module, "Explanation",
                          "The score of one document, taken apart. str() gives lines for people.")
      .def_prop_ro(
          "id", [](const Explanation& of) { return to_str(of.id); }, "Of the document.")
      .def_ro("score", &Explanation::score, "The sum of the shares: the hit's score to the bit.")
      .def_ro("length", &Explanation::length, "Of the document, in tokens.")
      .def_ro("documents", &Explanation::documents, "Of the index.")
      .def_ro("average_length", &Explanation::average_length, "Of its documents, in tokens.")
      .def_ro("static_score", &Explanation::static_score, "What is added last.")
      .def_prop_ro(
          "terms", [](const Explanation& of) { return of.terms; },
          "In the order in which their shares are added; of a tree none.")
      .def_prop_ro(
          "searched_by",
          [](const Explanation& of) { return to_str(searched_by_name(of.searched_by)); },
          "engine, cpu engine, gpu engine, trees or gpu phrase: what answers the query.")
      .def_prop_ro(
          "why_trees", [](const Explanation& of) { return to_str(of.why_trees); },
          "What of the query no engine answers.")
      .def_prop_ro(
          "tree", [](const Explanation& of) { return of.tree; },
          "The root of a query that is searched as a tree, else None.")
      .def(
          "to_json", [](const Explanation& of) { return to_str(to_json(of)); },
          "One JSON object; docs/json.md has its members.")
      .def("__str__", [](const Explanation& of) { return to_str(to_text(of)); });
}

void bind_hits(nb::module_& module) {
  nb::class_<Hit>(module, "Hit", "A document that was found.")
      .def_prop_ro(
          "id", [](const Hit& of) { return to_str(of.get().id()); },
          "The document's id, looked up now.")
      .def_prop_ro(
          "score", [](const Hit& of) { return of.get().score(); },
          "Larger is better, unless Hits.scores_are_distances.")
      .def_prop_ro(
          "doc", [](const Hit& of) { return of.get().document(); },
          "The document's number in the commit that was searched.")
      .def_prop_ro("fields", &fields_of, "The texts of the stored fields that were asked for.")
      .def_prop_ro(
          "snippets", &snippets_of,
          "Pieces of these texts with the matched words marked, as HTML unless html=False.")
      .def_prop_ro(
          "cursor", [](const Hit& of) { return to_str(of.get().cursor()); },
          "Its place in a sorted answer, for search_after=.")
      .def("explain", &Hit::explain,
           "How the score comes about. UsageError for a search with vectors.")
      .def("__repr__", &repr_of);
  nb::class_<Hits>(module, "Hits", "The answer to one query: its hits, best first.")
      .def("__len__", [](const Hits& of) { return of.answer().size(); })
      .def("__getitem__",
           [](const Hits& of, Py_ssize_t index) {
             return Hit(of, place_of(index, of.answer().size()));
           })
      .def("__getitem__",
           [](const Hits& of, const nb::slice& slice) {
             auto [rank, stop, step, count] = slice.compute(of.answer().size());
             return hits_of(of, static_cast<std::size_t>(rank), step, count);
           })
      .def("__iter__",
           [](const Hits& of) { return nb::iter(hits_of(of, 0, 1, of.answer().size())); })
      .def_prop_ro(
          "ids", [](const Hits& of) { return ids_of(of.answer()); }, "The ids of all hits.")
      .def_prop_ro(
          "matches", [](const Hits& of) { return of.answer().matches; },
          "How many documents match: exactly with count=True, else at least so many.")
      .def_prop_ro(
          "facets", [](const Hits& of) { return facets_dict(of.answer().facets); },
          "Of each column of facets=: documents, values, distinct, min, max, sum, and top, pairs "
          "of a value and its number of documents; with ranges, also ranges, triples of a lower "
          "limit, an upper one and a number of documents.")
      .def_prop_ro("matches_exact", [](const Hits& of) { return of.answer().matches_exact; })
      .def_prop_ro(
          "fell_back_to_or", [](const Hits& of) { return of.answer().fell_back_to_or; },
          "Whether mode='and-or' took OR's answer.")
      .def_prop_ro(
          "terms_cut", [](const Hits& of) { return of.answer().terms_cut; },
          "Whether a prefix, pattern, range or near word stands for more terms than are taken.")
      .def_prop_ro(
          "scores_are_distances", [](const Hits& of) { return of.answer().scores_are_distances; },
          "Whether smaller scores are better.")
      .def_prop_ro(
          "is_complete", [](const Hits& of) { return of.answer().is_complete; },
          "False where the timeout passed first.")
      .def_prop_ro(
          "max_missing_score", [](const Hits& of) { return of.answer().max_missing_score; },
          "Of an answer that is not complete: no missing document scores more.")
      .def("__repr__",
           [](const Hits& of) { return nb::str("Hits({})").format(ids_of(of.answer())); });
}

}  // namespace

Explanation Hit::explain() const {
  const Found& found = hits_.found();
  if (!found.by_words) {
    throw UsageError("only scores of words alone are explained; search without a vector");
  }
  const nb::gil_scoped_release no_gil;
  return get().explain(found.query.answered(found.answer.fell_back_to_or), found.scorer);
}

Batch::Batch(BatchAnswer&& answer, std::vector<Hits> hits)
    : answer_(std::move(answer)),
      hits_(std::move(hits)),
      scores_(answer_.scores.data()),
      documents_(answer_.documents.data()),
      counts_(answer_.counts.data()),
      rows_(answer_.size()) {
  arrays_ = nb::make_tuple(to_array(std::move(answer_.scores), {rows_, answer_.k}),
                           to_array(std::move(answer_.documents), {rows_, answer_.k}),
                           to_array(std::move(answer_.counts), {rows_}));
}

nb::list Batch::ids() const {
  nb::list all;
  for (std::size_t row = 0; row < rows_; ++row) {
    nb::list ids;
    for (std::size_t rank = 0; rank < counts_[row]; ++rank) {
      ids.append(to_str(answer_.id(documents_[row * answer_.k + rank])));
    }
    all.append(ids);
  }
  return all;
}

nb::object Batch::hits() const {
  if (hits_.size() != rows_) return nb::none();
  nb::list all;
  for (const Hits& hits : hits_) all.append(hits);
  return all;
}

void Batch::save_trec(const std::string& path, const std::vector<std::string>& qids,
                      const std::string& tag) const {
  const nb::gil_scoped_release no_gil;
  std::ofstream file(path, std::ios::binary);
  if (!file) throw IoError("the run '" + path + "' cannot be written; check its folder");
  TrecRunWriter writer(file, tag);
  std::vector<NamedHit> hits;
  for (std::size_t row = 0; row < rows_; ++row) {
    hits.clear();
    for (std::size_t place = row * answer_.k; hits.size() < counts_[row]; ++place) {
      hits.push_back({answer_.id(documents_[place]), scores_[place]});
    }
    writer.write(
        {.id = qids[row], .hits = hits, .scores_are_distances = answer_.scores_are_distances});
  }
  writer.finish();
}

void bind_answers(nb::module_& module) {
  bind_explanation(module);
  bind_hits(module);
  nb::class_<Batch>(module, "Batch", "The answers to many queries.")
      .def("arrays", &Batch::arrays)
      .def("ids", &Batch::ids)
      .def("hits", &Batch::hits)
      .def("save_trec", &Batch::save_trec)
      .def_prop_ro("scores_are_distances",
                   [](const Batch& of) { return of.answer().scores_are_distances; })
      .def_prop_ro("is_complete", [](const Batch& of) { return of.answer().is_complete; })
      .def_prop_ro("commit", [](const Batch& of) { return of.answer().commit(); });
}

}  // namespace warpdex::python
