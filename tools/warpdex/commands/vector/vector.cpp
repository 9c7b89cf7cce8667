// warpdex vector: the commands for vectors.
#include <array>

#include "command_table.hpp"

namespace warpdex::tools {
namespace {

constexpr std::array<Command, 12> kCommands{{
    {"build", "make an index of vectors", run_vector_build},
    {"add", "add vectors to an index, or update some", run_vector_add},
    {"remove", "remove vectors from an index", run_vector_remove},
    {"merge", "join the segments that changes of an index made", run_vector_merge},
    {"search", "the nearest vectors of each query", run_vector_search},
    {"bench", "how fast queries are answered, over batches and k", run_vector_bench},
    {"graph", "the nearest other vectors of each vector of an index", run_vector_graph},
    {"path", "from one vector to another by small steps", run_vector_path},
    {"kmeans", "centroids of clusters of vectors", run_vector_kmeans},
    {"convert", "copy vectors or ids from one file format to another", run_vector_convert},
    {"reconstruct", "the vectors of an index as a file, or what its codes stand for",
     run_vector_reconstruct},
    {"evaluate", "recall of the neighbours that a search found", run_vector_evaluate},
}};

constexpr CommandTable kTable{
    "warpdex vector",
    "Vectors: indexes of them, search for nearest neighbours, graphs, clusters, and files: "
    ".fvecs,\n"
    ".bvecs, .ivecs, .fbin, .u8bin, .i8bin, .ibin, .npy, and HDF5 as ann-benchmarks has it.",
    kCommands, ""};

}  // namespace

int run_vector(const std::vector<std::string>& arguments) { return run_command(kTable, arguments); }

}  // namespace warpdex::tools
