// Files are mapped where they lie; what is no plain file is copied first.
#include "exchange/input_map.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <fstream>
#include <vector>

#include "warpdex/core/error.hpp"
#include "warpdex/indexer/readers/input_stream.hpp"

namespace warpdex::exchange {
namespace {

constexpr std::size_t kCopyBytes = 1 << 20;
constexpr std::size_t kMagicBytes = 6;

/// A regular file whose name and first bytes are of no packing.
bool is_plain(const std::filesystem::path& file) {
  std::error_code ignored;
  if (file == "-" || !std::filesystem::is_regular_file(file, ignored)) return false;
  if (packing_from_suffix(file.string()) != Packing::kPlain) return false;
  std::array<char, kMagicBytes> head{};
  std::ifstream in(file, std::ios::binary);
  in.read(head.data(), head.size());
  return packing_from_magic({reinterpret_cast<const std::uint8_t*>(head.data()),
                             static_cast<std::size_t>(in.gcount())}) == Packing::kPlain;
}

}  // namespace

std::string input_name(const std::filesystem::path& file) {
  return file == "-" ? "<stdin>" : file.string();
}

MappedFile map_file(const std::filesystem::path& file) {
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    throw IoError("cannot open '" + file.string() + "': " + errno_message(errno) +
                  "; check the path and its permissions");
  }
  try {
    MappedFile mapped(descriptor, file.string());
    ::close(descriptor);
    return mapped;
  } catch (...) {
    ::close(descriptor);
    throw;
  }
}

MappedFile map_input(const std::filesystem::path& file, const std::filesystem::path& scratch,
                     const std::function<void()>& on_read, const UnpackLimit& unpack_limit) {
  if (is_plain(file)) return map_file(file);
  InputStream in(file, on_read, unpack_limit);
  const std::filesystem::path copy = scratch / "input";
  std::ofstream out(copy, std::ios::binary);
  std::vector<char> buffer(kCopyBytes);
  while (const std::size_t size = in.read(buffer.data(), buffer.size())) {
    out.write(buffer.data(), static_cast<std::streamsize>(size));
  }
  out.close();
  if (!out) {
    throw IoError("cannot write an unpacked copy of '" + in.name() + "' to " + scratch.string() +
                  "; make room there");
  }
  return map_file(copy);
}

}  // namespace warpdex::exchange
