#include "documents.hpp"

#include <nanobind/stl/optional.h>

#include <cstring>
#include <optional>
#include <utility>

#include "warpdex/indexer/field_value.hpp"
#include "warpdex/indexer/readers/text_checks.hpp"
#include "warpdex/search_options.hpp"

namespace warpdex::python {
namespace {

constexpr std::size_t kWaitingBatches = 16;

/// The value of a key, or none where it is missing or None.
nb::handle member(nb::handle item, const nb::str& key) {
  PyObject* const value = PyDict_GetItemWithError(item.ptr(), key.ptr());
  if (value == nullptr && PyErr_Occurred() != nullptr) throw nb::python_error();
  return value == Py_None ? nb::handle() : nb::handle(value);
}

/// What a column is given: True, 7, 0.5, "text", or what has isoformat(), as dates have.
FieldValue value_from(nb::handle value, const std::string& name) {
  if (PyBool_Check(value.ptr())) return value.ptr() == Py_True;
  if (PyUnicode_Check(value.ptr())) return std::string(python::text_of(value, name.c_str()));
  if (PyFloat_Check(value.ptr())) return PyFloat_AsDouble(value.ptr());
  if (nb::hasattr(value, "isoformat")) {
    return nb::cast<std::string>(nb::str(value.attr("isoformat")()));
  }
  const nb::object whole = nb::steal(PyNumber_Index(value.ptr()));
  if (!whole) {
    PyErr_Clear();
    throw InputError("the field '" + name + "' has a value of type " + name_of_type(value));
  }
  const std::int64_t number = PyLong_AsLongLong(whole.ptr());
  if (PyErr_Occurred() == nullptr) return number;
  PyErr_Clear();
  throw InputError("the field '" + name + "' has a number of more than 64 bits");
}

std::vector<nb::str> keys_of(const std::vector<std::string>& names) {
  std::vector<nb::str> keys;
  for (const std::string& name : names) keys.push_back(to_str(name));
  return keys;
}

// A record is the id, the text, the weights, the values and what is stored. Texts stand behind
// their sizes.
void put_size(std::string& bytes, std::uint64_t size) {
  bytes.append(reinterpret_cast<const char*>(&size), sizeof size);
}

void put_text(std::string& bytes, std::string_view text) {
  put_size(bytes, text.size());
  bytes += text;
}

template <class T>
T take(std::string_view& bytes) {
  T value{};
  std::memcpy(&value, bytes.data(), sizeof value);
  bytes.remove_prefix(sizeof value);
  return value;
}

std::string_view take_text(std::string_view& bytes) {
  const auto size = take<std::uint64_t>(bytes);
  const std::string_view text = bytes.substr(0, size);
  bytes.remove_prefix(size);
  return text;
}

class QueueReader final : public DocumentReader {
 public:
  QueueReader(std::shared_ptr<DocumentQueue> queue, bool has_weights)
      : queue_(std::move(queue)), has_weights_(has_weights) {}

  bool next(RawRecord& record) override { return queue_->next(record); }
  Document parse(const RawRecord& record) const override;
  bool has_vectors() const override { return has_weights_; }
  std::uint64_t bytes_consumed() const override { return queue_->bytes(); }
  std::uint64_t bytes_total() const override { return 0; }

 private:
  std::shared_ptr<DocumentQueue> queue_;
  bool has_weights_;
};

Document QueueReader::parse(const RawRecord& record) const {
  // Python's texts are UTF-8, but for NUL, which check_utf8() refuses.
  const auto checked = [&](std::string_view text) {
    check_utf8(text, record.location);
    return std::string(text);
  };
  std::string_view bytes = record.bytes;
  Document document{checked(take_text(bytes))};
  check_id(document.id, record.location);
  document.text = checked(take_text(bytes));
  document.texts.resize(take<std::uint64_t>(bytes));
  for (std::string& each : document.texts) each = checked(take_text(bytes));
  document.vector.resize(take<std::uint64_t>(bytes));
  for (TermWeight& entry : document.vector) {
    entry.term = checked(take_text(bytes));
    entry.weight = take<float>(bytes);
  }
  document.values = decode_values(take_text(bytes));
  for (const auto& column : document.values) {
    for (const FieldValue& value : column) {
      if (const auto* text = std::get_if<std::string>(&value)) checked(*text);
    }
  }
  while (!bytes.empty()) {
    const bool is_there = take<char>(bytes) != 0;
    auto& value = document.stored.emplace_back();
    if (is_there) value = checked(take_text(bytes));
  }
  document.embedding = record.embedding;
  document.embeddings = record.embeddings;
  return document;
}

}  // namespace

DictReader::DictReader(DocumentShape shape)
    : shape_(std::move(shape)),
      ids_(keys_of({"id", "_id", "docno"})),
      fields_(keys_of(shape_.fields)),
      stored_(keys_of(shape_.stored)),
      texts_(keys_of(shape_.texts)) {
  for (const Field& field : shape_.columns) columns_.push_back(to_str(field.name));
}

std::string DictReader::id_of(nb::handle item) const {
  for (const nb::str& key : ids_) {
    const nb::handle value = member(item, key);
    if (!value) continue;
    if (PyLong_Check(value.ptr()) && !PyBool_Check(value.ptr())) {
      return nb::cast<std::string>(nb::str(value));
    }
    return std::string(python::text_of(value, "the id"));
  }
  throw InputError("it has no id: no member 'id', '_id' or 'docno'");
}

std::optional<std::string> DictReader::value_of(nb::handle item, const nb::str& key,
                                                const std::string& name) const {
  const nb::handle value = member(item, key);
  if (!value) return std::nullopt;
  if (PyFloat_Check(value.ptr()) || (PyLong_Check(value.ptr()) && !PyBool_Check(value.ptr()))) {
    return nb::cast<std::string>(nb::str(value));
  }
  return std::string(python::text_of(value, ("the field '" + name + "'").c_str()));
}

std::string DictReader::text_of_fields(nb::handle item) const {
  std::string text;
  bool has_any = false;
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    const nb::handle value = member(item, fields_[i]);
    if (!value) continue;
    if (has_any) text += '\n';
    has_any = true;
    if (!PyUnicode_Check(value.ptr())) {
      throw InputError("the field '" + shape_.fields[i] + "' is of type " + name_of_type(value) +
                       ", and texts are str");
    }
    text += python::text_of(value, shape_.fields[i].c_str());
  }
  if (!has_any) throw InputError("it has none of the fields to index; check fields=");
  return text;
}

/// One of each text field; empty where there is no such member.
std::vector<std::string> DictReader::texts_of_item(nb::handle item) const {
  std::vector<std::string> texts(texts_.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const nb::handle value = member(item, texts_[i]);
    if (!value) continue;
    if (!PyUnicode_Check(value.ptr())) {
      throw InputError("the field '" + shape_.texts[i] + "' is of type " + name_of_type(value) +
                       ", and texts are str");
    }
    texts[i] = python::text_of(value, shape_.texts[i].c_str());
  }
  return texts;
}

std::vector<TermWeight> DictReader::weights_of(nb::handle item) const {
  std::vector<TermWeight> weights;
  const nb::handle value = member(item, to_str(shape_.weights));
  if (!value || !PyDict_Check(value.ptr())) {
    throw InputError("its '" + shape_.weights + "' is no dict of terms and weights");
  }
  for (const auto [term, weight] : nb::borrow<nb::dict>(value)) {
    const double number = PyFloat_AsDouble(weight.ptr());
    if (number == -1 && PyErr_Occurred() != nullptr) {
      PyErr_Clear();
      throw InputError("a weight of its '" + shape_.weights + "' is no number");
    }
    weights.push_back({std::string(python::text_of(term, "a term")), static_cast<float>(number)});
  }
  return weights;
}

std::vector<float> DictReader::vector_of(nb::handle item, const std::string& name) {
  const nb::handle value = member(item, to_str(name));
  std::vector<float> vector;
  if (!value || !nb::try_cast(value, vector)) {
    throw InputError("its '" + name + "' is no sequence of floats");
  }
  return vector;
}

/// Throws InputError for what a column does not take.
FieldValues DictReader::values_of(nb::handle item) const {
  FieldValues values(columns_.size());
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const Field& field = shape_.columns[i];
    const nb::handle given = member(item, columns_[i]);
    if (!given) continue;
    const auto take_value = [&](nb::handle value) {
      values[i].push_back(value_for(field, value_from(value, field.name)));
    };
    if (PyList_Check(given.ptr()) || PyTuple_Check(given.ptr())) {
      for (const nb::handle value : given) take_value(value);
    } else {
      take_value(given);
    }
    arrange_values(field, values[i]);
  }
  return values;
}

NewDocument DictReader::read(nb::handle item) const {
  try {
    if (!PyDict_Check(item.ptr())) throw InputError("it is no dict, but " + name_of_type(item));
    NewDocument document{id_of(item)};
    if (!shape_.weights.empty()) {
      document.weights = weights_of(item);
    } else if (texts_.empty()) {
      document.text = text_of_fields(item);
    }
    std::vector<std::string> texts = texts_of_item(item);
    for (std::size_t i = 0; i < texts.size(); ++i) {
      document.fields.emplace(shape_.texts[i], std::move(texts[i]));
    }
    for (std::size_t i = 0; i < stored_.size(); ++i) {
      if (auto value = value_of(item, stored_[i], shape_.stored[i])) {
        document.fields.emplace(shape_.stored[i], std::move(*value));
      }
    }
    if (!shape_.vector.empty()) document.vector = vector_of(item, shape_.vector);
    for (const Field& field : shape_.vectors) {
      document.vectors.emplace(field.name, vector_of(item, field.name));
    }
    FieldValues values = values_of(item);
    for (std::size_t i = 0; i < values.size(); ++i) {
      document.values.emplace(shape_.columns[i].name, std::move(values[i]));
    }
    return document;
  } catch (const nb::builtin_exception& error) {
    throw BadDocument(std::string("the document is bad: ") + error.what());
  } catch (const BadDocument&) {
    throw;
  } catch (const InputError& error) {
    throw BadDocument(std::string("the document is bad: ") + error.what());
  }
}

void DictReader::encode(nb::handle item, RawRecord& record) const {
  try {
    if (!PyDict_Check(item.ptr())) throw InputError("it is no dict, but " + name_of_type(item));
    put_text(record.bytes, id_of(item));
    const std::vector<std::string> texts = texts_of_item(item);
    const bool has_text = shape_.weights.empty() && texts.empty();
    put_text(record.bytes, has_text ? text_of_fields(item) : std::string());
    put_size(record.bytes, texts.size());
    for (const std::string& each : texts) put_text(record.bytes, each);
    const std::vector<TermWeight> weights =
        shape_.weights.empty() ? std::vector<TermWeight>() : weights_of(item);
    put_size(record.bytes, weights.size());
    for (const TermWeight& entry : weights) {
      put_text(record.bytes, entry.term);
      record.bytes.append(reinterpret_cast<const char*>(&entry.weight), sizeof entry.weight);
    }
    put_text(record.bytes, encode_values(values_of(item)));
    for (std::size_t i = 0; i < stored_.size(); ++i) {
      const auto value = value_of(item, stored_[i], shape_.stored[i]);
      record.bytes += value ? '\1' : '\0';
      if (value) put_text(record.bytes, *value);
    }
    if (!shape_.vector.empty()) record.embedding = vector_of(item, shape_.vector);
    for (const Field& field : shape_.vectors) {
      record.embeddings.push_back(vector_of(item, field.name));
    }
  } catch (const nb::builtin_exception& error) {
    record.problem = error.what();
  } catch (const InputError& error) {
    record.problem = error.what();
  }
}

bool DocumentQueue::push(Batch& batch, std::chrono::milliseconds limit) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, limit,
                    [this] { return state_ != State::kOpen || waiting_.size() < kWaitingBatches; });
  if (state_ != State::kOpen) return false;
  if (waiting_.size() < kWaitingBatches) {
    waiting_.push_back(std::exchange(batch, {}));
    changed_.notify_all();
  }
  return true;
}

void DocumentQueue::end(State state) {
  const std::lock_guard lock(mutex_);
  state_ = state;
  changed_.notify_all();
}

bool DocumentQueue::next(RawRecord& record) {
  while (place_ == current_.size()) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return state_ != State::kOpen || !waiting_.empty(); });
    if (state_ == State::kFailed) throw CancelledError("the documents did not come to their end");
    if (waiting_.empty()) return false;
    current_ = std::move(waiting_.front());
    waiting_.pop_front();
    place_ = 0;
    changed_.notify_all();
  }
  record = std::move(current_[place_++]);
  bytes_.fetch_add(record.bytes.size(), std::memory_order_relaxed);
  return true;
}

std::unique_ptr<DocumentReader> read_queue(std::shared_ptr<DocumentQueue> queue, bool has_weights) {
  return std::make_unique<QueueReader>(std::move(queue), has_weights);
}

}  // namespace warpdex::python
