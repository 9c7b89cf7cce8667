// Stores vectors and finds the nearest ones, in one process.
#include <charconv>
#include <iostream>
#include <string_view>
#include <warpdex/warpdex.hpp>

namespace vector = warpdex::vector;

/// On the GPU if there is one, else on the CPU: the answers are the same to the bit.
vector::Neighbors two_nearest(const vector::VectorIndex& index, const std::vector<float>& queries) {
  if (warpdex::device_count() == 0) return vector::FlatSearcher(index.flat()).nearest(queries, 2);
  warpdex::Resources resources;  // one for all that a process does with a GPU
  return vector::GpuFlatSearcher(index.flat(), resources).nearest(queries, 2);
}

float number_of(std::string_view text) {
  float number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error == std::errc() && stop == end) return number;
  throw warpdex::UsageError("X and Y are numbers, not '" + std::string(text) + "'");
}

int main(int argc, char** argv) try {
  if (argc < 4) throw warpdex::UsageError("say where and near what: vectors INDEX_FOLDER X Y");
  const std::vector<float> queries{number_of(argv[2]), number_of(argv[3])};

  vector::VectorIndexSettings settings;
  settings.metric = vector::Metric::kL2;
  settings.dimension = 2;
  vector::VectorIndexWriter writer(argv[1], settings);
  writer.add(std::vector<float>{0, 0, /**/ 3, 4, /**/ 6, 8});  // a row each
  writer.commit(vector::VectorIds(std::vector<std::string>{"origin", "near", "far"}));

  const vector::VectorIndex index = vector::VectorIndex::open(argv[1]);
  const vector::Neighbors found = two_nearest(index, queries);
  for (std::size_t i = 0; i < found.rows.size(); ++i) {
    const auto row = static_cast<std::size_t>(found.rows[i]);
    std::cout << found.distances[i] << '\t' << index.id(row) << '\n';  // squared distance
  }
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
