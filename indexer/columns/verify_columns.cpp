// Reads every value of every column.
#include "columns/verify_columns.hpp"

#include <algorithm>
#include <string>

#include "warpdex/core/error.hpp"
#include "warpdex/indexer/analysis/utf8.hpp"
#include "warpdex/indexer/field_value.hpp"

namespace warpdex {
namespace {

[[noreturn]] void fail_column(const ColumnView& column, const std::string& what) {
  throw FormatError("the column of the field '" + column.field().name + "': " + what);
}

void check_dictionary(const ColumnView& column) {
  for (std::uint64_t i = 0; i < column.header().distinct; ++i) {
    const std::string_view text = column.text(i);
    if (i > 0 && text <= column.text(i - 1)) fail_column(column, "keywords do not ascend");
    if (analysis::find_invalid_utf8(text) != text.size()) fail_column(column, "no UTF-8");
  }
}

void check_values(const ColumnView& column) {
  std::uint64_t slots = 0;
  const bool is_multiple = column.field().multiple;
  for (std::uint64_t document = 0; document < column.documents(); ++document) {
    std::vector<FieldValue> values = column.values(document);
    slots += column.form() == ColumnForm::kSeveral ? values.size() : 1;
    if (values.size() > 1 && !is_multiple) fail_column(column, "a document has several values");
    if (!std::ranges::is_sorted(values)) fail_column(column, "values do not ascend");
    for (const FieldValue& value : values) {
      if (value_for(column.field(), value) != value) fail_column(column, "a value is out of range");
    }
  }
  if (slots != column.header().values) fail_column(column, "other values than documents have");
}

}  // namespace

void check_columns(std::span<const ColumnView> columns) {
  for (const ColumnView& column : columns) {
    check_dictionary(column);
    try {
      check_values(column);
    } catch (const InputError&) {
      fail_column(column, "a value is out of range");
    }
  }
}

}  // namespace warpdex
