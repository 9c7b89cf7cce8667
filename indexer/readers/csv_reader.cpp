// CSV collections: the first record of each file names the columns, each other is a document.
#include <algorithm>
#include <array>
#include <deque>
#include <mutex>
#include <set>

#include "readers/csv_cells.hpp"
#include "readers/input_files.hpp"
#include "readers/readers.hpp"
#include "warpdex/indexer/field_value.hpp"
#include "warpdex/indexer/readers/text_checks.hpp"

namespace warpdex {
namespace {

constexpr std::array<std::string_view, 3> kIdColumns{"id", "_id", "docno"};  // first found wins

/// The columns of a file that are wanted.
struct CsvColumns {
  std::size_t count = 0;
  std::size_t id = 0;
  std::vector<std::size_t> fields{};
  std::vector<std::size_t> stored{};
  std::vector<std::size_t> values{};
};

class CsvReader final : public DocumentReader {
 public:
  explicit CsvReader(const ReaderOptions& options)
      : files_(options),
        are_texts_(!options.text_fields.empty()),
        fields_(are_texts_ ? options.text_fields : options.fields),
        stored_(options.stored),
        fields_of_values_(options.columns) {
    if (fields_.empty()) throw UsageError("there are no fields; name the columns to index");
  }

  // The record is the number of the file's columns_, a line feed, and the record's lines.
  bool next(RawRecord& record) override {
    while (read_record(record)) {
      if (!needs_header_) {
        record.bytes.insert(0, std::to_string(columns_.size() - 1) + '\n');
        return true;
      }
      take_header(record);
      needs_header_ = false;
    }
    return false;
  }

  Document parse(const RawRecord& record) const override {
    check_utf8(record.bytes, record.location);
    const std::size_t start = record.bytes.find('\n');
    const CsvColumns& columns = columns_at(std::stoul(record.bytes.substr(0, start)));
    const std::vector<std::string> cells =
        cells_of(std::string_view(record.bytes).substr(start + 1), record.location);
    if (cells.size() != columns.count) {
      fail_document(record.location, "there are " + std::to_string(cells.size()) +
                                         " cells, and the first line of the file names " +
                                         std::to_string(columns.count) +
                                         " columns; put cells that hold commas into quotes");
    }
    check_id(cells[columns.id], record.location);
    Document document{cells[columns.id]};
    for (std::size_t i = 0; i < columns.fields.size(); ++i) {
      const std::string& cell = cells[columns.fields[i]];
      if (are_texts_) {
        document.texts.push_back(cell);
      } else {
        document.text += (i == 0 ? "" : "\n") + cell;
      }
    }
    for (const std::size_t column : columns.stored) document.stored.emplace_back(cells[column]);
    for (std::size_t i = 0; i < columns.values.size(); ++i) {
      auto& values = document.values.emplace_back();
      const std::string& cell = cells[columns.values[i]];
      if (!cell.empty()) values.push_back(value_in(fields_of_values_[i], cell, record.location));
    }
    return document;
  }

  std::uint64_t unpacking_memory() const override { return files_.unpacking_memory(); }
  std::uint64_t bytes_consumed() const override { return files_.bytes_consumed(); }
  std::uint64_t bytes_total() const override { return files_.bytes_total(); }

 private:
  /// False at the end of all files.
  bool read_record(RawRecord& record) {
    record.bytes.clear();
    record.problem.clear();
    csv::RecordEnd end;
    bool is_started = false;
    bool is_too_long = false;
    for (;;) {
      if (!files_.next_line(line_)) {
        if (is_started) break;  // within quotes: parse() says so
        needs_header_ = true;
        if (files_.at_end()) return false;
        continue;
      }
      if (!is_started && line_.empty() && !files_.is_long_line()) continue;
      if (!is_started) record.location = files_.location();
      is_too_long |=
          files_.is_long_line() || record.bytes.size() + line_.size() > files_.max_line_bytes();
      if (is_too_long) {
        std::string().swap(record.bytes);
      } else {
        record.bytes += (is_started ? "\n" : "") + line_;
      }
      is_started = true;
      if (files_.is_long_line() || end.ends_with(line_)) break;
    }
    if (is_too_long) set_too_long(record, files_.max_line_bytes());
    return true;
  }

  static std::vector<std::string> cells_of(std::string_view bytes, const Location& location) try {
    return csv::cells_of(bytes);
  } catch (const InputError& error) {
    fail_document(location, error.what());
  }

  static FieldValue value_in(const Field& field, const std::string& cell,
                             const Location& location) try {
    return value_of_text(field, cell);
  } catch (const InputError& error) {
    fail_document(location, error.what());
  }

  /// Throws InputError, which ends the build: no document of the file could be read.
  void take_header(const RawRecord& record) {
    if (!record.problem.empty()) fail_document(record.location, record.problem);
    check_utf8(record.bytes, record.location);
    const std::vector<std::string> names = cells_of(record.bytes, record.location);
    std::string known;
    std::set<std::string_view> different;
    for (const std::string& name : names) {
      known += (known.empty() ? "" : ", ") + name;
      if (!different.insert(name).second) {
        fail_document(record.location, "the column '" + name + "' is named twice");
      }
    }
    const auto place_of = [&](std::string_view name) {
      return static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
    };
    const auto place_of_wanted = [&](const std::string& name) {
      const std::size_t place = place_of(name);
      if (place < names.size()) return place;
      fail_document(record.location, "there is no column '" + name +
                                         "'; the first line names the columns " + excerpt(known));
    };
    CsvColumns columns{names.size(), names.size()};
    for (const std::string_view name : kIdColumns) {
      columns.id = std::min(place_of(name), names.size());
      if (columns.id < names.size()) break;
    }
    if (columns.id == names.size()) place_of_wanted("id");
    std::ranges::transform(fields_, std::back_inserter(columns.fields), place_of_wanted);
    std::ranges::transform(stored_, std::back_inserter(columns.stored), place_of_wanted);
    std::ranges::transform(fields_of_values_, std::back_inserter(columns.values),
                           [&](const Field& field) { return place_of_wanted(field.name); });
    const std::lock_guard lock(mutex_);
    columns_.push_back(std::move(columns));
  }

  const CsvColumns& columns_at(std::size_t number) const {
    const std::lock_guard lock(mutex_);
    return columns_[number];
  }

  InputFiles files_;
  bool are_texts_;  // fields_ are texts, each with lists of its own
  std::vector<std::string> fields_;
  std::vector<std::string> stored_;
  std::vector<Field> fields_of_values_;
  bool needs_header_ = true;
  std::string line_;
  mutable std::mutex mutex_;
  std::deque<CsvColumns> columns_;  // of the files so far; places do not change
};

}  // namespace

std::unique_ptr<DocumentReader> open_csv(const ReaderOptions& options) {
  return std::make_unique<CsvReader>(options);
}

}  // namespace warpdex
