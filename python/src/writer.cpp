// Changes an index of text.
#include "warpdex/writer.hpp"

#include <atomic>
#include <optional>
#include <sstream>

#include "documents.hpp"
#include "options.hpp"
#include "worker.hpp"
#include "writer.hpp"

namespace warpdex::python {
namespace {

/// The fields that an index was built of; "contents" where it does not say.
std::vector<std::string> fields_of(const IndexSettings& settings) {
  std::vector<std::string> names;
  if (!settings.fields.starts_with(kImportedFields)) {
    std::istringstream all(settings.fields);
    for (std::string name; std::getline(all, name, ',');) names.push_back(name);
  }
  if (names.empty()) names.emplace_back("contents");
  return names;
}

/// For one thread at a time, as the library's; calls from several wait for each other.
class TextWriter {
  /// Without the GIL.
  template <class Call>
  auto call(const Call& work) {
    const nb::gil_scoped_release no_gil;
    writer_->check_process();  // before the lock, which a thread of the parent may hold
    const std::lock_guard one_at_a_time(mutex_);
    if (!writer_->is_there()) throw UsageError("the writer is closed; open another one");
    return work(writer_->get());
  }

  /// On a thread of its own. `check` throws once Ctrl-C came.
  template <class Call>
  void call_stoppable(const Call& work) {
    std::atomic<bool> is_stopped{false};
    const std::function<void()> check = [&] {
      if (is_stopped) throw CancelledError("the call was stopped");
    };
    writer_->check_process();
    Worker([&] {
      const std::lock_guard one_at_a_time(mutex_);
      if (!writer_->is_there()) throw UsageError("the writer is closed; open another one");
      work(writer_->get(), check);
    }).run([] {}, [] {}, [&] { is_stopped = true; });
  }

 public:
  TextWriter(const std::string& path, const nb::dict& keywords) { open(path, keywords); }

  void add(nb::handle document) { take(document, false); }
  void update(nb::handle document) { take(document, true); }
  nb::dict add_files(nb::handle paths, const nb::dict& keywords);
  bool remove(nb::handle id) {
    const std::string name(text_of(id, "the id"));
    return call([&](Writer& writer) { return writer.remove(name); });
  }
  std::uint64_t remove_where(nb::handle filter) {
    const std::string text(text_of(filter, "the filter"));
    return call([&](Writer& writer) { return writer.remove_where(text); });
  }
  nb::tuple commit() {
    CommitReport report;
    call_stoppable(
        [&](Writer& writer, const std::function<void()>& check) { report = writer.commit(check); });
    nb::list notes;
    for (const std::string& note : report.notes) notes.append(to_str(note));
    return nb::make_tuple(report.number, notes);
  }
  void rollback() {
    call([](Writer& writer) { writer.rollback(); });
  }
  void sync() {
    call([](Writer& writer) { writer.sync(); });
  }
  std::uint64_t recovered() {
    return call([](Writer& writer) { return writer.recovered(); });
  }
  void merge() {
    call_stoppable([](Writer& writer, const std::function<void()>& check) {
      writer.merge(true, [&](double /*done*/) { check(); });
    });
  }
  void finish_merges() {
    call_stoppable(
        [](Writer& writer, const std::function<void()>& check) { writer.finish_merges(check); });
  }
  /// Changes since the last commit are lost.
  void close() {
    const nb::gil_scoped_release no_gil;
    writer_->check_process();
    const std::lock_guard one_at_a_time(mutex_);
    writer_->reset();
  }
  bool is_closed() const { return !writer_->is_there(); }

 private:
  void open(const std::string& path, const nb::dict& keywords);
  void take(nb::handle document, bool is_update) {
    NewDocument taken = dicts_->read(document);
    call([&](Writer& writer) {
      if (is_update) {
        writer.update(std::move(taken));
      } else {
        writer.add(std::move(taken));
      }
    });
  }
  std::optional<DictReader> dicts_;
  std::mutex mutex_;
  std::optional<Owned<Writer>> writer_;
};

nb::dict TextWriter::add_files(nb::handle paths, const nb::dict& keywords) {
  ReaderOptions files;
  FilesOptions options;
  files.inputs = texts_of(paths, "a path");
  files.fields = dicts_->shape().fields;
  files.text_fields = dicts_->shape().texts;
  files.embedding = dicts_->shape().vector;
  Keywords(keywords).read({
      {"format", [&](auto v) { files.format = document_format_from_name(text_of(v, "format")); }},
      {"update", [&](auto v) { options.update = flag_of(v, "update"); }},
      {"skip_bad",
       [&](auto v) {
         if (flag_of(v, "skip_bad")) options.on_bad_document = [](const std::string&) {};
       }},
  });
  BuildReport report;
  call_stoppable([&](Writer& writer, const std::function<void()>& check) {
    files.on_read = check;
    report = writer.add_files(files, options);
  });
  nb::dict made;
  made["documents"] = report.documents;
  made["skipped"] = report.skipped_documents;
  return made;
}

void TextWriter::open(const std::string& path, const nb::dict& keywords) {
  NewIndex settings;
  WriterOptions options;
  DocumentShape shape;
  vector::RowSettings vectors;
  const auto text = [](std::string& into, const char* what) {
    return [&into, what](nb::handle value) { into = text_of(value, what); };
  };
  Keywords(keywords).read({
      {"fields", [&](auto v) { shape.fields = texts_of(v, "a name of fields"); }},
      {"store", [&](auto v) { shape.stored = texts_of(v, "a name of store"); }},
      {"schema", [&](auto v) { settings.schema = parse_schema(text_of(v, "schema")); }},
      {"weights", text(shape.weights, "weights")},
      {"vectors", text(shape.vector, "vectors")},
      {"dimension",
       [&](auto v) { vectors.dimension = whole_of(v, "dimension", 1, vector::kMaxDimension); }},
      {"metric", [&](auto v) { vectors.metric = vector::metric_from_name(text_of(v, "metric")); }},
      {"vector_store",
       [&](auto v) { vectors.store = vector::store_from_name(text_of(v, "vector_store")); }},
      {"vector_index", [&](auto v) { vectors.index = vector_index_of(v); }},
      {"analyzer", text(settings.analyzer, "analyzer")},
      {"codec", [&](auto v) { settings.codec.kind = codec_from_name(text_of(v, "codec")); }},
      {"positions", [&](auto v) { settings.positions = flag_of(v, "positions"); }},
      {"memory", [&](auto v) { options.memory = whole_of(v, "memory", 1); }},
      {"threads", [&](auto v) { options.threads = whole_of(v, "threads", 0, 1024); }},
      {"merges", [&](auto v) { options.merges = flag_of(v, "merges"); }},
      {"journal", [&](auto v) { options.journal = flag_of(v, "journal"); }},
  });
  const std::vector<std::string> texts = text_names_of(settings.schema);
  settings.fields = texts.empty() ? shape.fields : texts;
  settings.stored = shape.stored;
  settings.is_weighted = !shape.weights.empty();
  if (vectors.dimension != 0) settings.vectors = vectors;
  {
    const nb::gil_scoped_release no_gil;
    writer_.emplace(std::make_unique<Writer>(path, settings, options));
  }
  const IndexSettings& made = writer_->get().settings();
  if (shape.stored.empty()) shape.stored = made.stored_fields;
  shape.columns = columns_of(made.schema);
  shape.texts = text_names_of(made.schema);
  shape.vectors = vector_fields(made.schema);
  if (shape.fields.empty()) shape.fields = fields_of(made);
  dicts_.emplace(std::move(shape));
}

}  // namespace

void bind_writer(nb::module_& module) {
  nb::class_<TextWriter>(module, "Writer")
      .def(nb::init<const std::string&, const nb::dict&>())
      .def("add", &TextWriter::add)
      .def("update", &TextWriter::update)
      .def("add_files", &TextWriter::add_files)
      .def("remove", &TextWriter::remove)
      .def("remove_where", &TextWriter::remove_where)
      .def("commit", &TextWriter::commit)
      .def("rollback", &TextWriter::rollback)
      .def("sync", &TextWriter::sync)
      .def("merge", &TextWriter::merge)
      .def("finish_merges", &TextWriter::finish_merges)
      .def("close", &TextWriter::close)
      .def_prop_ro("recovered", &TextWriter::recovered)
      .def_prop_ro("is_closed", &TextWriter::is_closed);
}

}  // namespace warpdex::python
