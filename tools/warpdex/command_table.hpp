// A program, or a command with commands of its own: finds which is meant, and lists them.
#pragma once

#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "command.hpp"

namespace warpdex::tools {

struct CommandTable {
  const char* name;   ///< what is typed before a command: "warpdex", "warpdex vector"
  const char* about;  ///< a paragraph for --help
  std::span<const Command> commands;
  const char* notes;  ///< lines after the commands; may be empty
};

void print_help(const CommandTable& table, std::ostream& out);

/// Runs the command that the first argument names, with the arguments after it, and returns its
/// status. Prints the help for --help, and on standard error, with the status of a wrong call,
/// where there is no argument. Throws UsageError for an unknown command, and what the command
/// throws.
int run_command(const CommandTable& table, const std::vector<std::string>& arguments);

}  // namespace warpdex::tools
