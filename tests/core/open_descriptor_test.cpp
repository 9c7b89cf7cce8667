// Paths that name open descriptors.
#include "warpdex/core/storage/open_descriptor.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <string>

#include "tests/support.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/storage/pending_file.hpp"

namespace warpdex {
namespace {

using test::read_file;
using test::TemporaryFolder;
using test::write_file;

/// A file open for writing, closed in the end.
class Opened {
 public:
  Opened(const std::filesystem::path& file, int flags)
      : number_(::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0600)) {}
  ~Opened() { ::close(number_); }
  int number() const { return number_; }
  std::string path() const { return "/dev/fd/" + std::to_string(number_); }

 private:
  int number_;
};

TEST(OpenDescriptor, IsFoundByEachOfItsNames) {
  const TemporaryFolder folder;
  std::filesystem::create_symlink("/dev/stdout", folder / "link");
  std::filesystem::create_symlink("link", folder / "link of a link");
  const std::string pid = std::to_string(::getpid());
  const std::vector<std::pair<std::string, int>> names{{"/dev/stdout", 1},
                                                       {"/dev/stderr", 2},
                                                       {"/dev/../dev/fd/17", 17},
                                                       {"/proc/self/fd/0", 0},
                                                       {"/proc/thread-self/fd/3", 3},
                                                       {"/proc/" + pid + "/fd/4", 4},
                                                       {folder / "link", 1},
                                                       {folder / "link of a link", 1}};
  for (const auto& [name, number] : names) {
    const auto found = open_descriptor_of(name);
    ASSERT_TRUE(found) << name;
    EXPECT_EQ(found->number, number) << name;
    EXPECT_TRUE(found->is_own) << name;
  }
}

TEST(OpenDescriptor, OtherPathsNameNone) {
  const TemporaryFolder folder;
  write_file(folder / "1", "");
  std::filesystem::create_symlink("1", folder / "link");
  std::filesystem::create_symlink("loop", folder / "loop");
  const std::vector<std::string> names{"",
                                       "-",
                                       "run",
                                       "/dev/null",
                                       "/dev/fd/",
                                       "/dev/fd/-1",
                                       "/dev/fd/1x",
                                       "/dev/fd/99999999999",
                                       "/proc/self/status",
                                       folder / "1",
                                       folder / "link",
                                       folder / "loop",
                                       folder / "none/1"};
  for (const std::string& name : names) {
    EXPECT_FALSE(open_descriptor_of(name)) << name;
  }
}

TEST(OpenDescriptor, IsWrittenToFromWhereItStands) {
  const TemporaryFolder folder;
  write_file(folder / "log", "first\n");
  const Opened log(folder / "log", O_APPEND);
  {
    PendingFile file(log.path());
    file.append("second\n", 7);
    EXPECT_THROW(file.seek(0), IoError);
    EXPECT_THROW(file.write_at(0, "x", 1), IoError);
    file.commit();
  }
  EXPECT_EQ(read_file(folder / "log"), "first\nsecond\n");

  const Opened fresh(folder / "fresh", O_TRUNC);
  ASSERT_EQ(::write(fresh.number(), "head\n", 5), 5);
  PendingFile file(fresh.path());
  file.append("body\n", 5);
  file.commit();
  ASSERT_EQ(::write(fresh.number(), "tail\n", 5), 5);
  EXPECT_EQ(read_file(folder / "fresh"), "head\nbody\ntail\n");
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    files += entry.is_regular_file() ? 1 : 0;
  }
  EXPECT_EQ(files, 2U);
}

TEST(OpenDescriptor, OneThatIsClosedOrOnlyReadIsAnError) {
  const TemporaryFolder folder;
  write_file(folder / "kept", "kept");
  std::string closed;
  {
    const Opened gone(folder / "gone", 0);
    closed = gone.path();
  }
  EXPECT_THROW(PendingFile file(closed), IoError);
  const int read_only = ::open((folder / "kept").c_str(), O_RDONLY | O_CLOEXEC);
  PendingFile file("/proc/self/fd/" + std::to_string(read_only));
  EXPECT_THROW(file.append("x", 1), IoError);
  ::close(read_only);
  EXPECT_EQ(read_file(folder / "kept"), "kept");
}

TEST(OpenDescriptor, AnotherProcessKeepsWhatItWrote) {
  const TemporaryFolder folder;
  write_file(folder / "log", "first\n");
  const Opened log(folder / "log", O_APPEND);
  std::array<int, 2> alive{};
  ASSERT_EQ(::pipe2(alive.data(), O_CLOEXEC), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(alive[1]);
    char byte = 0;
    ::_exit(::read(alive[0], &byte, 1) == 0 ? 0 : 1);  // until the test closes its end
  }
  {
    PendingFile file("/proc/" + std::to_string(child) + "/fd/" + std::to_string(log.number()));
    file.append("second\n", 7);
    file.commit();
  }
  ::close(alive[1]);
  ::close(alive[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(read_file(folder / "log"), "first\nsecond\n");
}

}  // namespace
}  // namespace warpdex
