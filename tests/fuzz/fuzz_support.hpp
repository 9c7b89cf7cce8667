// What all fuzz targets share: taking an input apart, files to read it from, and the check that
// ends the process. A target is a file NAME_target.cpp, which defines LLVMFuzzerTestOneInput: under
// libFuzzer its input is what the fuzzer thinks of, under replay_main.cpp it is a file of a corpus.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

/// Called once an input, again and again in one process. Aborts where a promise is broken.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace warpdex::fuzz {

/// Prints `promise` and aborts unless it holds.
void require(bool holds, std::string_view promise);

/// An input, taken apart from its front. What is past its end is 0, or empty.
class InputBytes {
 public:
  InputBytes(const std::uint8_t* data, std::size_t size) : rest_(data, size) {}

  bool empty() const { return rest_.empty(); }
  /// The next byte.
  std::uint8_t byte() { return static_cast<std::uint8_t>(number(1)); }
  /// A number of the next `bytes` (up to 4) bytes, little-endian.
  std::uint32_t number(std::size_t bytes);
  /// The next `count` bytes, or as many as are left.
  std::string_view take(std::size_t count);
  /// All that is left.
  std::string_view rest() { return take(rest_.size()); }

 private:
  std::span<const std::uint8_t> rest_;
};

/// A folder of this process, removed when it exits; in TMPDIR, if that is set.
const std::filesystem::path& work_folder();

/// Writes a file anew and returns its path.
std::filesystem::path write_file(const std::filesystem::path& file, std::string_view bytes);

/// The bytes of a file.
std::string read_file(const std::filesystem::path& file);

}  // namespace warpdex::fuzz
