// warpdex vector convert: vectors and ids from one file format to another.
#include <algorithm>
#include <array>
#include <iostream>
#include <optional>
#include <vector>

#include "command.hpp"
#include "options/options.hpp"
#include "output/interrupt.hpp"
#include "output/progress.hpp"
#include "output/text.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/vector/data/conversion.hpp"
#include "warpdex/vector/data/vector_reader.hpp"
#include "warpdex/vector/data/vector_writer.hpp"

namespace warpdex::tools {
namespace {

using vector::Element;
using vector::VectorReader;
using vector::VectorWriter;

constexpr const char* kAbout =
    "Copies the rows of one file to another. Both formats follow from the names' suffixes. "
    "--output\n"
    "appears whole, in the place of what was there, or not at all.";

constexpr const char* kNotes =
    "formats:\n"
    "  .fvecs .bvecs .ivecs        rows of float, uint8, int32, each behind its dimension\n"
    "  .fbin .u8bin .i8bin .ibin   rows of float, uint8, int8, int32 behind one header\n"
    "  .npy                        an array as NumPy saves it\n"
    "  .hdf5 .h5                   a dataset: FILE.hdf5:NAME, or by --role train, test, "
    "neighbors,\n"
    "                              distances, as in the files of ann-benchmarks\n"
    "\n"
    "A dataset is added to an HDF5 file that is there: the file is copied first, and one that has\n"
    "the dataset already is refused.\n"
    "\n"
    "Values must stay what they are: a fraction, or a number out of range, ends a conversion to\n"
    "whole numbers. Only halves are rounded to; what is past 65504 is refused there too.\n"
    "\n"
    "examples:\n"
    "  warpdex vector convert --input base.bvecs --output base.fvecs\n"
    "  warpdex vector convert --input glove.hdf5:train --output train.npy --type half\n"
    "  warpdex vector convert --input base.fbin --output small.npy --count 100000";

constexpr std::array<std::pair<const char*, vector::Role>, 4> kRoles{{
    {"base", vector::Role::kBase},
    {"queries", vector::Role::kQueries},
    {"neighbors", vector::Role::kNeighbors},
    {"distances", vector::Role::kDistances},
}};

constexpr std::size_t kPartBytes = std::size_t{1} << 20;

struct Arguments {
  std::string input;
  std::string output;
  std::string type;
  std::string role = "base";
  std::int64_t first = 0;
  std::int64_t count = -1;
  bool quiet = false;
};

void add_options(CommandLine& command, Arguments& given) {
  po::options_description group = option_group("Options");
  group.add_options()("input", po::value(&given.input)->value_name("FILE")->required(),
                      "the file to read")(
      "output", po::value(&given.output)->value_name("FILE")->required(), "the file to write")(
      "type", po::value(&given.type)->value_name("TYPE"),
      "what to write: float, half, int8, uint8, int32 or int64. Default: what the output's format "
      "holds, or what the input has")(
      "role", po::value(&given.role)->value_name("ROLE")->default_value(given.role),
      "what the rows are: base, queries, neighbors or distances. The first two have at most 4096 "
      "components; distances may be infinite. Names the dataset of an HDF5 file")(
      "first", po::value(&given.first)->value_name("N")->default_value(0), "rows to pass over")(
      "count", po::value(&given.count)->value_name("N"), "rows to copy. Default: all");
  add_quiet_option(group, &given.quiet);
  command.add(group);
}

vector::Role role_of(const std::string& name) {
  for (const auto& [known, role] : kRoles) {
    if (name == known) return role;
  }
  throw UsageError("there is no role '" + name + "'; choose base, queries, neighbors or distances");
}

/// The element to write: that of the format, or of --type, or of the input.
Element output_element(const Arguments& given, const VectorReader& reader) {
  const std::optional<Element> fixed = vector::element_of_format(given.output);
  if (given.type.empty()) return fixed.value_or(reader.element());
  const Element wished = vector::element_from_name(given.type);
  if (fixed && *fixed != wished) {
    throw UsageError("--type is " + given.type + ", but the format of '" + given.output +
                     "' holds " + std::string(vector::element_name(*fixed)) +
                     " only; leave --type out, or write .npy");
  }
  return wished;
}

/// How many rows to copy.
std::uint64_t row_count(const Arguments& given, bool has_count, const VectorReader& reader) {
  const auto first = static_cast<std::uint64_t>(given.first);
  const std::uint64_t left = reader.rows() - std::min(first, reader.rows());
  const std::uint64_t count = has_count ? static_cast<std::uint64_t>(given.count) : left;
  if (first > reader.rows() || count > left) {
    throw UsageError("'" + reader.name() + "' has " + counted(reader.rows(), "row") +
                     ", fewer than --first and --count ask for");
  }
  return count;
}

/// A part of the rows, as they are read and as they are written.
class Copier {
 public:
  Copier(VectorReader& reader, VectorWriter& writer)
      : reader_(&reader),
        writer_(&writer),
        at_once_(
            std::max<std::size_t>(1, kPartBytes / (reader.dimension() * sizeof(std::uint64_t)))),
        read_(at_once_ * reader.dimension()),
        converted_(reader.element() == writer.element() ? 0 : read_.size()) {}

  /// Copies up to `rows` rows, of which the first is row `first` of the input; returns how many.
  std::size_t copy(std::uint64_t rows, std::uint64_t first) {
    const std::size_t count = std::min<std::uint64_t>(at_once_, rows);
    reader_->read_raw(count, read_.data());
    if (converted_.empty()) {
      writer_->write_raw(count, read_.data());
      return count;
    }
    const std::size_t values = count * reader_->dimension();
    const std::size_t good = vector::convert_values(reader_->element(), read_.data(), values,
                                                    writer_->element(), converted_.data());
    if (good < values) refuse(first, good);
    writer_->write_raw(count, converted_.data());
    return count;
  }

 private:
  [[noreturn]] void refuse(std::uint64_t first, std::size_t index) const {
    const std::size_t dimension = reader_->dimension();
    throw InputError("row " + std::to_string(first + index / dimension) + ", column " +
                     std::to_string(index % dimension) + " of '" + reader_->name() + "' is " +
                     vector::value_text(reader_->element(), read_.data(), index) +
                     ", which cannot be kept as " +
                     std::string(vector::element_name(writer_->element())) +
                     "; choose another --type or format");
  }

  VectorReader* reader_;
  VectorWriter* writer_;
  std::size_t at_once_;
  std::vector<std::uint64_t> read_;       ///< room for as many values of any element
  std::vector<std::uint64_t> converted_;  ///< likewise; empty where nothing is converted
};

void copy_rows(const Arguments& given, std::uint64_t count, VectorReader& reader,
               VectorWriter& writer) {
  const auto first = static_cast<std::uint64_t>(given.first);
  reader.seek(first);
  Copier copier(reader, writer);
  Progress progress = Progress::to_standard_error();
  for (std::uint64_t done = 0; done < count;) {
    InterruptGuard::check();
    done += copier.copy(count - done, first + done);
    if (given.quiet) continue;
    progress.update("converting", counted(done, "row"), done, count, Progress::Unit::kItems);
  }
}

}  // namespace

int run_vector_convert(const std::vector<std::string>& arguments) {
  Arguments given;
  CommandLine command("vector convert", "--input FILE --output FILE [options]", kAbout, kNotes);
  add_options(command, given);
  if (!command.parse(arguments)) return 0;

  const vector::Role role = role_of(given.role);
  if (given.first < 0) throw UsageError("--first takes 0 or more, not a negative number");
  if (command.given("count") && given.count < 0) {
    throw UsageError("--count takes 0 or more, not a negative number");
  }
  if (vector::is_same_data_file(given.input, given.output)) {
    throw UsageError("--input and --output are the same file; name another for one of them");
  }
  const auto reader = vector::open_vectors(given.input, role);
  const Element element = output_element(given, *reader);
  const std::uint64_t count = row_count(given, command.given("count"), *reader);

  const InterruptGuard guard;
  const auto writer =
      vector::create_vectors(given.output, element, reader->dimension(), count, role);
  copy_rows(given, count, *reader, *writer);
  InterruptGuard::check();
  writer->finish();
  if (!given.quiet) {
    std::cout << given.output << ": " << counted(count, "row") << " of " << reader->dimension()
              << " " << vector::element_name(element) << "\n";
  }
  return 0;
}

}  // namespace warpdex::tools
