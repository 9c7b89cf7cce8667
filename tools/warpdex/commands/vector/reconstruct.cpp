// warpdex vector reconstruct: the vectors of an index as a file again.
#include <algorithm>
#include <iostream>
#include <vector>

#include "command.hpp"
#include "options/options.hpp"
#include "options/places.hpp"
#include "output/interrupt.hpp"
#include "output/progress.hpp"
#include "output/text.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/vector/data/vector_writer.hpp"
#include "warpdex/vector_index.hpp"

namespace warpdex::tools {
namespace {

constexpr const char* kAbout =
    "Writes the vectors of an index to a file: as they are stored, or, where only codes were "
    "kept,\n"
    "what their codes stand for. Removed vectors are left out.";

constexpr const char* kNotes =
    "The suffix says the format: .fvecs, .fbin, .npy, or .hdf5:NAME. Rows are in the order of the\n"
    "index, or of --ids. For cosine, vectors are stored with length 1.\n"
    "\n"
    "examples:\n"
    "  warpdex vector reconstruct base.index --output base.fvecs\n"
    "  warpdex vector reconstruct base.index --by-codes --ids some.txt --output coded.npy";

/// Floats that are written at once.
constexpr std::size_t kPartFloats = std::size_t{1} << 18;

struct Arguments {
  std::string index;
  std::string output;
  std::string ids;
  bool by_codes = false;
  bool quiet = false;
};

void add_options(CommandLine& command, Arguments& given) {
  po::options_description group = option_group("Options");
  group.add_options()("output", po::value(&given.output)->value_name("FILE")->required(),
                      "the file to write")(
      "ids", po::value(&given.ids)->value_name("FILE"),
      "only the vectors with these ids, in a .npy file or a line each. Without ids in the index, "
      "row numbers")("by-codes", po::bool_switch(&given.by_codes),
                     "what the codes of an index stand for, also where it keeps its vectors");
  add_quiet_option(group, &given.quiet);
  command.add(group);
}

/// The rows to write.
std::vector<std::size_t> choose_rows(const VectorIndex& index, const std::string& path) {
  std::vector<std::size_t> rows;
  if (path.empty()) {
    const vector::RowFilter live = index.live();
    rows.reserve(live.count());
    for (std::size_t row = live.next_allowed(0); row < live.rows();
         row = live.next_allowed(row + 1)) {
      rows.push_back(row);
    }
    return rows;
  }
  const vector::VectorIds ids = vector::read_ids(path);
  for (const std::int64_t row : index.find(ids)) {
    if (row < 0) {
      throw InputError("the index '" + index.folder().string() + "' has no vector with the id '" +
                       ids.written(rows.size()) + "' of '" + path + "'");
    }
    rows.push_back(static_cast<std::size_t>(row));
  }
  return rows;
}

/// Damage must not leave the index for a file, where no checksum would tell of it.
void check_source(const VectorIndex& index, bool is_quiet) {
  Progress progress = Progress::to_standard_error();
  index.check_sections([&](double share) {
    InterruptGuard::check();
    if (!is_quiet) progress.update("checking", share);
  });
}

void write_rows(const std::vector<std::size_t>& rows, const VectorIndex::CopyRow& copy,
                bool is_quiet, vector::VectorWriter& writer) {
  const std::size_t dimension = writer.dimension();
  const std::size_t at_once = std::max<std::size_t>(1, kPartFloats / dimension);
  std::vector<float> part(at_once * dimension);
  Progress progress = Progress::to_standard_error();
  for (std::size_t done = 0; done < rows.size();) {
    InterruptGuard::check();
    const std::size_t count = std::min(at_once, rows.size() - done);
    for (std::size_t i = 0; i < count; ++i) copy(rows[done + i], part.data() + i * dimension);
    writer.write(count, part.data());
    done += count;
    if (is_quiet) continue;
    progress.update("writing", counted(done, "row"), done, rows.size(), Progress::Unit::kItems);
  }
}

}  // namespace

int run_vector_reconstruct(const std::vector<std::string>& arguments) {
  Arguments given;
  CommandLine command("vector reconstruct", "INDEX --output FILE [options]", kAbout, kNotes);
  command.add_positional("INDEX", &given.index, "the folder of an index of vectors");
  add_options(command, given);
  if (!command.parse(arguments)) return 0;

  check_inputs_outside(given.index, {given.ids});
  check_outputs_outside(given.index, {given.output});
  check_outputs_not_inputs({given.ids}, {given.output});
  const VectorIndex index(given.index);
  const InterruptGuard guard;
  check_source(index, given.quiet);
  const std::vector<std::size_t> rows = choose_rows(index, given.ids);
  const VectorIndex::CopyRow copy = index.row_copier(given.by_codes);
  const std::size_t dimension = index.dimension();
  const auto writer =
      vector::create_vectors(given.output, vector::Element::kFloat32, dimension, rows.size());
  write_rows(rows, copy, given.quiet, *writer);
  InterruptGuard::check();
  writer->finish();
  if (!given.quiet) {
    std::cout << given.output << ": " << counted(rows.size(), "row") << " of "
              << counted(dimension, "float") << "\n";
  }
  return 0;
}

}  // namespace warpdex::tools
