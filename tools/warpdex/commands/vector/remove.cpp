// warpdex vector remove: removes vectors from an index.
#include <iostream>

#include "command.hpp"
#include "options/options.hpp"
#include "options/places.hpp"
#include "output/change_report.hpp"
#include "output/interrupt.hpp"
#include "output/json.hpp"
#include "output/output_file.hpp"
#include "output/text.hpp"
#include "warpdex/vector/data/ids.hpp"
#include "warpdex/vector_index.hpp"

namespace warpdex::tools {
namespace {

constexpr const char* kAbout =
    "Removes the vectors that have the given ids from an index, in one step. No search finds them\n"
    "any more. What they take of the disk is free after 'warpdex vector merge'.";

constexpr const char* kNotes =
    "In an index without ids, the row numbers that searches tell are ids. No other vector gets\n"
    "the number of a removed one.\n"
    "\n"
    "example:\n"
    "  warpdex vector remove base.index --ids old.txt";

struct Arguments {
  std::string index;
  std::string ids;
  std::string json;
  bool quiet = false;
};

void report(const Arguments& given, const VectorChangeReport& change) {
  if (!given.quiet && given.json != "-") {
    std::cout << "removed " << counted(change.removed, "vector") << "; " << given.index << " has "
              << counted(change.vectors, "vector") << " (commit " << change.number << ")\n";
  }
  if (given.json.empty()) return;
  JsonWriter json;
  json.begin_object();
  json.member("commit", change.number);
  json.member("removed", std::uint64_t{change.removed});
  json.member("vectors", std::uint64_t{change.vectors});
  write_notes(change.notes, json);
  json.end_object();
  write_output(given.json, json.take() + "\n");
}

}  // namespace

int run_vector_remove(const std::vector<std::string>& arguments) {
  Arguments given;
  CommandLine command("vector remove", "INDEX --ids FILE [options]", kAbout, kNotes);
  command.add_positional("INDEX", &given.index, "the folder of an index of vectors");
  po::options_description group = option_group("Options");
  group.add_options()("ids", po::value(&given.ids)->value_name("FILE")->required(),
                      "the ids, in a .npy file or a line each, none of them twice");
  add_json_option(group, "report", &given.json);
  add_quiet_option(group, &given.quiet);
  command.add(group);
  if (!command.parse(arguments)) return 0;

  check_inputs_outside(given.index, {given.ids});
  check_outputs_outside(given.index, {given.json});
  const ChangedFolder folder(given.index);
  const InterruptGuard guard;
  const vector::VectorIds ids = vector::read_ids(given.ids);
  VectorIndex index(given.index);
  const auto check = [](const char*, std::uint64_t, std::uint64_t) { InterruptGuard::check(); };
  const VectorChangeReport change = index.remove(ids, {.progress = check});
  report_change(change.notes, [&] { report(given, change); });
  folder.tell_if_replaced(given.quiet);
  return 0;
}

}  // namespace warpdex::tools
