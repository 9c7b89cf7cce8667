// Reads cells one by one.
#include "readers/csv_cells.hpp"

#include <algorithm>

#include "warpdex/core/error.hpp"
#include "warpdex/indexer/readers/text_checks.hpp"

namespace warpdex::csv {
namespace {

/// Where the closing quote of a cell is; `at` is behind the opening one. The end if there is none.
std::size_t closing_quote(std::string_view text, std::size_t at) {
  while ((at = text.find('"', at)) != std::string_view::npos) {
    if (at + 1 == text.size() || text[at + 1] != '"') return at;
    at += 2;
  }
  return text.size();
}

/// Behind the comma that ends the cell, or past the end.
std::size_t next_cell(std::string_view text, std::size_t at) {
  const std::size_t comma = text.find(',', at);
  return comma == std::string_view::npos ? text.size() + 1 : comma + 1;
}

std::string without_pairs(std::string_view quoted) {
  std::string text;
  for (std::size_t i = 0; i < quoted.size(); ++i) {
    text += quoted[i];
    if (quoted[i] == '"') ++i;
  }
  return text;
}

}  // namespace

bool RecordEnd::ends_with(std::string_view line) {
  std::size_t quote = line.find('"');
  for (std::size_t at = 0; at <= line.size();) {
    if (!is_quoted_) {
      if (quote < at) quote = line.find('"', at);
      if (quote == std::string_view::npos) return true;
      is_quoted_ = quote == at;
      if (is_quoted_) ++at;
    }
    if (is_quoted_) {
      at = closing_quote(line, at);
      if (at == line.size()) return false;
      is_quoted_ = false;
    }
    at = next_cell(line, at);
  }
  return true;
}

std::vector<std::string> cells_of(std::string_view record) {
  std::vector<std::string> cells;
  for (std::size_t at = 0; at <= record.size();) {
    if (at < record.size() && record[at] == '"') {
      const std::size_t close = closing_quote(record, at + 1);
      if (close == record.size()) {
        throw InputError("the quote of '" + excerpt(record.substr(at)) + "' is not closed");
      }
      cells.push_back(without_pairs(record.substr(at + 1, close - at - 1)));
      if (close + 1 < record.size() && record[close + 1] != ',') {
        throw InputError("text stands behind the closing quote of '" + excerpt(cells.back()) +
                         "'; write a quote within a cell twice");
      }
      at = close + 2;
    } else {
      const std::size_t next = next_cell(record, at);
      cells.emplace_back(record.substr(at, next - 1 - at));
      at = next;
    }
  }
  return cells;
}

}  // namespace warpdex::csv
