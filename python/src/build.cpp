// Builds an index of text from an iterable of dicts, or from files.
#include "build.hpp"

#include <nanobind/stl/optional.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <exception>
#include <mutex>
#include <optional>
#include <utility>

#include "documents.hpp"
#include "options.hpp"
#include "warpdex/indexer/build/index_builder.hpp"
#include "warpdex/indexer/readers/paired_reader.hpp"
#include "warpdex/search_options.hpp"
#include "warpdex/vector/data/conversion.hpp"
#include "warpdex/vector/data/vector_reader.hpp"
#include "worker.hpp"

namespace warpdex::python {
namespace {

constexpr std::size_t kBatchBytes = std::size_t{256} << 10;
constexpr std::size_t kBatchRecords = 1024;

/// Rows of float32 or float16.
using Rows = nb::ndarray<nb::ro, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

/// What build() and build_files() are given by name.
struct Given {
  BuildOptions options;
  DocumentShape shape{.fields = {"contents"}, .stored = {}, .weights = "", .vector = ""};
  ReaderOptions files;
  std::optional<Rows> rows;     ///< a vector for each document
  vector::RowSettings vectors;  ///< of vectors, wherever they are
};

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ",") + name;
  return text;
}

Given read_keywords(const nb::dict& keywords) {
  Given given;
  const auto text = [](std::string& into, const char* what) {
    return [&into, what](nb::handle value) { into = text_of(value, what); };
  };
  std::string analyzer = "english";
  std::string statics;
  Keywords(keywords).read({
      {"fields", [&](auto v) { given.shape.fields = texts_of(v, "a name of fields"); }},
      {"store", [&](auto v) { given.shape.stored = texts_of(v, "a name of store"); }},
      {"schema", [&](auto v) { given.options.schema = parse_schema(text_of(v, "schema")); }},
      {"weights", text(given.shape.weights, "weights")},
      {"vector_field", text(given.shape.vector, "vector_field")},
      {"vector_rows", [&](auto v) { given.rows = nb::cast<Rows>(v); }},
      {"dimension",
       [&](auto v) {
         given.vectors.dimension = whole_of(v, "dimension", 1, vector::kMaxDimension);
       }},
      {"metric",
       [&](auto v) { given.vectors.metric = vector::metric_from_name(text_of(v, "metric")); }},
      {"vector_store",
       [&](auto v) { given.vectors.store = vector::store_from_name(text_of(v, "vector_store")); }},
      {"vector_index", [&](auto v) { given.vectors.index = vector_index_of(v); }},
      {"format",
       [&](auto v) { given.files.format = document_format_from_name(text_of(v, "format")); }},
      {"analyzer", text(analyzer, "analyzer")},
      {"codec", [&](auto v) { given.options.codec.kind = codec_from_name(text_of(v, "codec")); }},
      {"memory", [&](auto v) { given.options.memory = whole_of(v, "memory", kMinBuildMemory); }},
      {"threads", [&](auto v) { given.options.threads = whole_of(v, "threads", 0, 1024); }},
      {"forward", [&](auto v) { given.options.forward = flag_of(v, "forward"); }},
      {"positions", [&](auto v) { given.options.positions = flag_of(v, "positions"); }},
      {"static_scores", text(statics, "static_scores")},
      {"skip_bad",
       [&](auto v) {
         if (flag_of(v, "skip_bad")) given.options.on_bad_document = OnBadDocument::kSkip;
       }},
  });
  given.options.analyzer = analyzer;
  given.options.static_scores = statics;
  given.shape.columns = columns_of(given.options.schema);
  given.shape.texts = text_names_of(given.options.schema);
  given.shape.vectors = vector_fields(given.options.schema);
  if (!given.shape.texts.empty() && given.shape.fields != Given{}.shape.fields) {
    throw UsageError("the schema has text fields, which are searched; leave fields= out");
  }
  given.options.fields = joined(given.shape.texts.empty() ? given.shape.fields : given.shape.texts);
  given.options.stored_fields = given.shape.stored;
  return given;
}

/// The rows of an array, as if they were a file.
class ArrayReader final : public vector::VectorReader {
 public:
  explicit ArrayReader(const Rows& rows)
      : data_(static_cast<const char*>(rows.data())),
        rows_(rows.shape(0)),
        columns_(rows.shape(1)),
        are_halves_(rows.dtype().bits == 16) {}

  vector::Element element() const override {
    return are_halves_ ? vector::Element::kFloat16 : vector::Element::kFloat32;
  }
  std::size_t dimension() const override { return columns_; }
  std::uint64_t rows() const override { return rows_; }
  const std::string& name() const override { return name_; }
  std::size_t read(std::size_t rows, float* out) override {
    if (!are_halves_) return read_raw(rows, out);
    const std::size_t first = next_;
    const std::size_t count = skip(rows);
    vector::convert_values(element(), data_ + first * columns_ * sizeof(std::uint16_t),
                           count * columns_, vector::Element::kFloat32, out);
    return count;
  }
  std::size_t read_raw(std::size_t rows, void* out) override {
    const std::size_t row = columns_ * vector::element_bytes(element());
    const std::size_t first = next_;
    const std::size_t count = skip(rows);
    std::memcpy(out, data_ + first * row, count * row);
    return count;
  }
  void seek(std::uint64_t row) override { next_ = row; }

 private:
  /// Past up to so many rows. Returns how many there were.
  std::size_t skip(std::size_t rows) {
    const std::size_t count = std::min<std::uint64_t>(rows, rows_ - next_);
    next_ += count;
    return count;
  }

  const std::string name_ = "the array of vectors";
  const char* data_;
  std::uint64_t rows_;
  std::size_t columns_;
  bool are_halves_;
  std::uint64_t next_ = 0;
};

/// Gives documents their vectors, if there are some apart from them, and the build its settings.
std::unique_ptr<DocumentReader> with_vectors(Given& given, std::unique_ptr<DocumentReader> reader) {
  if (!given.rows && given.shape.vector.empty()) return reader;
  if (given.rows) {
    reader = pair_with_vectors(std::move(reader), std::make_unique<ArrayReader>(*given.rows));
    given.vectors.dimension = given.rows->shape(1);
  } else if (given.vectors.dimension == 0) {
    given.vectors.dimension = reader->embedding_dimension();
  }
  given.options.vectors = given.vectors;
  return reader;
}

/// What the threads of a build tell the one that waits.
class BuildWatch {
 public:
  /// Threads of the build throw from their next report on.
  void stop() { is_stopped_ = true; }
  void check() const {
    if (is_stopped_) throw CancelledError("the build was stopped");
  }
  void attach(BuildOptions& options) {
    options.on_progress = [this](const BuildProgress& now) {
      check();
      const std::lock_guard lock(mutex_);
      last_ = now;
      is_new_ = true;
    };
  }
  /// Tells `progress`, with the GIL, what is new.
  void tell(nb::handle progress) {
    BuildProgress now;
    {
      const std::lock_guard lock(mutex_);
      if (!std::exchange(is_new_, false)) return;
      now = last_;
    }
    if (progress.is_none()) return;
    const bool reads = now.stage == "reading";
    progress(now.stage, reads ? now.documents : now.postings_written,
             reads ? now.bytes_consumed : now.postings_total);
  }

 private:
  std::atomic<bool> is_stopped_{false};
  std::mutex mutex_;
  BuildProgress last_;
  bool is_new_ = false;
};

nb::dict to_dict(const BuildReport& report) {
  nb::dict values;
  values["documents"] = report.documents;
  values["skipped"] = report.skipped_documents;
  values["tokens"] = report.tokens;
  values["terms"] = report.terms;
  values["postings"] = report.postings;
  values["seconds"] = report.seconds;
  nb::list notes;
  for (const std::string& note : report.notes) notes.append(to_str(note));
  values["notes"] = notes;
  return values;
}

/// Puts the documents of an iterable into a queue, until they end or the build does.
void feed(nb::handle documents, const DictReader& dicts, DocumentQueue& queue, BuildWatch& watch,
          nb::handle progress) {
  DocumentQueue::Batch batch;
  std::size_t bytes = 0;
  std::uint64_t number = 0;
  const auto give = [&] {
    bool goes_on = true;
    while (goes_on && !batch.empty()) {
      {
        const nb::gil_scoped_release no_gil;
        goes_on = queue.push(batch, kSignalInterval);
      }
      check_signals();
      watch.tell(progress);
    }
    bytes = 0;
    return goes_on;
  };
  for (const nb::handle item : nb::iter(documents)) {
    RawRecord& record = batch.emplace_back();
    record.location = {"<documents>", ++number};
    dicts.encode(item, record);
    bytes += record.bytes.size() + record.embedding.size() * sizeof(float);
    for (const auto& vector : record.embeddings) bytes += vector.size() * sizeof(float);
    if ((bytes >= kBatchBytes || batch.size() == kBatchRecords) && !give()) return;
  }
  give();
}

nb::dict build(nb::handle documents, const std::string& path, nb::handle progress,
               const nb::dict& keywords) {
  Given given = read_keywords(keywords);
  given.options.output = path;
  const auto queue = std::make_shared<DocumentQueue>();
  const DictReader dicts(given.shape);
  BuildWatch watch;
  watch.attach(given.options);
  const bool has_weights = !given.shape.weights.empty();
  std::unique_ptr<DocumentReader> reader = with_vectors(given, read_queue(queue, has_weights));
  nb::object items = nb::steal(PyObject_GetIter(documents.ptr()));
  if (!items) throw nb::python_error();
  BuildReport report;
  Worker worker([&] {
    try {
      report = build_index(*reader, given.options);
    } catch (...) {
      queue->abandon();
      throw;
    }
  });
  worker.run(
      [&] {
        feed(items, dicts, *queue, watch, progress);
        queue->close();
      },
      [&] { watch.tell(progress); },
      [&] {
        watch.stop();
        queue->fail();
      });
  return to_dict(report);
}

nb::dict build_files(nb::handle inputs, const std::string& path, nb::handle progress,
                     const nb::dict& keywords) {
  Given given = read_keywords(keywords);
  given.options.output = path;
  given.files.inputs = texts_of(inputs, "a path");
  given.files.fields = given.shape.fields;
  given.files.stored = given.shape.stored;
  given.files.columns = given.shape.columns;
  given.files.text_fields = given.shape.texts;
  given.files.embedding = given.shape.vector;
  given.files.vectors = given.shape.vectors;
  given.files.memory = given.options.memory;
  BuildWatch watch;
  watch.attach(given.options);
  given.files.on_read = [&watch] { watch.check(); };
  BuildReport report;
  Worker worker([&] {
    const auto reader = with_vectors(given, open_documents(given.files));
    report = build_index(*reader, given.options);
  });
  worker.run([] {}, [&] { watch.tell(progress); }, [&] { watch.stop(); });
  return to_dict(report);
}

}  // namespace

void bind_build(nb::module_& module) {
  module.def("build", &build, nb::arg("documents"), nb::arg("path"), nb::arg("progress").none(),
             nb::arg("options"));
  module.def("build_files", &build_files, nb::arg("inputs"), nb::arg("path"),
             nb::arg("progress").none(), nb::arg("options"));
}

}  // namespace warpdex::python
