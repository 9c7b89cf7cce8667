#include "change_report.hpp"

#include <exception>
#include <filesystem>
#include <iostream>

namespace warpdex::tools {

void report_change(const std::vector<std::string>& notes, const std::function<void()>& report) {
  for (const std::string& note : notes) std::cerr << "warpdex: note: " << note << "\n";
  try {
    report();
    std::cout.flush();
    if (std::cout) return;
    std::cerr << "warpdex: note: the change is made, but standard output took no report of it\n";
  } catch (const std::exception& error) {
    std::cerr << "warpdex: note: the change is made, but its report is not: " << error.what()
              << "\n";
  }
  std::cout.clear();
}

void write_notes(const std::vector<std::string>& notes, JsonWriter& json) {
  json.begin_array("notes");
  for (const std::string& note : notes) json.value(note);
  json.end_array();
}

bool stands_in(const std::string& index) {
  std::error_code ignored;
  return std::filesystem::equivalent(index, ".", ignored);
}

void print_replaced_current_folder() {
  std::cerr << "warpdex: the current folder was replaced by the index; 'cd .' enters it\n";
}

}  // namespace warpdex::tools
