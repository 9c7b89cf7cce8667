// Document readers over a vector of documents.
#include "warpdex/indexer/readers/memory_reader.hpp"

#include <atomic>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "warpdex/indexer/readers/text_checks.hpp"

namespace warpdex {
namespace {

// A record is the id's size in 8 bytes, the id, and the text.
class MemoryReader final : public DocumentReader {
 public:
  explicit MemoryReader(std::vector<Document> documents) : documents_(std::move(documents)) {
    for (const Document& document : documents_) total_ += document.id.size() + document.text.size();
  }

  bool next(RawRecord& record) override {
    if (next_ == documents_.size()) return false;
    const Document document = std::move(documents_[next_++]);
    const std::uint64_t id_size = document.id.size();
    record.bytes.assign(reinterpret_cast<const char*>(&id_size), sizeof id_size);
    record.bytes += document.id;
    record.bytes += document.text;
    record.location = {"<memory>", next_};
    consumed_.fetch_add(id_size + document.text.size(), std::memory_order_relaxed);
    return true;
  }

  Document parse(const RawRecord& record) const override {
    std::uint64_t id_size = 0;
    std::memcpy(&id_size, record.bytes.data(), sizeof id_size);
    const std::string_view bytes = std::string_view(record.bytes).substr(sizeof id_size);
    check_utf8(bytes.substr(0, id_size), record.location);
    check_id(bytes.substr(0, id_size), record.location);
    check_utf8(bytes.substr(id_size), record.location);
    return {std::string(bytes.substr(0, id_size)), std::string(bytes.substr(id_size))};
  }

  std::uint64_t bytes_consumed() const override {
    return consumed_.load(std::memory_order_relaxed);
  }
  std::uint64_t bytes_total() const override { return total_; }

 private:
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
