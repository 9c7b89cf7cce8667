// Files of vectors and of ids. The first byte of the input is the format, the next the number of
// rows that are read at once, the rest is the file.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "tests/fuzz/fuzz_support.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/vector/data/ids.hpp"
#include "warpdex/vector/data/vector_reader.hpp"
#include "warpdex/vector/data/vector_writer.hpp"

namespace warpdex::fuzz {
namespace {

using vector::Element;
using vector::VectorReader;

constexpr std::array<const char*, 9> kSuffixes{".npy",  ".fvecs", ".bvecs", ".ivecs", ".fbin",
                                               ".ibin", ".u8bin", ".i8bin", ".txt"};

/// All rows, `at_once` by `at_once`, as they are.
std::vector<std::uint64_t> read_all(VectorReader& reader, std::size_t at_once) {
  const std::size_t row_bytes = reader.dimension() * element_bytes(reader.element());
  const std::size_t bytes = reader.rows() * row_bytes;
  std::vector<std::uint64_t> values(bytes / 8 + 1);
  std::vector<std::uint64_t> part(at_once * row_bytes / 8 + 1);
  std::size_t done = 0;
  for (std::size_t rows; (rows = reader.read_raw(at_once, part.data())) > 0;) {
    require((done + rows) * row_bytes <= bytes, "a reader gives no more rows than it says");
    std::memcpy(reinterpret_cast<char*>(values.data()) + done * row_bytes, part.data(),
                rows * row_bytes);
    done += rows;
  }
  require(done == reader.rows(), "a reader gives all of its rows");
  return values;
}

void check_floats(VectorReader& reader) {
  reader.rewind();
  std::vector<float> values(reader.rows() * reader.dimension());
  require(reader.read(reader.rows(), values.data()) == reader.rows(), "all rows are read at once");
  require(
      std::all_of(values.begin(), values.end(), [](float value) { return std::isfinite(value); }),
      "vectors are finite");
}

/// Rows that are written are read again, and, but for .npy, by the same bytes.
void check_copy(VectorReader& reader, const std::vector<std::uint64_t>& values,
                std::string_view bytes, const std::string& suffix) {
  if (reader.rows() == 0) return;
  const std::string path = work_folder() / ("copy" + suffix);
  const auto writer =
      vector::create_vectors(path, reader.element(), reader.dimension(),
                             bytes.size() % 2 == 0 ? std::optional(reader.rows()) : std::nullopt);
  writer->write_raw(reader.rows(), values.data());
  writer->finish();
  if (suffix != ".npy") require(read_file(path) == bytes, "a copy has the same bytes");
  const auto again = vector::open_vectors(path, vector::Role::kNeighbors);
  require(again->rows() == reader.rows() && again->dimension() == reader.dimension() &&
              again->element() == reader.element() && read_all(*again, 1000) == values,
          "a copy has the same rows");
}

void check_vectors(const std::string& path, std::string_view bytes, const std::string& suffix,
                   std::size_t at_once) {
  const auto reader = vector::open_vectors(path, vector::Role::kNeighbors);
  require(reader->dimension() > 0, "rows have a value or more");
  require(reader->rows() * reader->dimension() <= bytes.size(), "values take a byte or more");
  const std::vector<std::uint64_t> values = read_all(*reader, at_once);
  if (is_vector_element(reader->element())) check_floats(*reader);
  check_copy(*reader, values, bytes, suffix);
}

void check_ids(const std::string& path) {
  const vector::VectorIds ids = vector::read_ids(path);
  std::vector<std::string> all;
  for (std::uint64_t row = 0; row < ids.size(); ++row) all.push_back(ids.written(row));
  require(ids.are_texts() || ids.numbers().size() == ids.size(), "each row has a number");
  std::sort(all.begin(), all.end());
  require(std::adjacent_find(all.begin(), all.end()) == all.end(), "no id is there twice");
}

/// Runs `check`, in which a file may be refused by a sentence that names it.
template <class Check>
void run_check(const std::string& path, const Check& check) {
  try {
    check();
  } catch (const InputError& error) {
    require(std::string_view(error.what()).find(path) != std::string_view::npos,
            "the message of a file that cannot be read names it");
  }
}

void run(InputBytes input) {
  const std::string suffix = kSuffixes[input.byte() % kSuffixes.size()];
  const std::size_t at_once = std::size_t{1} + input.byte();
  const std::string_view bytes = input.rest();
  const std::string path = write_file(work_folder() / ("input" + suffix), bytes);
  if (suffix != ".txt") run_check(path, [&] { check_vectors(path, bytes, suffix, at_once); });
  if (suffix == ".npy" || suffix == ".txt") run_check(path, [&] { check_ids(path); });
}

}  // namespace
}  // namespace warpdex::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  warpdex::fuzz::run({data, size});
  return 0;
}
