// warpdex vector add: adds vectors to an index.
#include <chrono>
#include <iostream>
#include <memory>
#include <string_view>

#include "command.hpp"
#include "options/options.hpp"
#include "options/places.hpp"
#include "output/change_report.hpp"
#include "output/interrupt.hpp"
#include "output/json.hpp"
#include "output/output_file.hpp"
#include "output/progress.hpp"
#include "output/text.hpp"
#include "output/vector_progress.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/vector/data/ids.hpp"
#include "warpdex/vector/data/vector_reader.hpp"
#include "warpdex/vector_index.hpp"

namespace warpdex::tools {
namespace {

constexpr const char* kAbout =
    "Adds vectors to an index, in one step: a search finds all of them or none. Nothing is "
    "trained\n"
    "anew: lists and codes are those of the first build.";

constexpr const char* kNotes =
    "An index with ids takes an id for each new vector. With --update, a vector of the index that\n"
    "has one of these ids is removed in the same step; without it, that is an error. In an index\n"
    "without ids, new vectors get the next row numbers.\n"
    "\n"
    "Each call makes a segment, and every search visits all segments: add many vectors at a time,\n"
    "and put segments together by 'warpdex vector merge'.\n"
    "\n"
    "example:\n"
    "  warpdex vector add base.index --input more.fvecs --ids more.txt --update";

struct Arguments {
  std::string index;
  std::string input;
  std::string ids;
  bool update = false;
  std::string json;
  bool quiet = false;
};

void add_options(CommandLine& command, Arguments& given) {
  po::options_description group = option_group("Options");
  group.add_options()("input", po::value(&given.input)->value_name("FILE")->required(),
                      "the vectors, a row each")(
      "ids", po::value(&given.ids)->value_name("FILE"),
      "an id for each row: 64-bit integers in a .npy file, or a text file with a line each")(
      "update", po::bool_switch(&given.update),
      "vectors with known ids replace those of the index");
  add_json_option(group, "report", &given.json);
  add_quiet_option(group, &given.quiet);
  command.add(group);
}

void check_input(const Arguments& given, const VectorIndex& index,
                 const vector::VectorReader& reader) {
  if (reader.dimension() != index.dimension()) {
    throw InputError("the vectors in '" + given.input + "' have " +
                     counted(reader.dimension(), "component") + ", those of '" + given.index +
                     "' have " + std::to_string(index.dimension()));
  }
  if (given.ids.empty() && index.id_kind() != vector::IdKind::kRows) {
    throw UsageError("the vectors of '" + given.index +
                     "' have ids; give --ids with one for each new vector");
  }
  if (given.ids.empty() && given.update) {
    throw UsageError("--update goes by ids; give --ids too, or leave it out");
  }
}

vector::VectorIds read_ids(const Arguments& given, std::uint64_t rows) {
  if (given.ids.empty()) return {};
  vector::VectorIds ids = vector::read_ids(given.ids);
  if (ids.size() == rows) return ids;
  throw InputError("'" + given.ids + "' has " + counted(ids.size(), "id") + ", '" + given.input +
                   "' has " + counted(rows, "vector") + "; give one id for each");
}

VectorChangeReport add_rows(const Arguments& given, vector::VectorReader& reader,
                            vector::VectorIds ids, VectorIndex& index) {
  Progress progress = Progress::to_standard_error();
  const auto tell = [&](std::string_view stage, std::uint64_t done, std::uint64_t total) {
    InterruptGuard::check();
    if (!given.quiet) update_vector_progress(stage, done, total, progress);
  };
  return index.add(reader, std::move(ids), given.update, {.progress = tell});
}

void report(const Arguments& given, const VectorChangeReport& change, double seconds) {
  if (!given.quiet && given.json != "-") {
    std::cout << "added " << counted(change.added, "vector");
    if (given.update) std::cout << ", of which " << grouped(change.removed) << " replaced others,";
    std::cout << " in " << duration_text(seconds) << "; " << given.index << " has "
              << counted(change.vectors, "vector") << " (commit " << change.number << ")\n";
  }
  if (given.json.empty()) return;
  JsonWriter json;
  json.begin_object();
  json.member("commit", change.number);
  json.member("added", std::uint64_t{change.added});
  json.member("replaced", std::uint64_t{change.removed});
  json.member("vectors", std::uint64_t{change.vectors});
  json.member("seconds", seconds);
  write_notes(change.notes, json);
  json.end_object();
  write_output(given.json, json.take() + "\n");
}

}  // namespace

int run_vector_add(const std::vector<std::string>& arguments) {
  Arguments given;
  CommandLine command("vector add", "INDEX --input FILE [options]", kAbout, kNotes);
  command.add_positional("INDEX", &given.index, "the folder of an index of vectors");
  add_options(command, given);
  if (!command.parse(arguments)) return 0;

  check_inputs_outside(given.index, {given.input, given.ids});
  check_outputs_outside(given.index, {given.json});
  const ChangedFolder folder(given.index);
  const auto begin = std::chrono::steady_clock::now();
  const InterruptGuard guard;
  const std::unique_ptr<vector::VectorReader> reader = vector::open_vectors(given.input);
  VectorIndex index(given.index);
  check_input(given, index, *reader);
  const VectorChangeReport change =
      add_rows(given, *reader, read_ids(given, reader->rows()), index);
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
  report_change(change.notes, [&] { report(given, change, passed.count()); });
  folder.tell_if_replaced(given.quiet);
  return 0;
}

}  // namespace warpdex::tools
