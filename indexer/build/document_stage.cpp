// Reads, analyses and inverts documents: batches side by side, docIDs in input order.
#include "build/document_stage.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <span>
#include <utility>

#include "build/check_vector.hpp"
#include "warpdex/indexer/build/ordered_pipeline.hpp"
#include "warpdex/indexer/format/stored_fields.hpp"
#include "warpdex/indexer/format/text_fields.hpp"
#include "warpdex/indexer/readers/text_checks.hpp"

namespace warpdex::build {
namespace {

constexpr std::size_t kBatchRecords = 1024;
constexpr std::uint32_t kRefused = std::numeric_limits<std::uint32_t>::max();

template <class T>
void clear_and_bound(std::vector<T>& values, std::size_t bytes) {
  values.clear();
  if (values.capacity() * sizeof(T) > bytes) std::vector<T>().swap(values);
}

}  // namespace

// A document that waits for its docID.
struct DocumentStage::Prepared {
  std::string id;
  IdHash hash;
  std::string problem;         // why it cannot be indexed; empty for a good one
  std::size_t counts_end = 0;  // of its part of the batch's counts
  std::size_t occurrences_end = 0;
  std::uint64_t positions = 0;  // that its words take
  std::uint64_t text_bytes = 0;
  // By text, in tokens; of a sparse vector, the terms that are not of weight 0.
  std::vector<std::uint64_t> lengths;
  std::uint64_t long_words = 0;  // left out
  std::uint32_t document = kRefused;
  std::string stored;                       // the record, if fields are stored
  FieldValues values;                       // of the columns
  std::vector<std::vector<float>> vectors;  // by set
  WeightSummary weights;                    // of a sparse vector
};

struct DocumentStage::Batch {
  std::vector<RawRecord> records;
  std::vector<Prepared> documents;  // one a record
  std::vector<TermCount> counts;
  std::vector<Occurrence> occurrences;  // where there are positions
  std::exception_ptr reader_failure;    // what stopped the reader after these records
};

struct alignas(64) DocumentStage::Worker {
  Worker(const IndexSettings& settings, std::size_t expected_bytes) : inverter(expected_bytes) {
    for (std::size_t i = 0; i < text_count(settings.schema); ++i) {
      analyzers.push_back(make_analyzer(text_analyzer(settings, i)));
    }
  }

  /// With the mark of a text field behind the first. Returns how many are left out, since they are
  /// then too long.
  std::size_t mark_terms(std::size_t field) {
    const std::string mark = field_mark(field);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < terms.size(); ++i) {
      if (terms[i].size() > kMaxTermBytes - mark.size()) continue;
      if (!positions.empty()) positions[kept] = positions[i];
      terms[kept++] = terms[i];
    }
    const std::size_t left_out = terms.size() - kept;
    terms.resize(kept);
    if (!positions.empty()) positions.resize(kept);
    marked.clear();
    for (const std::string_view term : terms) (marked += mark) += term;
    std::size_t at = 0;
    for (std::string_view& term : terms) {
      term = std::string_view(marked).substr(at, mark.size() + term.size());
      at += term.size();
    }
    return left_out;
  }

  std::vector<std::unique_ptr<Analyzer>> analyzers;  // by text
  std::vector<std::string_view> terms;
  std::vector<std::uint32_t> positions;
  std::string marked;
  Inverter inverter;
};

DocumentStage::DocumentStage(DocumentReader& reader, const BuildOptions& options,
                             const MemoryPlan& plan, const Admission* admission,
                             const IdTable* static_scores, IndexWriter& writer, RunStore& runs,
                             Progress& progress, BuildReport& report)
    : reader_(reader),
      options_(options),
      columns_(columns_of(options.schema).size()),
      plan_(plan),
      admission_(admission),
      static_scores_(static_scores),
      writer_(writer),
      runs_(runs),
      progress_(progress),
      report_(report) {}

DocumentStage::~DocumentStage() = default;

void DocumentStage::run() {
  if (static_scores_ != nullptr) table_bytes_ = static_scores_->memory();
  const std::size_t share = inverter_share(plan_, table_bytes_);
  IndexSettings settings;
  settings.analyzer = options_.analyzer;
  settings.schema = options_.schema;
  settings.vectors = options_.vectors;
  vector_sets_ = vector_sets(settings);
  text_fields_ = text_fields(options_.schema).size();
  set_positions(options_, settings);
  positioned_ = PositionedTexts(settings);
  for (std::size_t i = 0; i < plan_.threads; ++i) {
    workers_.push_back(std::make_unique<Worker>(settings, share));
  }
  progress_.counts().bytes_total = reader_.bytes_total();
  OrderedPipeline<Batch>(plan_.threads)
      .run([this](Batch& batch) { return take(batch); },
           [this](std::size_t thread, Batch& batch) { prepare(*workers_[thread], batch); },
           [this](Batch& batch) { accept(batch); },
           [this](std::size_t thread, Batch& batch) { invert(*workers_[thread], batch); });
  progress_.report(true);
  if (static_scores_ != nullptr) {
    report_.static_scores_unused = static_scores_->size() - scores_found_;
  }
}

std::vector<Inverter> DocumentStage::take_inverters() {
  std::vector<Inverter> inverters;
  for (const auto& worker : workers_) inverters.push_back(std::move(worker->inverter));
  workers_.clear();
  return inverters;
}

// A failing reader must not hide a bad document before the failure: it waits for its turn.
bool DocumentStage::take(Batch& batch) {
  if (ended_) return false;
  batch.records.clear();
  for (std::size_t bytes = 0; bytes < plan_.batch_bytes && batch.records.size() < kBatchRecords;) {
    RawRecord record;
    try {
      ended_ = !reader_.next(record);
    } catch (...) {
      batch.reader_failure = std::current_exception();
      ended_ = true;
    }
    if (ended_) break;
    bytes +=
        record.bytes.size() + record.location.file.size() + record.embedding.size() * sizeof(float);
    for (const auto& vector : record.embeddings) bytes += vector.size() * sizeof(float);
    // Such a record may be the start of an input without an end, whose rest is not waited for.
    ended_ = !record.problem.empty() && options_.on_bad_document == OnBadDocument::kFail;
    batch.records.push_back(std::move(record));
    if (ended_) break;
  }
  return !batch.records.empty() || batch.reader_failure;
}

// Raw bytes and texts are freed as soon as they were used.
void DocumentStage::prepare(Worker& worker, Batch& batch) const {
  clear_and_bound(batch.counts, 8 * plan_.batch_bytes);
  clear_and_bound(batch.occurrences, 4 * plan_.batch_bytes);
  batch.documents.clear();
  for (RawRecord& record : batch.records) {
    Prepared& prepared = batch.documents.emplace_back();
    const std::size_t start = batch.counts.size();
    const std::size_t occurrences_start = batch.occurrences.size();
    try {
      if (!record.problem.empty()) fail_document(record.location, record.problem);
      Document document = reader_.parse(record);
      std::string().swap(record.bytes);
      prepared.id = std::move(document.id);
      prepared.hash = hash_id(prepared.id);
      if (reader_.has_vectors()) {
        for (const TermWeight& entry : document.vector) prepared.text_bytes += entry.term.size();
        count_vector(worker, document.vector, batch.counts, prepared);
        if (admission_ != nullptr) prepared.weights.check_fit(admission_->weights.value());
      } else {
        count_texts(worker, document, batch, prepared);
      }
      if (!options_.stored_fields.empty()) prepared.stored = stored_record(document);
      check_values(document.values);
      prepared.values = std::move(document.values);
      prepared.vectors = take_vectors(document);
    } catch (const BadDocument& bad) {
      prepared.problem = bad.what();
    } catch (const InputError& bad) {
      prepared.problem =
          record.location.to_string() + ": document '" + prepared.id + "': " + bad.what();
    }
    if (!prepared.problem.empty()) {
      batch.counts.resize(start);
      batch.occurrences.resize(occurrences_start);
    }
    prepared.counts_end = batch.counts.size();
    prepared.occurrences_end = batch.occurrences.size();
    std::string().swap(record.bytes);
  }
  clear_and_bound(worker.terms, 4 * plan_.batch_bytes);
  clear_and_bound(worker.positions, plan_.batch_bytes);
}

std::string DocumentStage::stored_record(const Document& document) const {
  if (document.stored.size() != options_.stored_fields.size()) {
    throw UsageError("the index stores " + std::to_string(options_.stored_fields.size()) +
                     " fields, and a document came with " + std::to_string(document.stored.size()) +
                     "; open the reader with the fields that the index stores");
  }
  return encode_stored(document.stored);
}

void DocumentStage::check_values(const FieldValues& values) const {
  if (values.size() == columns_) return;
  throw UsageError("the index has " + std::to_string(columns_) +
                   " columns, and a document came with values of " + std::to_string(values.size()) +
                   "; open the reader with the index's columns");
}

std::vector<std::vector<float>> DocumentStage::take_vectors(Document& document) const {
  const bool has_unnamed = options_.vectors.has_value();
  const std::size_t named = vector_sets_.size() - (has_unnamed ? 1 : 0);
  if (document.embeddings.size() != named) {
    throw UsageError("the schema has " + std::to_string(named) +
                     " vectors, and a document came with " +
                     std::to_string(document.embeddings.size()) +
                     "; open the reader with the vectors of the schema");
  }
  std::vector<std::vector<float>> vectors = std::move(document.embeddings);
  if (has_unnamed) vectors.insert(vectors.begin(), std::move(document.embedding));
  for (std::size_t set = 0; set < vectors.size(); ++set) {
    check_vector(vectors[set], vector_sets_[set]);
  }
  return vectors;
}

void DocumentStage::count_texts(Worker& worker, const Document& document, Batch& batch,
                                Prepared& prepared) const {
  const bool is_one = document.texts.empty() && text_fields_ <= 1;
  const std::span texts = is_one ? std::span(&document.text, 1) : std::span(document.texts);
  if (!is_one && texts.size() != text_fields_) {
    throw UsageError("the index has " + std::to_string(text_fields_) +
                     " text fields, and a document came with " + std::to_string(texts.size()) +
                     " texts; open the reader with the text fields of the index");
  }
  const std::size_t start = batch.counts.size();
  for (const std::string& text : texts) {
    prepared.text_bytes += text.size();
    count_text(worker, text, start, batch, prepared);
  }
}

void DocumentStage::count_text(Worker& worker, std::string_view text, std::size_t start,
                               Batch& batch, Prepared& prepared) const {
  Analyzer& analyzer = *worker.analyzers[prepared.lengths.size()];
  prepared.lengths.push_back(0);
  prepared.positions = 0;
  try {
    const auto count = [&](std::string_view piece) {
      count_piece(worker, piece, start, batch, prepared);
    };
    analyzer.cuts_at_spaces() ? for_each_piece(text, count) : count(text);
  } catch (const InputError&) {
    analyzer.analyze(text, worker.terms);  // says where in the whole text
    throw;
  }
  if (prepared.positions > kMaxPositions) {
    throw InputError("it has more than " + std::to_string(kMaxPositions) + " words; split it");
  }
}

void DocumentStage::count_piece(Worker& worker, std::string_view piece, std::size_t start,
                                Batch& batch, Prepared& prepared) const {
  const std::size_t field = prepared.lengths.size() - 1;
  Analyzer& analyzer = *worker.analyzers[field];
  worker.positions.clear();
  if (!positioned_.has(field)) {
    prepared.long_words += analyzer.analyze(piece, worker.terms);
    if (field > 0) prepared.long_words += worker.mark_terms(field);
    worker.inverter.count_terms(worker.terms, start, batch.counts);
  } else {
    const Analyzed analyzed = analyzer.place(piece, worker.terms, worker.positions);
    prepared.long_words += analyzed.long_words;
    if (field > 0) prepared.long_words += worker.mark_terms(field);
    const auto first = static_cast<std::uint32_t>(prepared.positions);
    for (std::uint32_t& position : worker.positions) position += first;
    worker.inverter.count_terms(worker.terms, worker.positions, start, batch.counts,
                                batch.occurrences);
    prepared.positions += analyzed.positions;
  }
  prepared.lengths.back() += worker.terms.size();
}

void DocumentStage::count_vector(Worker& worker, const std::vector<TermWeight>& vector,
                                 std::vector<TermCount>& counts, Prepared& prepared) {
  const std::size_t start = counts.size();
  for (const TermWeight& entry : vector) {
    check_weight(entry);
    if (entry.weight == 0) {
      ++prepared.weights.zeros;
      continue;
    }
    if (entry.term.size() > kMaxTermBytes) {
      ++prepared.long_words;
      continue;
    }
    if (!worker.inverter.add_term(entry.term, encode_weight(entry.weight), start, counts)) {
      throw InputError("the vector has the term '" + excerpt(entry.term) +
                       "' twice; give each term one weight");
    }
    prepared.weights.add(entry.weight);
  }
  if (counts.size() == start && prepared.long_words == 0) {
    throw InputError(vector.empty()
                         ? "the vector is empty; give it a term, or leave the document out"
                         : "all weights of the vector are 0; leave the document out");
  }
  prepared.lengths = {counts.size() - start};
}

void DocumentStage::accept(Batch& batch) {
  std::size_t counts_start = 0;
  for (std::size_t i = 0; i < batch.documents.size(); ++i) {
    Prepared& document = batch.documents[i];
    if (accept(document, batch.records[i].location)) {
      report_.postings += document.counts_end - counts_start;
    } else {
      refuse(document.problem);
    }
    counts_start = document.counts_end;
  }
  if (batch.reader_failure) std::rethrow_exception(batch.reader_failure);
  table_bytes_ = ids_.memory() + writer_.memory() + reader_.unpacking_memory() +
                 (static_scores_ != nullptr ? static_scores_->memory() : 0);
  BuildProgress& counts = progress_.counts();
  counts.documents = report_.documents;
  counts.text_bytes = report_.text_bytes;
  counts.bytes_consumed = reader_.bytes_consumed();
  progress_.report();
}

void DocumentStage::check_room(const Location& location) const {
  const std::uint64_t before = admission_ != nullptr ? admission_->documents : 0;
  if (before + report_.documents < kMaxDocuments) return;
  const std::string what = before == 0
                               ? "; split the collection"
                               : ", and deleted ones count until a merge; merge all segments, or "
                                 "split the collection";
  throw InputError(location.to_string() + ": an index holds at most " +
                   std::to_string(kMaxDocuments) + " documents" + what);
}

bool DocumentStage::accept(Prepared& document, const Location& location) {
  if (!document.problem.empty()) return false;
  const std::string refusal = admission_ != nullptr ? admission_->refusal(document.id) : "";
  if (!refusal.empty()) {
    document.problem = location.to_string() + ": " + refusal;
    return false;
  }
  if (!ids_.insert(document.hash, std::bit_cast<float>(places_.number(location)))) {
    const auto first = std::bit_cast<std::uint32_t>(ids_.find(document.hash).value());
    document.problem = location.to_string() + ": a document with the id '" + document.id +
                       "' came before, at " + places_.text(first) +
                       "; make ids unique, or skip the later ones";
    return false;
  }
  check_room(location);
  float score = 0;
  if (static_scores_ != nullptr) {
    if (const auto known = static_scores_->find(document.hash)) {
      score = *known;
      ++scores_found_;
      if (score > largest_static_.score) largest_static_ = {score, document.id};
    }
  }
  lengths_.clear();
  for (const std::uint64_t length : document.lengths) {
    // The index writer refuses what is too long, also what would not fit here.
    lengths_.push_back(static_cast<std::uint32_t>(std::min<std::uint64_t>(length, UINT32_MAX)));
  }
  writer_.add_document(document.id, lengths_, score);
  if (!options_.stored_fields.empty()) writer_.add_stored(document.stored);
  if (columns_ > 0) writer_.add_values(document.values);
  for (std::size_t set = 0; set < document.vectors.size(); ++set) {
    writer_.add_vector(document.vectors[set], set);
  }
  std::string().swap(document.stored);
  FieldValues().swap(document.values);
  std::vector<std::vector<float>>().swap(document.vectors);
  weights_.add(document.weights);
  document.document = static_cast<std::uint32_t>(report_.documents++);
  for (const std::uint64_t length : document.lengths) report_.tokens += length;
  report_.long_words += document.long_words;
  report_.text_bytes += document.text_bytes;
  return true;
}

void DocumentStage::refuse(const std::string& problem) {
  if (options_.on_bad_document == OnBadDocument::kFail) throw BadDocument(problem);
  ++report_.skipped_documents;
  if (options_.on_skipped_document) options_.on_skipped_document(problem);
}

void DocumentStage::invert(Worker& worker, Batch& batch) {
  std::size_t start = 0;
  std::size_t first = 0;  // occurrence
  for (const Prepared& document : batch.documents) {
    const auto counts = std::span(batch.counts).subspan(start, document.counts_end - start);
    start = document.counts_end;
    const auto occurrences =
        std::span(batch.occurrences).subspan(first, document.occurrences_end - first);
    first = document.occurrences_end;
    if (document.document == kRefused) continue;
    positioned_.any()
        ? worker.inverter.add_postings(document.document, counts, occurrences, positioned_)
        : worker.inverter.add_postings(document.document, counts);
  }
  const std::uint64_t limit =
      std::min(inverter_share(plan_, table_bytes_.load()), Inverter::kMaxBytes);
  if (worker.inverter.memory() >= limit) runs_.spill(worker.inverter);
}

}  // namespace warpdex::build
