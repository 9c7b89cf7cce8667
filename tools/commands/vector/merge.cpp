// warpdex vector merge: joins the segments of an index into one.
#include <iostream>
#include <vector>

#include "command.hpp"
#include "interrupt.hpp"
#include "options.hpp"
#include "progress.hpp"
#include "text.hpp"
#include "warpdex/vector/format/vector_index_change.hpp"

namespace warpdex::tools {
namespace {

constexpr const char* kAbout =
    "Puts the segments of an index together and leaves out removed vectors, in one step. Answers\n"
    "stay what they are; searches are faster, and the index is smaller. Reads and writes all of "
    "it.";

constexpr const char* kNotes =
    "Rows of an index without ids keep their numbers. In an index with ids rows are numbered "
    "anew,\n"
    "from 0 and without gaps; ids stay.\n"
    "\n"
    "example:\n"
    "  warpdex vector merge base.index";

}  // namespace

int run_vector_merge(const std::vector<std::string>& arguments) {
  std::string index;
  bool quiet = false;
  CommandLine command("vector merge", "INDEX [options]", kAbout, kNotes);
  command.add_positional("INDEX", &index, "the folder of an index of vectors");
  po::options_description group = option_group("Options");
  add_quiet_option(group, &quiet);
  command.add(group);
  if (!command.parse(arguments)) return 0;

  const InterruptGuard guard;
  Progress progress = Progress::to_standard_error();
  const bool is_changed = vector::merge_vector_index(
      index, [&](const char* stage, std::uint64_t done, std::uint64_t total) {
        InterruptGuard::check();
        if (!quiet) progress.update(stage, "", done, total, Progress::Unit::kSteps);
      });
  progress.clear();
  if (quiet) return 0;
  std::cout << (is_changed ? "merged " : "there is nothing to merge in ") << index << ", which has "
            << counted(vector::VectorIndex::open(index).live_rows(), "vector") << "\n";
  return 0;
}

}  // namespace warpdex::tools
