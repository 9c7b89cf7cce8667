// warpdex metric: the commands for objects under any distance.
#include <array>

#include "command_table.hpp"

namespace warpdex::tools {
namespace {

constexpr std::array<Command, 3> kCommands{{
    {"build", "make a permutation index of texts, sets or vectors", run_metric_build},
    {"search", "the nearest objects of each query", run_metric_search},
    {"bench", "recall and speed over shares, k and radii", run_metric_bench},
}};

constexpr CommandTable kTable{
    "warpdex metric",
    "Texts, sets of words and vectors under a true distance: Levenshtein, Hamming, Jaccard, L1,\n"
    "L2, angular. A permutation index finds nearly all of the nearest by comparing few.",
    kCommands, ""};

}  // namespace

int run_metric(const std::vector<std::string>& arguments) { return run_command(kTable, arguments); }

}  // namespace warpdex::tools
