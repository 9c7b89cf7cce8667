#include "tests/support.hpp"

#include <lzma.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <stdexcept>

namespace warpdex::test {
namespace {

std::uint64_t choose_seed() {
  const char* wish = std::getenv("WARPDEX_TEST_SEED");
  const std::uint64_t chosen =
      wish != nullptr
          ? std::strtoull(wish, nullptr, 10)
          : static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count());
  std::cout << "WARPDEX_TEST_SEED=" << chosen << '\n';
  return chosen;
}

std::string unpack_xz(const std::string& packed) {
  lzma_stream stream = LZMA_STREAM_INIT;
  if (lzma_stream_decoder(&stream, UINT64_MAX, LZMA_CONCATENATED) != LZMA_OK) {
    throw std::runtime_error("cannot start lzma");
  }
  std::string bytes;
  std::vector<char> buffer(1 << 20);
  stream.next_in = reinterpret_cast<const std::uint8_t*>(packed.data());
  stream.avail_in = packed.size();
  lzma_ret status = LZMA_OK;
  while (status == LZMA_OK) {
    stream.next_out = reinterpret_cast<std::uint8_t*>(buffer.data());
    stream.avail_out = buffer.size();
    status = lzma_code(&stream, LZMA_FINISH);
    bytes.append(buffer.data(), buffer.size() - stream.avail_out);
  }
  lzma_end(&stream);
  if (status != LZMA_STREAM_END) throw std::runtime_error("not an xz file");
  return bytes;
}

}  // namespace

std::uint64_t seed() {
  static const std::uint64_t chosen = choose_seed();
  return chosen;
}

std::mt19937_64 generator(std::uint64_t stream) {
  std::seed_seq sequence{seed(), stream};
  return std::mt19937_64(sequence);
}

TemporaryFolder::TemporaryFolder() : TemporaryFolder(std::filesystem::temp_directory_path()) {}

TemporaryFolder::TemporaryFolder(const std::filesystem::path& place) {
  std::string pattern = (place / "warpdex-test-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp failed: " + pattern);
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::filesystem::path place_in_memory() {
  const std::filesystem::path memory = "/dev/shm";
  return ::access(memory.c_str(), W_OK | X_OK) == 0 ? memory
                                                    : std::filesystem::temp_directory_path();
}

std::string in_child(const std::function<std::string()>& function) {
  int ends[2];
  if (::pipe(ends) != 0) throw std::runtime_error("pipe failed");
  const pid_t child = ::fork();
  if (child == 0) {
    std::string result;
    try {
      result = function();
    } catch (const std::exception& error) {
      result = error.what();
    }
    const bool is_sent =
        ::write(ends[1], result.data(), result.size()) == static_cast<ssize_t>(result.size());
    ::_exit(is_sent ? 0 : 1);
  }
  ::close(ends[1]);
  std::string result(1 << 16, '\0');
  std::size_t size = 0;
  for (ssize_t more = 1; more > 0; size += static_cast<std::size_t>(more)) {
    more = ::read(ends[0], result.data() + size, result.size() - size);
    if (more < 0) break;
  }
  ::close(ends[0]);
  int status = -1;
  ::waitpid(child, &status, 0);
  result.resize(size);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? result : "ended early";
}

void become_ordinary_user() {
  constexpr unsigned kNobody = 65534;
  if (::geteuid() != 0) return;
  if (::setresgid(kNobody, kNobody, kNobody) != 0 || ::setresuid(kNobody, kNobody, kNobody) != 0) {
    throw std::runtime_error("cannot become another user");
  }
}

std::filesystem::path data_folder() {
  if (const char* wish = std::getenv("WARPDEX_DATA")) return wish;
  const char* source = std::getenv("WARPDEX_SOURCE_DIR");
  return std::filesystem::path(source != nullptr ? source : ".") / ".." / "shared" / "data";
}

std::string read_file(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw std::runtime_error("cannot read " + file.string());
  std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  return file.extension() == ".xz" ? unpack_xz(bytes) : bytes;
}

void write_file(const std::filesystem::path& file, const std::string& bytes) {
  std::ofstream stream(file, std::ios::binary);
  stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!stream.flush()) throw std::runtime_error("cannot write " + file.string());
}

}  // namespace warpdex::test
