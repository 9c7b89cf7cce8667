// warpdex vector merge: joins the segments of an index into one.
#include <iostream>

#include "command.hpp"
#include "options/options.hpp"
#include "options/places.hpp"
#include "output/change_report.hpp"
#include "output/interrupt.hpp"
#include "output/json.hpp"
#include "output/output_file.hpp"
#include "output/progress.hpp"
#include "output/text.hpp"
#include "warpdex/vector_index.hpp"

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

struct Arguments {
  std::string index;
  std::string json;
  bool quiet = false;
};

void report(const Arguments& given, const VectorChangeReport& merged) {
  if (!given.quiet && given.json != "-") {
    std::cout << (merged.is_changed ? "merged " : "there is nothing to merge in ") << given.index
              << ", which has " << counted(merged.vectors, "vector") << " (commit " << merged.number
              << ")\n";
  }
  if (given.json.empty()) return;
  JsonWriter json;
  json.begin_object();
  json.member("commit", merged.number);
  json.member("is_changed", merged.is_changed);
  json.member("vectors", std::uint64_t{merged.vectors});
  write_notes(merged.notes, json);
  json.end_object();
  write_output(given.json, json.take() + "\n");
}

}  // namespace

int run_vector_merge(const std::vector<std::string>& arguments) {
  Arguments given;
  CommandLine command("vector merge", "INDEX [options]", kAbout, kNotes);
  command.add_positional("INDEX", &given.index, "the folder of an index of vectors");
  po::options_description group = option_group("Options");
  add_json_option(group, "report", &given.json);
  add_quiet_option(group, &given.quiet);
  command.add(group);
  if (!command.parse(arguments)) return 0;
  check_outputs_outside(given.index, {given.json});
  const ChangedFolder folder(given.index);

  const InterruptGuard guard;
  Progress progress = Progress::to_standard_error();
  VectorIndex index(given.index);
  const auto tell = [&](const char* stage, std::uint64_t done, std::uint64_t total) {
    InterruptGuard::check();
    if (!given.quiet) progress.update(stage, "", done, total, Progress::Unit::kSteps);
  };
  const VectorChangeReport merged = index.merge({.progress = tell});
  progress.clear();
  report_change(merged.notes, [&] { report(given, merged); });
  folder.tell_if_replaced(given.quiet);
  return 0;
}

}  // namespace warpdex::tools
