#include "tests/fuzz/fuzz_support.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>

namespace warpdex::fuzz {
namespace {

/// In memory where it can be: an index is flushed to its disk file by file, which may take long.
std::filesystem::path temporary_folder() {
  constexpr const char* kInMemory = "/dev/shm";
  if (std::getenv("TMPDIR") == nullptr && ::access(kInMemory, W_OK) == 0) return kInMemory;
  return std::filesystem::temp_directory_path();
}

class WorkFolder {
 public:
  WorkFolder() {
    std::string pattern = (temporary_folder() / "warpdex-fuzz-XXXXXX").string();
    require(::mkdtemp(pattern.data()) != nullptr, "a folder for temporary files can be made");
    path_ = pattern;
  }
  ~WorkFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace

void require(bool holds, std::string_view promise) {
  if (holds) return;
  std::fprintf(stderr, "fuzz: a promise is broken: %.*s\n", static_cast<int>(promise.size()),
               promise.data());
  std::abort();
}

std::uint32_t InputBytes::number(std::size_t bytes) {
  std::uint32_t value = 0;
  const std::string_view taken = take(bytes);
  for (std::size_t i = 0; i < taken.size(); ++i) {
    value |= std::uint32_t{static_cast<std::uint8_t>(taken[i])} << 8 * i;
  }
  return value;
}

std::string_view InputBytes::take(std::size_t count) {
  const auto taken = rest_.first(std::min(count, rest_.size()));
  rest_ = rest_.subspan(taken.size());
  return {reinterpret_cast<const char*>(taken.data()), taken.size()};
}

const std::filesystem::path& work_folder() {
  static const WorkFolder folder;
  return folder.path();
}

std::filesystem::path write_file(const std::filesystem::path& file, std::string_view bytes) {
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  require(out.good(), "temporary files can be written");
  return file;
}

std::string read_file(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  require(in.good(), "files can be read");
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace warpdex::fuzz
