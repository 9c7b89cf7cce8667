// Gives a fuzz target every file of the folders that are named, without libFuzzer, so that the
// corpus is tried by every build: replay FOLDER... A folder that is not there holds none.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <vector>

#include "tests/fuzz/fuzz_support.hpp"

namespace {

/// An input in a buffer of exactly its size, so that AddressSanitizer sees what passes its end.
void replay(const std::filesystem::path& file) {
  const std::string bytes = warpdex::fuzz::read_file(file);
  const std::vector<std::uint8_t> input(bytes.begin(), bytes.end());
  std::printf("%s\n", file.c_str());
  std::fflush(stdout);  // so that the last line names the input that ended the process
  LLVMFuzzerTestOneInput(input.data(), input.size());
}

}  // namespace

int main(int count, char** arguments) try {
  std::vector<std::filesystem::path> files;
  for (int i = 1; i < count; ++i) {
    if (!std::filesystem::is_directory(arguments[i])) continue;
    for (const auto& entry : std::filesystem::directory_iterator(arguments[i])) {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  if (files.empty()) {
    std::fprintf(stderr, "replay: there is no input; give folders that hold some\n");
    return 1;
  }
  for (const auto& file : files) replay(file);
  std::printf("%zu inputs\n", files.size());
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "replay: %s\n", error.what());
  return 1;
}
