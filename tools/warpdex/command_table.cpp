#include "command_table.hpp"

#include <algorithm>
#include <iostream>
#include <string_view>

#include "warpdex/core/error.hpp"

namespace warpdex::tools {

void print_help(const CommandTable& table, std::ostream& out) {
  std::size_t width = 0;
  for (const Command& command : table.commands) {
    width = std::max(width, std::string_view(command.name).size());
  }
  out << "usage: " << table.name << " COMMAND [options]\n\n" << table.about << "\n\ncommands:\n";
  for (const Command& command : table.commands) {
    const std::string name(command.name);
    out << "  " << name << std::string(width + 2 - name.size(), ' ') << command.summary << "\n";
  }
  out << "\n'" << table.name << " COMMAND --help' lists a command's options and their defaults"
      << table.notes << ".\n";
}

int run_command(const CommandTable& table, const std::vector<std::string>& arguments) {
  if (arguments.empty()) {
    print_help(table, std::cerr);
    return kUsageStatus;
  }
  const std::string& name = arguments.front();
  if (name == "help" && arguments.size() > 1) {
    std::vector<std::string> asked(arguments.begin() + 1, arguments.end());
    asked.emplace_back("--help");
    return run_command(table, asked);
  }
  if (name == "--help" || name == "-h" || name == "help") {
    print_help(table, std::cout);
    return 0;
  }
  const auto command = std::find_if(table.commands.begin(), table.commands.end(),
                                    [&](const Command& c) { return name == c.name; });
  if (command == table.commands.end()) {
    throw UsageError("there is no command '" + name + "'; '" + table.name +
                     " --help' lists the commands");
  }
  return command->run({arguments.begin() + 1, arguments.end()});
}

}  // namespace warpdex::tools
