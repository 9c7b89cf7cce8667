// warpdex vector add: adds vectors to an index.
#include <algorithm>
#include <chrono>
#include <iostream>
#include <memory>
#include <vector>

#include "command.hpp"
#include "options/options.hpp"
#include "options/places.hpp"
#include "output/change_report.hpp"
#include "output/interrupt.hpp"
#include "output/json.hpp"
#include "output/output_file.hpp"
#include "output/progress.hpp"
#include "output/text.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/vector/data/ids.hpp"
#include "warpdex/vector/data/vector_reader.hpp"
#include "warpdex/vector/format/vector_index_change.hpp"

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

constexpr std::size_t kPartBytes = std::size_t{4} << 20;

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

void check_input(const Arguments& given, const vector::VectorIndex& index,
                 const vector::VectorReader& reader) {
  if (reader.dimension() != index.settings().dimension) {
    throw InputError("the vectors in '" + given.input + "' have " +
                     counted(reader.dimension(), "component") + ", those of '" + given.index +
                     "' have " + std::to_string(index.settings().dimension));
  }
  if (given.ids.empty() && index.id_kind() != vector::IdKind::kRows) {
    throw UsageError("the vectors of '" + given.index +
                     "' have ids; give --ids with one for each new vector");
  }
  if (given.ids.empty() && given.update) {
    throw UsageError("--update goes by ids; give --ids too, or leave it out");
  }
}

void read_ids(const Arguments& given, std::uint64_t rows, vector::VectorIndexChange& change) {
  if (given.ids.empty()) return;
  vector::VectorIds ids = vector::read_ids(given.ids);
  if (ids.size() != rows) {
    throw InputError("'" + given.ids + "' has " + counted(ids.size(), "id") + ", '" + given.input +
                     "' has " + counted(rows, "vector") + "; give one id for each");
  }
  change.set_ids(std::move(ids),
                 given.update ? vector::KnownIds::kReplace : vector::KnownIds::kRefuse);
}

CommitReport add_rows(const Arguments& given, vector::VectorReader& reader,
                      vector::VectorIndexChange& change) {
  const std::size_t dimension = reader.dimension();
  const std::size_t part = std::max<std::size_t>(1, kPartBytes / (dimension * sizeof(float)));
  std::vector<float> rows(part * dimension);
  Progress progress = Progress::to_standard_error();
  while (const std::size_t count = reader.read(part, rows.data())) {
    change.add({rows.data(), count * dimension});
    InterruptGuard::check();
    if (given.quiet) continue;
    progress.update("reading", counted(change.added(), "vector"), change.added(), reader.rows(),
                    Progress::Unit::kItems);
  }
  CommitReport committed =
      change.commit([&](const char* stage, std::uint64_t done, std::uint64_t total) {
        InterruptGuard::check();
        if (!given.quiet) progress.update(stage, "", done, total, Progress::Unit::kSteps);
      });
  progress.clear();
  return committed;
}

void report(const Arguments& given, const vector::VectorIndexChange& change,
            const CommitReport& committed, double seconds) {
  const std::size_t vectors = change.index().live_rows() + change.added() - change.removed();
  if (!given.quiet && given.json != "-") {
    std::cout << "added " << counted(change.added(), "vector");
    if (given.update)
      std::cout << ", of which " << grouped(change.removed()) << " replaced others,";
    std::cout << " in " << duration_text(seconds) << "; " << given.index << " has "
              << counted(vectors, "vector") << " (commit " << committed.number << ")\n";
  }
  if (given.json.empty()) return;
  JsonWriter json;
  json.begin_object();
  json.member("commit", committed.number);
  json.member("added", std::uint64_t{change.added()});
  json.member("replaced", std::uint64_t{change.removed()});
  json.member("vectors", std::uint64_t{vectors});
  json.member("seconds", seconds);
  write_notes(committed.notes, json);
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
  vector::VectorIndexChange change(given.index);
  check_input(given, change.index(), *reader);
  read_ids(given, reader->rows(), change);
  const CommitReport committed = add_rows(given, *reader, change);
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
  report_change(committed.notes, [&] { report(given, change, committed, passed.count()); });
  folder.tell_if_replaced(given.quiet);
  return 0;
}

}  // namespace warpdex::tools
