// warpdex vector: the commands for vectors.
#include <array>

#include "command_table.hpp"

namespace warpdex::tools {
namespace {

constexpr std::array<Command, 2> kCommands{{
    {"convert", "copy vectors or ids from one file format to another", run_vector_convert},
    {"evaluate", "recall of the neighbours that a search found", run_vector_evaluate},
}};

constexpr CommandTable kTable{
    "warpdex vector",
    "Vectors: their files, and how good a search for nearest neighbours was. Files are .fvecs,\n"
    ".bvecs, .ivecs, .fbin, .u8bin, .i8bin, .ibin, .npy, and HDF5 as ann-benchmarks has it.",
    kCommands, ""};

}  // namespace

int run_vector(const std::vector<std::string>& arguments) { return run_command(kTable, arguments); }

}  // namespace warpdex::tools
