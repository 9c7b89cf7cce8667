// The program warpdex-lab: collections made by a model, and comparisons that no user of an index
// needs.
#include <array>

#include "commands/commands.hpp"
#include "program.hpp"

namespace warpdex::tools {
namespace {

constexpr std::array<Command, 3> kCommands{{
    {"codecs", "compare codecs on an index's lists: size and decode rate", run_codecs},
    {"generate", "make an index and a query log like those of a large crawl", run_generate},
    {"http", "load a server that runs, and tell how long its answers take", run_http},
}};

constexpr CommandTable kTable{"warpdex-lab",
                              "Makes collections and takes figures for those who develop Warpdex.",
                              kCommands, ""};

}  // namespace
}  // namespace warpdex::tools

int main(int count, char** values) {
  return warpdex::tools::run_program(warpdex::tools::kTable, count, values);
}
