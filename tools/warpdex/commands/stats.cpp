// warpdex stats: what an index holds, and what its parts take on disk.
#include <iostream>

#include "command.hpp"
#include "options/options.hpp"
#include "options/places.hpp"
#include "output/index_stats.hpp"
#include "output/output_file.hpp"
#include "output/vector_stats.hpp"
#include "warpdex/index_reader.hpp"
#include "warpdex/vector_index.hpp"
#include "warpdex/verify.hpp"

namespace warpdex::tools {
namespace {

constexpr const char* kAbout =
    "Shows what an index holds: how it was built, counts, bytes of each section, bits per posting\n"
    "by purpose, lists by length, and how many blocks of docIDs are bit sets. Of an index of\n"
    "vectors: its settings, its lists, and the bytes of each section.";

}  // namespace

int run_stats(const std::vector<std::string>& arguments) {
  std::string folder;
  std::string json;
  CommandLine command("stats", "INDEX [--json FILE]", kAbout);
  command.add_positional("INDEX", &folder, "the folder of an index");
  po::options_description group = option_group("Options");
  add_json_option(group, "figures", &json);
  command.add(group);
  if (!command.parse(arguments)) return 0;

  check_outputs_outside(folder, {json});
  if (content_of(folder) == IndexContent::kVectors) {
    const VectorIndex index(folder);
    if (json != "-") print_vector_stats(index, std::cout);
    if (!json.empty()) write_output(json, vector_stats_json(index));
    return 0;
  }
  const IndexReader index(folder);
  const IndexStatistics statistics = index.statistics();
  if (json != "-") print_index_stats(index, statistics, std::cout);
  if (!json.empty()) write_output(json, index_stats_json(index, statistics));
  return 0;
}

}  // namespace warpdex::tools
