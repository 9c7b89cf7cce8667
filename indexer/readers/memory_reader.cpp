// Document readers over a vector of documents.
#include "warpdex/indexer/readers/memory_reader.hpp"

#include <atomic>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "warpdex/indexer/field_value.hpp"
#include "warpdex/indexer/readers/text_checks.hpp"

namespace warpdex {
namespace {

void append_text(std::string& bytes, std::string_view text) {
  const std::uint64_t size = text.size();
  bytes.append(reinterpret_cast<const char*>(&size), sizeof size);
  bytes += text;
}

std::string_view take_text(std::string_view& bytes) {
  std::uint64_t size = 0;
  std::memcpy(&size, bytes.data(), sizeof size);
  const std::string_view text = bytes.substr(sizeof size, size);
  bytes.remove_prefix(sizeof size + size);
  return text;
}

// A record is the id, the text, the values, the number of texts (a byte), these, and what is
// stored. Each string is behind its size in 8 bytes; a stored value has a byte more before it, 0
// where it is missing.
class MemoryReader final : public DocumentReader {
 public:
  explicit MemoryReader(std::vector<Document> documents) : documents_(std::move(documents)) {
    for (const Document& document : documents_) total_ += size_of(document);
  }

  bool next(RawRecord& record) override {
    if (next_ == documents_.size()) return false;
    const Document document = std::move(documents_[next_++]);
    record.bytes.clear();
    append_text(record.bytes, document.id);
    append_text(record.bytes, document.text);
    append_text(record.bytes, encode_values(document.values));
    record.bytes += static_cast<char>(document.texts.size());
    for (const std::string& each : document.texts) append_text(record.bytes, each);
    for (const auto& value : document.stored) {
      record.bytes += value ? '\1' : '\0';
      append_text(record.bytes, value ? *value : "");
    }
    record.embedding = document.embedding;
    record.embeddings = document.embeddings;
    record.location = {"<memory>", next_};
    consumed_.fetch_add(size_of(document), std::memory_order_relaxed);
    return true;
  }

  Document parse(const RawRecord& record) const override {
    std::string_view bytes = record.bytes;
    const std::string_view id = take_text(bytes);
    check_utf8(id, record.location);
    check_id(id, record.location);
    const std::string_view text = take_text(bytes);
    check_utf8(text, record.location);
    Document document{std::string(id), std::string(text)};
    document.values = decode_values(take_text(bytes));
    document.embedding = record.embedding;
    document.embeddings = record.embeddings;
    const auto texts = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    while (document.texts.size() < texts) {
      document.texts.emplace_back(take_text(bytes));
      check_utf8(document.texts.back(), record.location);
    }
    while (!bytes.empty()) {
      const bool is_there = bytes.front() != '\0';
      bytes.remove_prefix(1);
      const std::string_view value = take_text(bytes);
      check_utf8(value, record.location);
      document.stored.emplace_back(std::nullopt);
      if (is_there) document.stored.back().emplace(value);
    }
    return document;
  }

  std::uint64_t bytes_consumed() const override {
    return consumed_.load(std::memory_order_relaxed);
  }
  std::uint64_t bytes_total() const override { return total_; }

 private:
  static std::uint64_t size_of(const Document& document) {
    std::uint64_t bytes = document.id.size() + document.text.size();
    for (const std::string& each : document.texts) bytes += each.size();
    for (const auto& value : document.stored) bytes += value ? value->size() : 0;
    return bytes;
  }

  std::vector<Document> documents_;  // moved out as they are read
  std::size_t next_ = 0;
  std::uint64_t total_ = 0;
  std::atomic<std::uint64_t> consumed_{0};
};

// A record is empty: what it stands for is found by its location's line.
class VectorReader final : public DocumentReader {
 public:
  explicit VectorReader(std::vector<Document> documents) : documents_(std::move(documents)) {
    for (const Document& document : documents_) total_ += size_of(document);
  }

  bool next(RawRecord& record) override {
    if (next_ == documents_.size()) return false;
    consumed_.fetch_add(size_of(documents_[next_]), std::memory_order_relaxed);
    record.bytes.clear();
    record.location = {"<memory>", ++next_};
    return true;
  }

  Document parse(const RawRecord& record) const override {
    // Each record is parsed once, by one thread.
    Document document = std::move(documents_[record.location.line - 1]);
    check_utf8(document.id, record.location);
    check_id(document.id, record.location);
    for (const TermWeight& entry : document.vector) check_utf8(entry.term, record.location);
    for (const auto& value : document.stored) check_utf8(value.value_or(""), record.location);
    return document;
  }

  bool has_vectors() const override { return true; }
  std::uint64_t bytes_consumed() const override {
    return consumed_.load(std::memory_order_relaxed);
  }
  std::uint64_t bytes_total() const override { return total_; }

 private:
  static std::uint64_t size_of(const Document& document) {
    std::uint64_t bytes = document.id.size();
    for (const TermWeight& entry : document.vector) bytes += entry.term.size() + sizeof(float);
    return bytes;
  }

  mutable std::vector<Document> documents_;  // moved out as they are parsed
  std::size_t next_ = 0;
  std::uint64_t total_ = 0;
  std::atomic<std::uint64_t> consumed_{0};
};

}  // namespace

std::unique_ptr<DocumentReader> vectors_from_memory(std::vector<Document> documents) {
  return std::make_unique<VectorReader>(std::move(documents));
}

std::unique_ptr<DocumentReader> documents_from_memory(std::vector<Document> documents) {
  return std::make_unique<MemoryReader>(std::move(documents));
}

}  // namespace warpdex
