// The program warpdex.
#include <array>

#include "program.hpp"

namespace warpdex::tools {
namespace {

constexpr std::array<Command, 23> kCommands{{
    {"index", "build an index from documents", run_index},
    {"add", "add documents to an index, or update them", run_add},
    {"delete", "delete documents from an index by their ids", run_delete},
    {"merge", "write segments of an index again as fewer, without deleted documents", run_merge},
    {"search", "answer words or a file of queries", run_search},
    {"suggest", "terms that begin with some letters", run_suggest},
    {"serve", "answer searches over HTTP", run_serve},
    {"bench", "measure how fast a file of queries is answered", run_bench},
    {"calibrate", "measure what queries cost, for the scheduler's predictions", run_calibrate},
    {"load", "measure delays under a load of queries that arrive by themselves", run_load},
    {"devices", "the GPUs that there are, and whether they can search", run_devices},
    {"plan", "estimate what an index of a collection will take", run_plan},
    {"tune", "choose the weight of a hybrid search by judged queries", run_tune},
    {"stats", "what an index holds and what its parts take", run_stats},
    {"verify", "check every byte of an index", run_verify},
    {"reorder", "give documents that share terms docIDs near each other: a smaller index",
     run_reorder},
    {"convert", "change the codec of an index without its documents", run_convert},
    {"split", "write ranges of an index's documents as indexes of their own", run_split},
    {"evaluate", "effectiveness of a run, as trec_eval computes it", run_evaluate},
    {"import", "read an index of another program", run_import},
    {"export", "write an index for other programs", run_export},
    {"vector", "vectors: build, search, clusters, files; 'warpdex vector' lists it", run_vector},
    {"metric", "texts, sets and vectors by any distance; 'warpdex metric' lists it", run_metric},
}};

constexpr CommandTable kTable{"warpdex",
                              "Warpdex indexes text and answers AND, OR and AND+OR queries, best "
                              "documents first. It also finds\n"
                              "the nearest of vectors, texts and sets.",
                              kCommands, ";\n'warpdex --version' prints the version"};

}  // namespace
}  // namespace warpdex::tools

int main(int count, char** values) {
  return warpdex::tools::run_program(warpdex::tools::kTable, count, values);
}
