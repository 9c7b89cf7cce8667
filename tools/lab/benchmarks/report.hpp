// What the benchmark programs share: their results as a table and as JSON, and their main().
#pragma once

#include <boost/program_options.hpp>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace warpdex::tools {

/// A text, or a number with as many digits behind the point as are shown.
struct Cell {
  Cell(const char* words) : text(words) {}             // NOLINT: a cell is its content
  Cell(std::string words) : text(std::move(words)) {}  // NOLINT
  Cell(std::uint64_t count) : text(std::to_string(count)), number(true) {}  // NOLINT
  Cell(double value, int digits);

  std::string text;
  bool number = false;
};

/// A benchmark's results: rows under the same titles.
class Report {
 public:
  Report(std::string benchmark, std::vector<std::string> titles);

  /// As many cells as titles.
  void add(std::vector<Cell> cells) { rows_.push_back(std::move(cells)); }
  /// What holds for all rows: the device, the copy bandwidth.
  void note(const std::string& name, Cell cell) { notes_.emplace_back(name, std::move(cell)); }

  /// Notes and rows to standard output, and to the file `json` unless that is empty.
  void write(const std::string& json) const;

 private:
  std::string to_json() const;

  std::string benchmark_;
  std::vector<std::string> titles_;
  std::vector<std::pair<std::string, Cell>> notes_;
  std::vector<std::vector<Cell>> rows_;
};

/// Parses `options` from the command line and runs `body`, unless --help was asked for. Returns the
/// program's status; what is thrown is printed.
int run_benchmark(int argc, char** argv, const boost::program_options::options_description& options,
                  const std::function<void()>& body);

}  // namespace warpdex::tools
