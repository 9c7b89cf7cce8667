// What all tests share: a printed seed, temporary folders, and the way to the real test data.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <random>
#include <string>
#include <vector>

namespace warpdex::test {

/// The seed of this run: WARPDEX_TEST_SEED, or one drawn from the clock; printed once.
std::uint64_t seed();

/// A generator for one test: the run's seed mixed with `stream`.
std::mt19937_64 generator(std::uint64_t stream);

/// A folder that is removed with all in it when the object goes.
class TemporaryFolder {
 public:
  TemporaryFolder();
  /// Made in `place`.
  explicit TemporaryFolder(const std::filesystem::path& place);
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

/// A place whose files are in memory, where there is one, for tests that would wait for the disk
/// all the time; else the place of temporary files.
std::filesystem::path place_in_memory();

/// What `function` returns in a child process, which it may change as it likes (in what it may do,
/// say); "ended early" if the child died.
std::string in_child(const std::function<std::string()>& function);

/// Gives up root's rights for good, if the process has them, so that permissions count.
void become_ordinary_user();

/// WARPDEX_DATA, or ../shared/data beside the repository. May not exist.
std::filesystem::path data_folder();

/// The bytes of a file, unpacked if it ends in .xz.
std::string read_file(const std::filesystem::path& file);
void write_file(const std::filesystem::path& file, const std::string& bytes);

}  // namespace warpdex::test

/// Skips the test, saying so, where the real data is missing.
#define WARPDEX_NEEDS_DATA(relative)                                                         \
  if (!std::filesystem::exists(warpdex::test::data_folder() / (relative)))                   \
  GTEST_SKIP() << "no test data at " << (warpdex::test::data_folder() / (relative)).string() \
               << "; set WARPDEX_DATA"
