// Cells of comma-separated values, as RFC 4180 writes them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warpdex::csv {

/// Finds where records end, line by line: a quoted cell may hold line feeds.
class RecordEnd {
 public:
  /// Takes a line without its end; whether the record ends with it.
  bool ends_with(std::string_view line);

 private:
  bool is_quoted_ = false;  // a quoted cell goes on in the next line
};

/// The cells of a record: those in quotes without them, each pair of quotes in them as one. Quotes
/// that begin no cell are text. Throws InputError for text behind a closing quote, and for a quote
/// that is not closed.
std::vector<std::string> cells_of(std::string_view record);

}  // namespace warpdex::csv
