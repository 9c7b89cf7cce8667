// What can be written to a terminal.
#pragma once

namespace warpdex::tools {

/// Whether a file descriptor is a terminal that knows ANSI's escape sequences: not if TERM is
/// unset, empty or "dumb", as in an editor's shell.
bool takes_escapes(int descriptor);

}  // namespace warpdex::tools
