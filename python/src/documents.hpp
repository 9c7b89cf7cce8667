// Documents as Python has them, dicts, as documents of the library.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "support.hpp"
#include "warpdex/indexer/readers/document_reader.hpp"
#include "warpdex/writer.hpp"

namespace warpdex::python {

/// Which members of a dict a document is made of. The id is the first of "id", "_id" and "docno"
/// that is there and not None: a str or an int.
struct DocumentShape {
  std::vector<std::string> fields;   ///< texts that are searched, joined by line feeds
  std::vector<std::string> stored;   ///< texts or numbers that are kept
  std::string weights;               ///< a dict of terms and their weights; empty: there are texts
  std::string vector;                ///< a sequence of floats; empty: none
  std::vector<Field> columns{};      ///< values, or sequences of these
  std::vector<std::string> texts{};  ///< text fields, each searched by itself; empty: `fields` are
  std::vector<Field> vectors{};      ///< sequences of floats, of the schema
};

/// Reads dicts of one shape. With the GIL.
class DictReader {
 public:
  explicit DictReader(DocumentShape shape);

  const DocumentShape& shape() const { return shape_; }
  /// Throws BadDocument for what makes no document.
  NewDocument read(nb::handle item) const;
  /// The same, encoded for decode_document(), in `record`; what is wrong becomes its problem.
  void encode(nb::handle item, RawRecord& record) const;

 private:
  std::string id_of(nb::handle item) const;
  std::string text_of_fields(nb::handle item) const;
  std::vector<std::string> texts_of_item(nb::handle item) const;
  std::optional<std::string> value_of(nb::handle item, const nb::str& key,
                                      const std::string& name) const;
  std::vector<TermWeight> weights_of(nb::handle item) const;
  static std::vector<float> vector_of(nb::handle item, const std::string& name);
  FieldValues values_of(nb::handle item) const;

  DocumentShape shape_;
  std::vector<nb::str> ids_;  ///< keys, made once
  std::vector<nb::str> fields_;
  std::vector<nb::str> stored_;
  std::vector<nb::str> columns_;
  std::vector<nb::str> texts_;
};

/// Records that one thread gives and a build takes, some MiB of them between the two.
class DocumentQueue {
 public:
  using Batch = std::vector<RawRecord>;

  /// Waits for room up to `limit`; the batch is then empty, unless there was none. Returns false
  /// once the build has ended. Without the GIL.
  bool push(Batch& batch, std::chrono::milliseconds limit);
  /// There are no more.
  void close() { end(State::kClosed); }
  /// The build is to fail.
  void fail() { end(State::kFailed); }
  /// The build has ended.
  void abandon() { end(State::kAbandoned); }

  /// The next record; false at the end. Throws CancelledError after fail().
  bool next(RawRecord& record);
  std::uint64_t bytes() const { return bytes_.load(std::memory_order_relaxed); }

 private:
  enum class State { kOpen, kClosed, kFailed, kAbandoned };
  void end(State state);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Batch> waiting_;
  State state_ = State::kOpen;
  Batch current_;          ///< of the reading thread
  std::size_t place_ = 0;  ///< in it
  std::atomic<std::uint64_t> bytes_{0};
};

/// A reader of what is put into a queue.
std::unique_ptr<DocumentReader> read_queue(std::shared_ptr<DocumentQueue> queue, bool has_weights);

}  // namespace warpdex::python
