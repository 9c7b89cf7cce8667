// What a command says of a change that is made already.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "output/json.hpp"
#include "warpdex/writer.hpp"

namespace warpdex::tools {

/// Says that a journal's changes were taken in, if there were any.
void report_recovered(const Writer& writer);

/// Tells the notes of a commit, and calls `report`. If that throws, or standard output takes
/// nothing, a note says so, and the command ends with status 0 all the same: the change is made,
/// and whoever repeats it because of another status would make it twice.
void report_change(const std::vector<std::string>& notes, const std::function<void()>& report);

/// The member "notes": a list of texts.
void write_notes(const std::vector<std::string>& notes, JsonWriter& json);

/// The folder of an index, as it is before a change.
class ChangedFolder {
 public:
  /// Throws as resolve_target().
  explicit ChangedFolder(const std::string& index);
  /// If the process stood in the folder, and it was replaced, says so, and how to enter it again.
  void tell_if_replaced(bool quiet) const;

 private:
  std::filesystem::path target_;
  bool was_current_;
};

/// Says that the folder in which the process stands was replaced, and how to enter it again.
void print_replaced_current_folder();

}  // namespace warpdex::tools
