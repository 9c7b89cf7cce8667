// Changes to bytes and back. docs/format.md, "Journal".
#include "warpdex/indexer/living/change_journal.hpp"

#include <cstring>
#include <string>
#include <utility>

#include "format/manifest.hpp"
#include "format/segment_opener.hpp"
#include "format/varint.hpp"
#include "warpdex/core/checksum.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/indexer/field_value.hpp"

namespace warpdex {
namespace {

enum class ChangeKind : std::uint64_t { kPut = 1, kRemove = 2, kPutVectors = 3 };

using RecordBytes = std::vector<std::uint8_t>;

void add_raw(RecordBytes& to, const void* bytes, std::size_t size) {
  const auto* const first = static_cast<const std::uint8_t*>(bytes);
  to.insert(to.end(), first, first + size);
}

void add_sized(RecordBytes& to, std::string_view text) {
  append_varint(to, text.size());
  add_raw(to, text.data(), text.size());
}

std::string next_sized(ByteCursor& from) {
  const std::uint64_t size = from.varint();
  return {reinterpret_cast<const char*>(from.take(size)), size};
}

float next_float(ByteCursor& from) {
  float value = 0;
  std::memcpy(&value, from.take(sizeof value), sizeof value);
  return value;
}

void add_vector(RecordBytes& to, const std::vector<float>& vector) {
  append_varint(to, vector.size());
  add_raw(to, vector.data(), vector.size() * sizeof(float));
}

std::vector<float> next_vector(ByteCursor& from) {
  std::vector<float> vector;
  for (std::uint64_t left = from.varint(); left > 0; --left) vector.push_back(next_float(from));
  return vector;
}

void add_put(RecordBytes& to, const Document& document) {
  add_sized(to, document.id);
  add_sized(to, document.text);
  append_varint(to, document.stored.size());
  for (const auto& value : document.stored) {
    to.push_back(value ? 1 : 0);
    if (value) add_sized(to, *value);
  }
  add_vector(to, document.embedding);
  append_varint(to, document.vector.size());
  for (const TermWeight& term : document.vector) {
    add_sized(to, term.term);
    add_raw(to, &term.weight, sizeof term.weight);
  }
  if (document.texts.empty() && document.values.empty()) return;
  append_varint(to, document.texts.size());
  for (const std::string& text : document.texts) add_sized(to, text);
  const std::string values = encode_values(document.values);
  add_raw(to, values.data(), values.size());
}

/// Each thing takes a byte or more, so that a number of things is never taken on trust.
Document next_put(ByteCursor& from) {
  Document document;
  document.id = next_sized(from);
  document.text = next_sized(from);
  for (std::uint64_t left = from.varint(); left > 0; --left) {
    const bool is_there = from.byte() != 0;
    auto& value = document.stored.emplace_back();
    if (is_there) value = next_sized(from);
  }
  document.embedding = next_vector(from);
  for (std::uint64_t left = from.varint(); left > 0; --left) {
    std::string term = next_sized(from);
    document.vector.push_back({std::move(term), next_float(from)});
  }
  if (from.left() == 0) return document;
  for (std::uint64_t left = from.varint(); left > 0; --left) {
    document.texts.push_back(next_sized(from));
  }
  const std::uint64_t left = from.left();
  document.values = decode_values({reinterpret_cast<const char*>(from.take(left)), left});
  return document;
}

[[noreturn]] void fail_record(const std::string& name) {
  throw FormatError("the journal '" + name +
                    "' has a change that this Warpdex cannot read; take a newer one");
}

Document read_put(const JournalRecord& record, bool has_vectors, const std::string& name) {
  ByteCursor cursor{record.bytes.data(), record.bytes.data() + record.bytes.size()};
  try {
    std::vector<std::vector<float>> vectors;
    for (std::uint64_t left = has_vectors ? cursor.varint() : 0; left > 0; --left) {
      vectors.push_back(next_vector(cursor));
    }
    Document document = next_put(cursor);
    document.embeddings = std::move(vectors);
    if (cursor.left() == 0) return document;
  } catch (const FormatError&) {  // told below
  }
  fail_record(name);
}

}  // namespace

JournalBase journal_base_of(std::uint64_t commit, std::string_view manifest) {
  return {commit,
          checksum({reinterpret_cast<const std::uint8_t*>(manifest.data()), manifest.size()})};
}

JournalBase journal_base_of(const Folder& folder) {
  const std::string text = SegmentOpener::manifest_text(folder);
  return journal_base_of(manifest_from_json(text).stored.commit, text);
}

JournalVisitor change_reader(const ChangeVisitor& visit, std::string name) {
  return [&visit, name = std::move(name)](const JournalRecord& record) {
    switch (static_cast<ChangeKind>(record.kind)) {
      case ChangeKind::kPut: return visit.put(read_put(record, false, name));
      case ChangeKind::kPutVectors: return visit.put(read_put(record, true, name));
      case ChangeKind::kRemove:
        return visit.remove(
            {reinterpret_cast<const char*>(record.bytes.data()), record.bytes.size()});
    }
    fail_record(name);
  };
}

JournalContent read_changes(const Folder& folder, const JournalBase& base,
                            const ChangeVisitor& visit) {
  return read_journal(folder, base, change_reader(visit, folder.path() / kJournalName));
}

JournalContent read_changes(std::span<const std::uint8_t> bytes, const std::string& name,
                            const JournalBase& base, const ChangeVisitor& visit) {
  return read_journal(bytes, name, base, change_reader(visit, name));
}

void ChangeJournal::put(const Document& document) {
  bytes_.clear();
  const bool has_vectors = !document.embeddings.empty();
  if (has_vectors) append_varint(bytes_, document.embeddings.size());
  for (const std::vector<float>& vector : document.embeddings) add_vector(bytes_, vector);
  add_put(bytes_, document);
  const ChangeKind kind = has_vectors ? ChangeKind::kPutVectors : ChangeKind::kPut;
  journal_.append(static_cast<std::uint64_t>(kind), bytes_);
}

void ChangeJournal::remove(std::string_view id) {
  journal_.append(static_cast<std::uint64_t>(ChangeKind::kRemove),
                  {reinterpret_cast<const std::uint8_t*>(id.data()), id.size()});
}

void ChangeJournal::for_each(const ChangeVisitor& visit) const {
  journal_.for_each(change_reader(visit, journal_.path()));
}

}  // namespace warpdex
