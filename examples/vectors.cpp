// Stores vectors and finds the nearest ones, in one process: on a GPU if there is one.
#include <charconv>
#include <iostream>
#include <string_view>
#include <warpdex/warpdex.hpp>

namespace vector = warpdex::vector;

float number_of(std::string_view text) {
  float number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error == std::errc() && stop == end) return number;
  throw warpdex::UsageError("X and Y are numbers, not '" + std::string(text) + "'");
}

int main(int argc, char** argv) try {
  if (argc < 4) throw warpdex::UsageError("say where and near what: vectors INDEX_FOLDER X Y");
  const std::vector<float> query{number_of(argv[2]), number_of(argv[3])};
  const std::vector<float> rows{0, 0, /**/ 3, 4, /**/ 6, 8};  // one after the other
  const vector::VectorIds ids(std::vector<std::string>{"origin", "near", "far"});
  warpdex::VectorIndex::build(argv[1], {.dimension = 2}, rows, ids);

  const warpdex::VectorIndex index(argv[1], {.device = warpdex::Device::kAuto});
  const vector::Neighbors found = index.search(query, 2);
  for (std::size_t i = 0; i < found.rows.size(); ++i) {
    const auto row = static_cast<std::size_t>(found.rows[i]);
    std::cout << found.distances[i] << '\t' << index.id(row) << '\n';  // squared distance
  }
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
