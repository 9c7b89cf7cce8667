// Asks the environment about a terminal.
#include "output/terminal.hpp"

#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace warpdex::tools {

bool takes_escapes(int descriptor) {
  const char* const term = std::getenv("TERM");
  const std::string_view name = term == nullptr ? "" : term;
  return !name.empty() && name != "dumb" && isatty(descriptor) != 0;
}

}  // namespace warpdex::tools
