// Text tables with aligned columns.
#pragma once

#include <ostream>
#include <string>
#include <vector>

namespace warpdex::tools {

/// Rows of cells; each column is as wide as its widest cell, two spaces apart.
class Table {
 public:
  enum class Align { kLeft, kRight };
  struct Column {
    std::string title;  ///< no column with a title: no line of titles
    Align align = Align::kRight;
  };

  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  /// At most as many cells as there are columns.
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  bool empty() const { return rows_.empty(); }

  /// O(cells). Widths are counted in code points of UTF-8.
  void print(std::ostream& out) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace warpdex::tools
