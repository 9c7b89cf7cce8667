// Answers for a part of an index, and asks all parts.
#include "parts.hpp"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "answers.hpp"
#include "options.hpp"
#include "replicas.hpp"
#include "warpdex/parts.hpp"

namespace warpdex::python {
namespace {

nb::bytes to_bytes(const std::string& text) { return nb::bytes(text.data(), text.size()); }
std::string_view view_of(const nb::bytes& bytes) { return {bytes.c_str(), bytes.size()}; }

/// A function of Python that takes a list of (part, bytes) and returns one of (bytes, failure).
class PythonAsk {
 public:
  explicit PythonAsk(nb::object ask)
      : ask_(new nb::object(std::move(ask)), [](nb::object* held) {
          const nb::gil_scoped_acquire gil;
          delete held;
        }) {}

  std::vector<PartReply> operator()(const std::vector<PartMessage>& messages) const {
    const nb::gil_scoped_acquire gil;
    nb::list given;
    for (const PartMessage& message : messages) {
      given.append(nb::make_tuple(message.part, to_bytes(message.bytes)));
    }
    std::vector<PartReply> replies;
    for (const nb::handle reply : nb::iter((*ask_)(given))) {
      const nb::tuple pair = nb::cast<nb::tuple>(reply);
      replies.push_back({std::string(view_of(nb::cast<nb::bytes>(pair[0]))),
                         std::string(text_of(pair[1], "a failure"))});
    }
    return replies;
  }

 private:
  std::shared_ptr<nb::object> ask_;
};

/// The hits of a batch as arrays: scores, parts and docs, queries x k, and how many each has.
nb::tuple arrays_of(const PartedBatch& batch, std::size_t k) {
  const std::size_t rows = batch.answers.size();
  std::vector<float> scores(rows * k);
  std::vector<std::uint32_t> parts(rows * k);
  std::vector<std::uint32_t> documents(rows * k);
  std::vector<std::uint32_t> counts(rows);
  for (std::size_t row = 0; row < rows; ++row) {
    const std::vector<PartedHit>& hits = batch.answers[row].hits;
    counts[row] = static_cast<std::uint32_t>(hits.size());
    for (std::size_t rank = 0; rank < hits.size(); ++rank) {
      scores[row * k + rank] = hits[rank].score;
      parts[row * k + rank] = hits[rank].part;
      documents[row * k + rank] = hits[rank].document;
    }
  }
  return nb::make_tuple(
      to_array(std::move(scores), {rows, k}), to_array(std::move(parts), {rows, k}),
      to_array(std::move(documents), {rows, k}), to_array(std::move(counts), {rows}));
}

/// What else is told of each answer, and of the batch.
nb::dict to_dict(const PartedBatch& batch, std::size_t k, bool has_fields) {
  nb::list ids;
  nb::list cursors;
  nb::list fields;
  nb::list facts;
  for (const PartedAnswer& answer : batch.answers) {
    nb::list names;
    nb::list own;
    nb::list shown;
    for (const PartedHit& hit : answer.hits) {
      names.append(to_str(hit.id));
      if (!hit.cursor.empty()) own.append(to_str(hit.cursor));
      if (has_fields)
        shown.append(nb::make_tuple(fields_dict(hit.fields), snippets_dict(hit.fields)));
    }
    ids.append(names);
    cursors.append(own);
    fields.append(shown);
    facts.append(nb::make_tuple(answer.matches, answer.fell_back_to_or, answer.is_complete,
                                answer.max_missing_score, facets_dict(answer.facets)));
  }
  nb::list missing;
  for (const PartedBatch::Missing& part : batch.missing) {
    missing.append(nb::make_tuple(part.part, to_str(part.reason)));
  }
  nb::dict values;
  values["arrays"] = arrays_of(batch, k);
  values["ids"] = ids;
  values["cursors"] = cursors;
  values["fields"] = fields;
  values["facts"] = facts;
  values["documents"] = batch.documents;
  values["searched"] = batch.searched;
  values["missing"] = missing;
  values["has_whole_statistics"] = batch.has_whole_statistics;
  values["rounds"] = batch.rounds;
  values["scores_are_distances"] = batch.scores_are_distances;
  return values;
}

/// What a search finds. `gone`: why not all is of the version that is searched, else empty; where
/// that ended the search, it is all there is.
nb::dict search(const Owned<PartedSearcher>& of, nb::handle texts, nb::handle k, bool is_partial,
                const std::optional<FloatRows>& vectors, const nb::dict& keywords, double seconds) {
  SearchOptions options = search_options(whole_of(k, "k", 1, kMostDocuments), keywords);
  if (vectors) check_finite(*vectors, "the vectors");
  std::vector<std::string> queries;
  if (!texts.is_none()) queries = texts_of(texts, "a query");
  options.vectors_alone = texts.is_none();
  const std::vector<std::string_view> words(queries.begin(), queries.end());
  PartedBatch batch;
  std::string gone;
  {
    const PartedSearcher& searcher = of.get();
    const nb::gil_scoped_release no_gil;
    const SearchTime time(time_in(seconds), is_partial);
    try {
      batch = searcher.search(words, vectors ? components(*vectors) : std::span<const float>(),
                              options, is_partial);
      if (time.is_version_gone()) gone = "a part has another version now";
    } catch (const IoError& error) {
      if (!time.is_version_gone()) throw;
      gone = error.what();
    }
  }
  nb::dict found;
  if (gone.empty() || !batch.answers.empty())
    found = to_dict(batch, options.k, !options.fields.empty());
  found["gone"] = to_str(gone);
  return found;
}

class Server {
 public:
  /// On the CPU if there are no `gpus`, else on these, as shards.
  Server(const std::string& folder, std::size_t threads, const std::vector<int>& gpus,
         bool document_blocks)
      : server_([&] {
          const nb::gil_scoped_release no_gil;
          SearcherOptions options{.threads = threads, .document_blocks = document_blocks};
          if (!gpus.empty()) {
            options.device = Device::kGpu;
            options.gpus = open_gpus(gpus, 0);
            options.shards = gpus.size();
          }
          return std::make_unique<PartServer>(folder, options);
        }()) {}

  nb::bytes answer(const nb::bytes& message) const {
    const PartServer& server = server_.get();
    std::string answered;
    {
      const nb::gil_scoped_release no_gil;
      answered = server.answer(view_of(message));
    }
    return to_bytes(answered);
  }
  std::uint64_t documents() const { return server_->documents(); }

 private:
  Owned<PartServer> server_;
};

class Parts {
 public:
  Parts(std::size_t parts, nb::object ask)
      : searcher_([&] {
          PythonAsk by(std::move(ask));
          const nb::gil_scoped_release no_gil;
          return std::make_unique<PartedSearcher>(parts, std::move(by));
        }()) {}
  /// Asks the replicas what they are, within so many seconds.
  Parts(const Replicas& replicas, double seconds)
      : searcher_([&] {
          const nb::gil_scoped_release no_gil;
          const SearchTime time(time_in(seconds));
          return std::make_unique<PartedSearcher>(replicas.parts(), replicas.ask_by_searchers());
        }()) {}

  nb::dict search_all(nb::handle texts, nb::handle k, bool is_partial,
                      const std::optional<FloatRows>& vectors, const nb::dict& keywords,
                      double seconds) const {
    return search(searcher_, texts, k, is_partial, vectors, keywords, seconds);
  }
  std::uint64_t documents() const { return searcher_->documents(); }

 private:
  Owned<PartedSearcher> searcher_;
};

}  // namespace

void bind_parts(nb::module_& module) {
  nb::class_<Server>(module, "PartServer")
      .def(nb::init<const std::string&, std::size_t, const std::vector<int>&, bool>())
      .def("answer", &Server::answer)
      .def_prop_ro("documents", &Server::documents);
  nb::class_<Parts>(module, "PartedSearcher")
      .def(nb::init<std::size_t, nb::object>())
      .def(nb::init<const Replicas&, double>())
      .def("search", &Parts::search_all, nb::arg("texts").none(), nb::arg("k"),
           nb::arg("is_partial"), nb::arg("vectors").none(), nb::arg("keywords"),
           nb::arg("seconds") = 1e9)
      .def_prop_ro("documents", &Parts::documents);
}

}  // namespace warpdex::python
