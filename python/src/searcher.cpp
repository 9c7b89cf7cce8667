#include "searcher.hpp"

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <utility>

#include "batch_hits.hpp"
#include "options.hpp"

namespace warpdex::python {
namespace {

SearcherOptions options_of(const std::string& device, const std::vector<int>& gpus,
                           std::uint64_t gpu_memory, std::size_t shards, std::size_t threads,
                           bool document_blocks) {
  SearcherOptions options;
  options.document_blocks = document_blocks;
  options.device = device_from_name(device);
  options.threads = threads;
  options.shards = shards;
  if (options.device == Device::kGpu) options.gpus = open_gpus(gpus, gpu_memory);
  return options;
}

/// The document of that id. Throws UsageError if there is none.
std::uint32_t document_of(const IndexReader& reader, std::string_view id) {
  if (const auto document = reader.find(id)) return *document;
  throw UsageError("the index has no document '" + std::string(id) +
                   "'; check the id, or refresh() the searcher");
}

nb::list as_tuples(const std::vector<TermStatistics>& found) {
  nb::list terms;
  for (const TermStatistics& term : found) {
    terms.append(
        nb::make_tuple(to_str(term.term), term.document_frequency, term.collection_frequency));
  }
  return terms;
}

nb::list suggest(TextSearcher& of, nb::handle prefix, std::size_t count, nb::handle field) {
  const std::string wanted(text_of(prefix, "the prefix"));
  const std::string name(text_of(field, "the field"));
  std::vector<TermStatistics> found;
  {
    const nb::gil_scoped_release no_gil;
    found = of.reader()->suggest(wanted, count, name);
  }
  return as_tuples(found);
}

nb::list terms_with(TextSearcher& of, nb::handle prefix, std::size_t limit, nb::handle field) {
  constexpr std::size_t kBetweenSignals = 4096;
  const std::string wanted(text_of(prefix, "the prefix"));
  const std::string name(text_of(field, "the field"));
  std::vector<TermStatistics> found;
  {
    const nb::gil_scoped_release no_gil;
    of.reader()->for_each_term(
        [&](const TermStatistics& term) {
          found.push_back(term);
          if (found.size() % kBetweenSignals == 0) {
            const nb::gil_scoped_acquire gil;
            check_signals();
          }
          return found.size() != limit;
        },
        wanted, name);
  }
  return as_tuples(found);
}

/// A term of a text field, by the name that the library has for it.
std::string named_term(TextSearcher& of, nb::handle term, nb::handle field) {
  return of.reader()->term_in(text_of(field, "the field"), text_of(term, "the term"));
}

std::uint64_t document_frequency(TextSearcher& of, nb::handle term, nb::handle field) {
  const std::string wanted = named_term(of, term, field);
  const nb::gil_scoped_release no_gil;
  const auto found = of.reader()->statistics(wanted);
  return found ? found->document_frequency : 0;
}

nb::tuple postings(TextSearcher& of, nb::handle term, nb::handle field) {
  const std::string wanted = named_term(of, term, field);
  std::vector<std::uint32_t> documents;
  std::vector<std::uint32_t> frequencies;
  {
    const nb::gil_scoped_release no_gil;
    for (const TermPosting& posting : of.reader()->postings(wanted)) {
      documents.push_back(posting.document);
      frequencies.push_back(posting.frequency);
    }
  }
  const std::size_t size = documents.size();
  return nb::make_tuple(to_array(std::move(documents), {size}),
                        to_array(std::move(frequencies), {size}));
}

nb::dict document_vector(TextSearcher& of, nb::handle id) {
  const auto reader = of.reader();
  nb::dict terms;
  for (const DocumentTerm& term : reader->terms(document_of(*reader, text_of(id, "the id")))) {
    terms[to_str((term.field.empty() ? "" : term.field + ":") + term.term)] = term.frequency;
  }
  return terms;
}

nb::dict stored(TextSearcher& of, nb::handle id) {
  const auto reader = of.reader();
  nb::dict fields;
  for (const auto& [name, text] : reader->stored(document_of(*reader, text_of(id, "the id")))) {
    fields[to_str(name)] = to_str(text);
  }
  return fields;
}

nb::object embedding(TextSearcher& of, nb::handle id, nb::handle field) {
  const auto reader = of.reader();
  std::vector<float> vector =
      reader->vector(document_of(*reader, text_of(id, "the id")), text_of(field, "the field"));
  const std::size_t size = vector.size();
  return to_array(std::move(vector), {size});
}

Explanation explain(TextSearcher& of, nb::handle text, nb::handle id, const nb::dict& keywords) {
  const SearchOptions options = search_options(1, keywords);
  const auto reader = of.reader();
  const Query query = of.searcher().parse(text_of(text, "the query"), options.syntax, {},
                                          options.mode, options.searched);
  const std::uint32_t document = document_of(*reader, text_of(id, "the id"));
  const nb::gil_scoped_release no_gil;
  return reader->explain(query, document, options.scorer);
}

/// By the analyzer of a text field, by default the first.
nb::list analyze(TextSearcher& of, nb::handle text, nb::handle field) {
  nb::list terms;
  const auto reader = of.reader();
  SearchedFields searched;
  const std::vector<std::string> names = text_names_of(reader->settings().schema);
  const std::string_view name = text_of(field, "the field");
  if (!names.empty()) searched.fields = {{name.empty() ? names[0] : std::string(name)}};
  if (names.empty() && !name.empty()) reader->term_in(name, "");  // throws
  const Query query = of.searcher().parse(text_of(text, "the text"), QuerySyntax::kPlain, {},
                                          QueryMode::kOr, searched);
  for (const QueryTerm& term : query.terms) terms.append(to_str(reader->word_of(term.term)));
  return terms;
}

/// The text fields that words search, with their weights. Of an index of one text, one without a
/// name, of weight 1.
nb::list searched_fields(TextSearcher& of, const nb::dict& keywords) {
  const auto reader = of.reader();
  std::vector<SearchedField> fields = search_options(1, keywords).searched.fields;
  const Schema& schema = reader->settings().schema;
  const std::vector<std::string> names = text_names_of(schema);
  if (names.size() < 2) {
    fields = {{""}};
  } else if (fields.empty()) {
    for (const std::string& name : names) {
      fields.push_back({name, schema.fields[*schema.find(name)].weight});
    }
  }
  nb::list found;
  for (const SearchedField& field : fields) {
    if (!field.name.empty()) reader->term_in(field.name, "");  // throws
    if (field.weight > 0) found.append(nb::make_tuple(to_str(field.name), field.weight));
  }
  return found;
}

const char* device_name(Device device) {
  switch (device) {
    case Device::kCpu: return "cpu";
    case Device::kGpu: return "gpu";
    case Device::kAuto: break;
  }
  return "auto";
}

}  // namespace

TextSearcher::TextSearcher(const std::string& folder, const std::string& device,
                           const std::vector<int>& gpus, std::uint64_t gpu_memory,
                           std::size_t shards, std::size_t threads, bool document_blocks)
    : folder_(folder),
      options_(options_of(device, gpus, gpu_memory, shards, threads, document_blocks)),
      searcher_([this] {
        const nb::gil_scoped_release no_gil;
        return std::make_unique<Searcher>(folder_, options_);
      }()) {}

TextSearcher::TextSearcher(const TextSearcher& of, Searcher searcher)
    : folder_(of.folder_),
      options_(of.options_),
      searcher_(std::make_unique<Searcher>(std::move(searcher))) {}

std::unique_ptr<TextSearcher> TextSearcher::at_this_commit() const {
  return std::unique_ptr<TextSearcher>(new TextSearcher(*this, searcher_.get().at_this_commit()));
}

Hits TextSearcher::search(nb::handle text, const std::optional<FloatRows>& vector, nb::handle k,
                          const Stop* stop, const nb::dict& keywords) const {
  auto found = std::make_shared<Found>();
  SearchOptions options = search_options(whole_of(k, "k", 1, kMostDocuments), keywords);
  found->scorer = options.scorer;
  found->by_words = !vector;
  options.vectors_alone = text.is_none();
  if (stop != nullptr) options.stop = stop->token();
  const std::string_view words = text.is_none() ? "" : text_of(text, "the query");
  const Searcher& searcher = searcher_.get();
  options.on_progress = search_watch(nb::none());
  const BriefRelease no_gil;
  found->query = searcher.parse(words, options.syntax, {}, options.mode, options.searched);
  found->answer =
      std::move(searcher
                    .search(std::span(&found->query, 1),
                            vector ? components(*vector) : std::span<const float>(), options)
                    .front());
  return Hits(std::move(found));
}

Batch TextSearcher::search_batch(nb::handle texts, const std::optional<FloatRows>& vectors,
                                 nb::handle k, std::size_t threads, nb::handle progress,
                                 const nb::dict& keywords) {
  SearchOptions options = search_options(whole_of(k, "k", 1, kMostDocuments), keywords);
  std::vector<std::string_view> words;
  if (!texts.is_none()) {
    words.reserve(nb::len(texts));
    for (const nb::handle text : nb::borrow<nb::list>(texts)) {
      words.push_back(text_of(text, "a query"));
    }
  }
  options.on_progress = search_watch(progress);
  options.threads = threads;
  const Searcher& searcher = searcher_.get();
  BatchAnswer answer;
  std::vector<Hits> hits;
  {
    const nb::gil_scoped_release no_gil;
    if (options.fields.empty() && !options.snippets && !options.count && options.sort.empty() &&
        options.facets.empty()) {
      answer = searcher.search_batch(
          words, vectors ? components(*vectors) : std::span<const float>(), options);
    } else {
      hits = search_hits(searcher, words, vectors, options, answer);
    }
  }
  return Batch(std::move(answer), std::move(hits));
}

bool TextSearcher::refresh() {
  const nb::gil_scoped_release no_gil;
  const bool has_changed = searcher_->refresh();
  const std::lock_guard lock(mutex_);
  if (has_changed) reader_.reset();
  return has_changed;
}

std::shared_ptr<const IndexReader> TextSearcher::reader() {
  const Searcher& searcher = searcher_.get();
  const std::lock_guard lock(mutex_);
  if (!reader_) reader_ = std::make_shared<const IndexReader>(searcher);
  return reader_;
}

void bind_searcher(nb::module_& module) {
  nb::class_<Synonyms>(module, "Synonyms", "Words that stand for others in queries.")
      .def(
          "__init__",
          [](Synonyms* made, nb::handle text, nb::handle name) {
            new (made) Synonyms{parse_synonyms(text_of(text, "the rules"), text_of(name, "name"))};
          },
          nb::arg("rules"), nb::arg("name") = "synonyms")
      .def("__len__", [](const Synonyms& of) { return of.rules->rules.size(); });
  nb::class_<Stop>(module, "Stop").def(nb::init<>()).def("request", &Stop::request);
  nb::class_<TextSearcher>(module, "Searcher")
      .def(nb::init<const std::string&, const std::string&, const std::vector<int>&, std::uint64_t,
                    std::size_t, std::size_t, bool>())
      .def("search", &TextSearcher::search, nb::arg("text").none(), nb::arg("vector").none(),
           nb::arg("k"), nb::arg("stop").none(), nb::arg("options"))
      .def("search_batch", &TextSearcher::search_batch, nb::arg("texts").none(),
           nb::arg("vectors").none(), nb::arg("k"), nb::arg("threads"), nb::arg("progress").none(),
           nb::arg("options"))
      .def("refresh", &TextSearcher::refresh)
      .def("at_this_commit", &TextSearcher::at_this_commit)
      .def("terms", &terms_with)
      .def("suggest", &suggest)
      .def("document_frequency", &document_frequency)
      .def("postings", &postings)
      .def("document_vector", &document_vector)
      .def("stored", &stored)
      .def("embedding", &embedding)
      .def("explain", &explain)
      .def("analyze", &analyze)
      .def("searched_fields", &searched_fields)
      .def("id", [](TextSearcher& of, std::uint32_t doc) { return to_str(of.reader()->id(doc)); })
      .def("find",
           [](TextSearcher& of, nb::handle id) { return of.reader()->find(text_of(id, "the id")); })
      .def("length",
           [](TextSearcher& of, nb::handle id) {
             const auto reader = of.reader();
             return reader->length(document_of(*reader, text_of(id, "the id")));
           })
      .def_prop_ro("commit", [](const TextSearcher& of) { return of.searcher().commit(); })
      .def_prop_ro("documents", [](const TextSearcher& of) { return of.searcher().documents(); })
      .def_prop_ro("device",
                   [](const TextSearcher& of) { return device_name(of.searcher().device()); })
      .def_prop_ro("problem",
                   [](const TextSearcher& of) { return to_str(of.searcher().problem()); })
      .def_prop_ro("analyzer",
                   [](TextSearcher& of) { return to_str(of.reader()->settings().analyzer.name); })
      .def_prop_ro("average_length", [](TextSearcher& of) { return of.reader()->average_length(); })
      .def_prop_ro("stored_fields", [](TextSearcher& of) {
        nb::list names;
        for (const std::string& name : of.reader()->settings().stored_fields)
          names.append(to_str(name));
        return names;
      });
}

}  // namespace warpdex::python
