// Tables and JSON of the benchmark programs.
#include "benchmarks/report.hpp"

#include <cstdio>
#include <exception>
#include <iostream>

#include "output/json.hpp"
#include "output/output_file.hpp"
#include "output/table.hpp"

namespace warpdex::tools {
namespace {

void write_member(JsonWriter& json, const std::string& name, const Cell& cell) {
  if (cell.number) {
    json.member(name, std::stod(cell.text));
  } else {
    json.member(name, cell.text);
  }
}

}  // namespace

Cell::Cell(double value, int digits) : number(true) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, "%.*f", digits, value);
  text = buffer;
}

Report::Report(std::string benchmark, std::vector<std::string> titles)
    : benchmark_(std::move(benchmark)), titles_(std::move(titles)) {}

std::string Report::to_json() const {
  JsonWriter json;
  json.begin_object();
  json.member("benchmark", benchmark_);
  for (const auto& [name, cell] : notes_) write_member(json, name, cell);
  json.begin_array("rows");
  for (const auto& row : rows_) {
    json.begin_object();
    for (std::size_t i = 0; i < row.size(); ++i) write_member(json, titles_[i], row[i]);
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return json.take() + "\n";
}

void Report::write(const std::string& json) const {
  for (const auto& [name, cell] : notes_) std::cout << name << ": " << cell.text << "\n";
  std::vector<Table::Column> columns;
  for (const std::string& title : titles_) columns.push_back({title});
  Table table(std::move(columns));
  for (const auto& row : rows_) {
    std::vector<std::string> texts;
    for (const Cell& cell : row) texts.push_back(cell.text);
    table.add(std::move(texts));
  }
  table.print(std::cout);
  if (!json.empty()) write_output(json, to_json());
}

int run_benchmark(int argc, char** argv, const boost::program_options::options_description& options,
                  const std::function<void()>& body) {
  namespace po = boost::program_options;
  try {
    po::options_description all = options;
    all.add_options()("help,h", "print this");
    po::variables_map values;
    po::store(po::parse_command_line(argc, argv, all), values);
    if (values.count("help") != 0) {
      std::cout << all;
      return 0;
    }
    po::notify(values);
    body();
    return 0;
  } catch (const std::exception& error) {
    std::cerr << argv[0] << ": " << error.what() << "\n";
    return 1;
  }
}

}  // namespace warpdex::tools
