// warpdex delete: deletes documents from an index by their ids.
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "command.hpp"
#include "interrupt.hpp"
#include "options.hpp"
#include "places.hpp"
#include "text.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/indexer/living/living_index.hpp"

namespace warpdex::tools {
namespace {

constexpr const char* kAbout =
    "Deletes documents from an index, in one step: searches find none of them afterwards, and\n"
    "scores are those of an index without them. What they take up on the disk goes with\n"
    "'warpdex merge'.";

constexpr const char* kNotes =
    "An id that no document has, or that is named twice, ends the command, and nothing is "
    "deleted;\n"
    "--ignore-unknown passes over it.\n"
    "\n"
    "example:\n"
    "  cut -f1 old.tsv | warpdex delete INDEX --ids -";

struct Arguments {
  std::string index;
  std::string ids;
  bool ignore_unknown = false;
  bool quiet = false;
};

/// Deletes the documents that the lines of `in` name. Returns how many ids the index did not have.
std::uint64_t remove_all(std::istream& in, const Arguments& given, LivingIndex& index,
                         std::uint64_t& deleted) {
  std::uint64_t unknown = 0;
  std::uint64_t line = 0;
  for (std::string id; std::getline(in, id);) {
    ++line;
    if (line % 256 == 0) InterruptGuard::check();
    if (id.ends_with('\r')) id.pop_back();
    if (id.empty()) continue;
    if (index.remove(id)) {
      ++deleted;
      continue;
    }
    ++unknown;
    if (given.ignore_unknown) continue;
    throw InputError((given.ids == "-" ? "<stdin>" : given.ids) + ":" + std::to_string(line) +
                     ": the index has no document with the id '" + id +
                     "', or it was named before; nothing is deleted: correct the file, or pass "
                     "over such ids by --ignore-unknown");
  }
  if (in.bad()) throw IoError("cannot read '" + given.ids + "' to its end; copy it and try again");
  return unknown;
}

}  // namespace

int run_delete(const std::vector<std::string>& arguments) {
  Arguments given;
  CommandLine command("delete", "INDEX --ids FILE [options]", kAbout, kNotes);
  command.add_positional("INDEX", &given.index, "the folder of an index");
  po::options_description options = option_group("Options");
  options.add_options()("ids", po::value(&given.ids)->value_name("FILE")->required(),
                        "ids of documents, one a line; - is standard input")(
      "ignore-unknown", po::bool_switch(&given.ignore_unknown),
      "pass over ids that no document has");
  add_quiet_option(options, &given.quiet);
  command.add(options);
  if (!command.parse(arguments)) return 0;
  check_inputs_outside(given.index, {given.ids});
  const InterruptGuard guard;
  LivingIndex index(given.index);
  std::uint64_t deleted = 0;
  std::uint64_t unknown = 0;
  if (given.ids == "-") {
    unknown = remove_all(std::cin, given, index, deleted);
  } else {
    std::error_code ignored;
    if (std::filesystem::is_directory(given.ids, ignored)) {
      throw IoError("cannot read '" + given.ids + "': it is a folder; name a file of ids by --ids");
    }
    std::ifstream file(given.ids);
    if (!file) throw IoError("cannot read '" + given.ids + "'; name a file of ids by --ids");
    unknown = remove_all(file, given, index, deleted);
  }
  index.commit(InterruptGuard::check);
  if (given.quiet) return 0;
  std::cout << "deleted " << counted(deleted, "document") << " from " << given.index;
  if (unknown > 0) std::cout << ", passed over " << counted(unknown, "id");
  std::cout << "\n";
  return 0;
}

}  // namespace warpdex::tools
