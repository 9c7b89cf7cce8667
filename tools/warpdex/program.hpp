// A program of commands: what main() does.
#pragma once

#include "command_table.hpp"

namespace warpdex::tools {

/// Finds the command and runs it; prints what it throws as a sentence on standard error. Returns
/// the exit status: 0 done, 1 failed, 2 asked for something that it does not take, 128 + n ended by
/// signal n.
int run_program(const CommandTable& table, int count, char** values);

}  // namespace warpdex::tools
