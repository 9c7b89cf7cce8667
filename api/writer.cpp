// Gathers documents, and hands them to the living index some thousand at a time.
#include "warpdex/writer.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "warpdex/core/error.hpp"
#include "warpdex/indexer/living/living_index.hpp"
#include "warpdex/indexer/readers/memory_reader.hpp"
#include "warpdex/indexer/readers/text_checks.hpp"

namespace warpdex {
namespace {

namespace fs = std::filesystem;

/// Of a writer's memory: what merges get, and what documents that wait may take.
constexpr std::uint64_t kMergeShare = 4;
constexpr std::uint64_t kWaitingShare = 8;

/// What merges in the background get.
std::uint64_t merge_memory(const WriterOptions& options) {
  return options.merges ? std::max(kMinBuildMemory, options.memory / kMergeShare) : 0;
}

std::unique_ptr<DocumentReader> reader_of(std::vector<Document> documents, bool is_weighted) {
  return is_weighted ? vectors_from_memory(std::move(documents))
                     : documents_from_memory(std::move(documents));
}

void make_empty(const fs::path& folder, const NewIndex& settings, const WriterOptions& options) {
  BuildOptions build;
  build.output = folder;
  build.analyzer = settings.analyzer;
  build.codec = settings.codec;
  build.stored_fields = settings.stored;
  build.vectors = settings.vectors;
  build.memory = options.memory;
  build.threads = options.threads;
  build_index(*reader_of({}, settings.is_weighted), build);
}

std::uint64_t size_of(const Document& document) {
  std::uint64_t bytes = sizeof(Document) + document.id.size() + document.text.size() +
                        document.embedding.size() * sizeof(float);
  for (const auto& value : document.stored) bytes += value ? value->size() : 0;
  for (const TermWeight& term : document.vector) bytes += sizeof(TermWeight) + term.term.size();
  return bytes;
}

}  // namespace

struct Writer::State {
  State(const fs::path& given, const WriterOptions& wanted)
      : folder(given), target(fs::absolute(given)), options(wanted) {
    open(folder);
  }

  void open(const fs::path& place);
  void take(NewDocument&& given, bool is_update);
  Document document_of(NewDocument&& given) const;
  void check(const Document& document) const;
  void check_numbers(const Document& document, const std::string& called) const;
  /// Hands what waits to the index.
  void flush();
  void forget();
  /// Throws IoError if documents were lost since the last commit.
  void check_whole() const;
  BuildOptions build_options() const;
  bool is_weighted() const { return index->settings().impacts.has_value(); }

  const fs::path folder;  ///< as it was given
  const fs::path target;
  const WriterOptions options;
  std::optional<LivingIndex> index;
  std::vector<Document> waiting;
  std::unordered_map<std::string, std::size_t> places;  ///< in `waiting`, by id
  std::uint64_t waiting_bytes = 0;
  bool has_lost = false;  ///< documents, since the index could not be written
};

void Writer::State::open(const fs::path& place) {
  index.reset();
  index.emplace(place);
  if (options.merges) index->merge_in_background({merge_memory(options), 1});
}

BuildOptions Writer::State::build_options() const {
  BuildOptions build;
  build.memory = options.memory - merge_memory(options);
  build.threads = options.threads;
  return build;
}

Document Writer::State::document_of(NewDocument&& given) const {
  const IndexSettings& settings = index->settings();
  Document document{std::move(given.id), std::move(given.text)};
  document.vector = std::move(given.weights);
  document.embedding = std::move(given.vector);
  for (const std::string& name : settings.stored_fields) {
    const auto found = given.fields.find(name);
    auto& value = document.stored.emplace_back();
    if (found == given.fields.end()) continue;
    value = std::move(found->second);
    given.fields.erase(found);
  }
  if (!given.fields.empty()) {
    throw UsageError("the index '" + folder.string() + "' stores no field '" +
                     given.fields.begin()->first + "'; leave it out, or build the index with it");
  }
  return document;
}

/// What would otherwise be found when many documents are added at once. Throws BadDocument.
void Writer::State::check(const Document& document) const {
  const std::string called = "the document '" + document.id + "' ";
  if (is_weighted() == document.vector.empty()) {
    throw BadDocument(called + (is_weighted() ? "has no weights, and the index is of weighted terms"
                                              : "has weights, and the index is of texts"));
  }
  const auto& vectors = index->settings().vectors;
  const std::size_t dimension = vectors ? vectors->dimension : 0;
  if (document.embedding.size() != dimension) {
    throw BadDocument(called + "has a vector of " + std::to_string(document.embedding.size()) +
                      " components, and those of the index have " + std::to_string(dimension));
  }
  check_numbers(document, called);
  const Location location{"<memory>", waiting.size() + 1};
  check_utf8(document.id, location);
  check_id(document.id, location);
  check_utf8(document.text, location);
  for (const auto& value : document.stored) check_utf8(value ? *value : "", location);
}

void Writer::State::check_numbers(const Document& document, const std::string& called) const {
  constexpr float kMaxHalf = 65'504;
  const IndexSettings& settings = index->settings();
  const bool are_halves = settings.vectors && settings.vectors->store == vector::Store::kHalf;
  for (const float component : document.embedding) {
    if (std::isfinite(component) && (!are_halves || std::abs(component) <= kMaxHalf)) continue;
    throw BadDocument(called + "has a component that is not finite, or too large for a half");
  }
  const bool are_whole = is_weighted() && settings.impacts->source == ImpactSource::kWholeWeights;
  for (const TermWeight& term : document.vector) {
    const bool fits =
        std::isfinite(term.weight) && term.weight >= 0 &&
        (!are_whole || (term.weight <= 255 && term.weight == std::floor(term.weight)));
    if (fits) continue;
    throw BadDocument(called + "has a weight for '" + term.term + "' that is not " +
                      (are_whole ? "a whole number from 0 to 255" : "a number of 0 or more"));
  }
}

void Writer::State::take(NewDocument&& given, bool is_update) {
  check_whole();
  Document document = document_of(std::move(given));
  check(document);
  const auto known = places.find(document.id);
  if (!is_update && (known != places.end() || index->has(document.id))) {
    throw BadDocument("the index holds a document with the id '" + document.id +
                      "' already; update it, remove it first, or leave the new one out");
  }
  waiting_bytes += size_of(document);
  if (known != places.end()) {
    waiting[known->second] = std::move(document);
  } else {
    places.emplace(document.id, waiting.size());
    waiting.push_back(std::move(document));
  }
  if (waiting_bytes > options.memory / kWaitingShare) flush();
}

void Writer::State::flush() {
  check_whole();
  if (waiting.empty()) return;
  std::vector<Document> documents = std::move(waiting);
  forget();
  has_lost = true;  // unless the next call returns
  std::vector<std::string> refused;
  AddOptions add{.update = true, .build = build_options()};
  add.build.on_bad_document = OnBadDocument::kSkip;
  add.build.on_skipped_document = [&](const std::string& why) { refused.push_back(why); };
  index->add(*reader_of(std::move(documents), is_weighted()), add);
  has_lost = false;
  if (refused.empty()) return;
  throw BadDocument(refused[0] +
                    (refused.size() > 1
                         ? "; and " + std::to_string(refused.size() - 1) + " more were left out"
                         : ""));
}

void Writer::State::check_whole() const {
  if (!has_lost) return;
  throw IoError("documents were lost when the index '" + folder.string() +
                "' could not be written; call rollback(), then give all since the last commit "
                "again");
}

void Writer::State::forget() {
  waiting.clear();
  places.clear();
  waiting_bytes = 0;
}

Writer::Writer(const fs::path& folder, const NewIndex& settings, const WriterOptions& options) {
  const std::uint64_t least = (options.merges ? 2 : 1) * kMinBuildMemory;
  if (options.memory < least) {
    throw UsageError("a writer needs at least " + std::to_string(least >> 20) +
                     " MiB of memory; allow more");
  }
  std::error_code ignored;
  const bool is_new =
      options.creates && (!fs::exists(folder, ignored) ||
                          (fs::is_directory(folder, ignored) && fs::is_empty(folder, ignored)));
  if (is_new) make_empty(folder, settings, options);
  state_ = std::make_unique<State>(folder, options);
}

Writer::~Writer() = default;
Writer::Writer(Writer&&) noexcept = default;
Writer& Writer::operator=(Writer&&) noexcept = default;

const IndexSettings& Writer::settings() const { return state_->index->settings(); }

void Writer::add(NewDocument document) { state_->take(std::move(document), false); }
void Writer::update(NewDocument document) { state_->take(std::move(document), true); }

BuildReport Writer::add(DocumentReader& documents, const FilesOptions& options) {
  state_->flush();
  AddOptions add{.update = options.update, .build = state_->build_options()};
  add.build.static_scores = options.static_scores;
  add.build.on_progress = options.on_progress;
  if (options.on_bad_document) {
    add.build.on_bad_document = OnBadDocument::kSkip;
    add.build.on_skipped_document = options.on_bad_document;
  }
  return state_->index->add(documents, add);
}

BuildReport Writer::add_files(ReaderOptions files, const FilesOptions& options) {
  state_->check_whole();
  files.stored = settings().stored_fields;
  return add(*open_documents(files), options);
}

bool Writer::remove(std::string_view id) {
  state_->check_whole();
  if (!state_->places.empty() && state_->places.contains(std::string(id))) state_->flush();
  return state_->index->remove(id);
}

CommitReport Writer::commit(const std::function<void()>& check) {
  state_->flush();
  return state_->index->commit(check);
}

void Writer::rollback() {
  state_->forget();
  state_->has_lost = true;  // where the index cannot be opened again
  state_->open(state_->target);
  state_->has_lost = false;
}

MergeReport Writer::merge(bool all, const std::function<void(double)>& on_progress) {
  state_->flush();
  return state_->index->merge({.all = all,
                               .memory = state_->options.memory,
                               .threads = state_->options.threads,
                               .on_progress = on_progress});
}

void Writer::finish_merges(const std::function<void()>& check) {
  state_->flush();
  state_->index->finish_merges(check);
}

}  // namespace warpdex
