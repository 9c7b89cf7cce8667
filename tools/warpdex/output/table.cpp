// Lays out text tables.
#include "output/table.hpp"

#include <algorithm>

namespace warpdex::tools {
namespace {

std::size_t display_width(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

}  // namespace

void Table::print(std::ostream& out) const {
  std::vector<std::size_t> widths;
  for (const Column& column : columns_) widths.push_back(display_width(column.title));
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], display_width(row[i]));
  }
  const auto print_row = [&](const auto& cell_at, std::size_t cells) {
    std::string line;
    for (std::size_t i = 0; i < cells; ++i) {
      const std::string& cell = cell_at(i);
      const std::string padding(widths[i] - display_width(cell), ' ');
      if (i > 0) line += "  ";
      line += columns_[i].align == Align::kRight ? padding + cell : cell + padding;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out << line << "\n";
  };
  const bool titled = std::any_of(columns_.begin(), columns_.end(),
                                  [](const Column& column) { return !column.title.empty(); });
  if (titled) {
    print_row([&](std::size_t i) -> const std::string& { return columns_[i].title; },
              columns_.size());
  }
  for (const auto& row : rows_) {
    print_row([&](std::size_t i) -> const std::string& { return row[i]; }, row.size());
  }
}

}  // namespace warpdex::tools
