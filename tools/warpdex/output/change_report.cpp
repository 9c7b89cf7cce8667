#include "output/change_report.hpp"

#include <exception>
#include <filesystem>
#include <iostream>

#include "output/text.hpp"
#include "warpdex/core/storage/target.hpp"

namespace warpdex::tools {

void report_recovered(const Writer& writer) {
  if (writer.recovered() == 0) return;
  std::cerr << "warpdex: note: the journal had " << counted(writer.recovered(), "change")
            << " that no commit has; this command commits "
            << (writer.recovered() == 1 ? "it" : "them") << ", too\n";
}

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

namespace {

bool is_current(const std::filesystem::path& folder) {
  std::error_code ignored;
  return std::filesystem::equivalent(folder, ".", ignored);
}

}  // namespace

ChangedFolder::ChangedFolder(const std::string& index)
    : target_(resolve_target(index)), was_current_(is_current(target_)) {}

void ChangedFolder::tell_if_replaced(bool quiet) const {
  if (!quiet && was_current_ && !is_current(target_)) print_replaced_current_folder();
}

void print_replaced_current_folder() {
  std::cerr << "warpdex: the current folder was replaced by the index; 'cd .' enters it\n";
}

}  // namespace warpdex::tools
