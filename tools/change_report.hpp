// What a command says of a change that is made already.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "json.hpp"

namespace warpdex::tools {

/// Tells the notes of a commit, and calls `report`. If that throws, or standard output takes
/// nothing, a note says so, and the command ends with status 0 all the same: the change is made,
/// and whoever repeats it because of another status would make it twice.
void report_change(const std::vector<std::string>& notes, const std::function<void()>& report);

/// The member "notes": a list of texts.
void write_notes(const std::vector<std::string>& notes, JsonWriter& json);

/// Whether the process stands in the folder that a change of `index` replaces.
bool stands_in(const std::string& index);

/// Says that the folder in which the process stands was replaced, and how to enter it again.
void print_replaced_current_folder();

}  // namespace warpdex::tools
