// Gathers documents, hands them to the living index some thousand at a time, and keeps the journal.
#include "writer_state.hpp"

#include <algorithm>
#include <utility>

#include "warpdex/core/error.hpp"
#include "warpdex/indexer/field_value.hpp"
#include "warpdex/indexer/readers/memory_reader.hpp"

namespace warpdex {
namespace {

namespace fs = std::filesystem;

/// Of a writer's memory: what merges get, and what documents that wait may take.
constexpr std::uint64_t kMergeShare = 4;
constexpr std::uint64_t kWaitingShare = 8;
/// Bytes for the journal that wait at most.
constexpr std::uint64_t kMaxWaitingJournal = std::uint64_t{8} << 20;

/// What merges in the background get.
std::uint64_t merge_memory(const WriterOptions& options) {
  return options.merges ? std::max(kMinBuildMemory, options.memory / kMergeShare) : 0;
}

std::unique_ptr<DocumentReader> reader_of(std::vector<Document> documents, bool is_weighted) {
  return is_weighted ? vectors_from_memory(std::move(documents))
                     : documents_from_memory(std::move(documents));
}

std::uint64_t bytes_of(const Document& document) {
  std::uint64_t bytes = sizeof(Document) + document.id.size() + document.text.size() +
                        document.embedding.size() * sizeof(float);
  for (const auto& vector : document.embeddings) bytes += vector.size() * sizeof(float);
  for (const std::string& text : document.texts) bytes += text.size();
  for (const auto& value : document.stored) bytes += value ? value->size() : 0;
  bytes += encode_values(document.values).size() + document.values.size() * 64;
  for (const TermWeight& term : document.vector) bytes += sizeof(TermWeight) + term.term.size();
  return bytes;
}

}  // namespace

Writer::State::State(const fs::path& given, const WriterOptions& wanted)
    : folder(given), target(fs::absolute(given)), options(wanted) {
  open(folder);
}

void Writer::State::open(const fs::path& place) {
  journal.reset();
  index.reset();
  index.emplace(place);
  columns = columns_of(index->settings().schema);
  if (options.merges) index->merge_in_background({merge_memory(options), 1});
  recovered = take_journal();
  has_found = recovered > 0;
}

BuildOptions Writer::State::build_options() const {
  BuildOptions build;
  build.memory = options.memory - merge_memory(options);
  build.threads = options.threads;
  return build;
}

void Writer::State::take(NewDocument&& given, bool is_update) {
  make_ready();
  Document document = document_of(std::move(given));
  check(document);
  if (!is_update && (places.contains(document.id) || index->has(document.id))) {
    throw BadDocument("the index holds a document with the id '" + document.id +
                      "' already; update it, remove it first, or leave the new one out");
  }
  if (journal) {
    if (journal->waiting() > kMaxWaitingJournal) journal->sync();
    journal->put(document);
    is_behind = true;  // unless the next call returns
  }
  put(std::move(document));
  is_behind = false;
  flush_much();
}

void Writer::State::put(Document&& document) {
  const std::uint64_t bytes = bytes_of(document);
  waiting.emplace_back();  // one without an id is left out when they are handed over
  const std::size_t place = waiting.size() - 1;
  const auto [known, is_new] = places.try_emplace(document.id, place);
  if (!is_new) waiting[std::exchange(known->second, place)] = Document{};
  waiting[place] = std::move(document);
  waiting_bytes += bytes;
}

bool Writer::State::remove(std::string_view id) {
  make_ready();
  if (!places.empty() && places.contains(std::string(id))) flush();
  if (!index->remove(id)) return false;
  if (!journal) return true;
  is_behind = true;  // unless the next call returns
  journal->remove(id);
  is_behind = false;
  return true;
}

void Writer::State::flush(const std::function<void()>& check) {
  if (waiting.empty()) return;
  std::vector<Document> documents = std::move(waiting);
  forget();
  std::erase_if(documents, [](const Document& document) { return document.id.empty(); });
  bool& is_short = journal ? is_behind : has_lost;
  is_short = true;  // unless the next call returns
  std::vector<std::string> refused;
  AddOptions add{.update = true, .build = build_options()};
  add.build.on_bad_document = OnBadDocument::kSkip;
  add.build.on_skipped_document = [&](const std::string& why) { refused.push_back(why); };
  if (check) add.build.on_progress = [&](const BuildProgress&) { check(); };
  index->add(*reader_of(std::move(documents), is_weighted()), add);
  is_short = false;
  if (refused.empty()) return;
  throw BadDocument(refused[0] +
                    (refused.size() > 1
                         ? "; and " + std::to_string(refused.size() - 1) + " more were left out"
                         : ""));
}

void Writer::State::flush_much() {
  if (waiting_bytes > options.memory / kWaitingShare) flush();
}

void Writer::State::forget() {
  waiting.clear();
  places.clear();
  waiting_bytes = 0;
}

}  // namespace warpdex
