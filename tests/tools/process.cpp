#include "tests/tools/process.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <stdexcept>
#include <thread>

namespace warpdex::test {
namespace {

/// warpdex, or warpdex-lab for its commands.
const char* program_of(const std::vector<std::string>& arguments) {
  const bool is_lab =
      !arguments.empty() && (arguments[0] == "codecs" || arguments[0] == "generate");
  return is_lab ? WARPDEX_LAB_PROGRAM : WARPDEX_PROGRAM;
}

/// Starts warpdex with the three descriptors as its standard streams.
pid_t start(const std::vector<std::string>& arguments, int input, int output, int error,
            const RunSettings& settings) {
  const char* program = program_of(arguments);
  check_program(program);
  std::vector<std::string> words = settings.under;
  words.emplace_back(program);
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);

  const pid_t child = fork();
  if (child != 0) return child;
  if (settings.file_size_limit) {
    const rlimit limit{*settings.file_size_limit, *settings.file_size_limit};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  if (!settings.current_folder.empty() && chdir(settings.current_folder.c_str()) != 0) _exit(126);
  // A job in a shell's background ignores SIGINT, and would pass that on.
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) std::signal(number, SIG_DFL);
  dup2(input, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(error, STDERR_FILENO);
  execvp(pointers[0], pointers.data());
  _exit(127);
}

/// Waits for the child's end, and tells its status and its memory.
void wait_for(pid_t child, Outcome& outcome) {
  int state = 0;
  rusage usage{};
  while (wait4(child, &state, 0, &usage) < 0 && errno == EINTR) {
  }
  outcome.status = WIFSIGNALED(state) ? -WTERMSIG(state) : WEXITSTATUS(state);
  outcome.peak_memory = static_cast<std::uint64_t>(usage.ru_maxrss) << 10;
}

int open_for_writing(const std::filesystem::path& file) {
  return ::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
}

/// A terminal that a child writes to.
class Terminal {
 public:
  Terminal() : reader_(posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)) {
    EXPECT_EQ(grantpt(reader_), 0);
    EXPECT_EQ(unlockpt(reader_), 0);
  }
  ~Terminal() { ::close(reader_); }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  /// The child's end.
  int open() const { return ::open(ptsname(reader_), O_RDWR | O_NOCTTY | O_CLOEXEC); }

  /// All that is written until no process has it open any more.
  std::string read_all() const {
    std::string text;
    char bytes[4096];
    for (;;) {
      const ssize_t count = ::read(reader_, bytes, sizeof bytes);
      if (count > 0) text.append(bytes, static_cast<std::size_t>(count));
      if (count <= 0 && !(count < 0 && errno == EINTR)) return text;
    }
  }

 private:
  int reader_;
};

}  // namespace

void check_program(const std::filesystem::path& program) {
  if (::access(program.c_str(), X_OK) == 0 && std::filesystem::is_regular_file(program)) return;
  throw std::runtime_error("there is no program to run at " + program.string() +
                           "; build the target warpdex first");
}

Outcome run_warpdex(const std::vector<std::string>& arguments, const RunSettings& settings) {
  const TemporaryFolder folder;
  write_file(folder / "in", settings.input);
  const int input = ::open((folder / "in").c_str(), O_RDONLY | O_CLOEXEC);
  const std::filesystem::path output_file =
      settings.output_to.empty() ? folder / "out" : std::filesystem::path(settings.output_to);
  const int output = open_for_writing(output_file);
  std::optional<Terminal> terminal;
  if (settings.error_is_terminal) terminal.emplace();
  const int error = terminal ? terminal->open() : open_for_writing(folder / "err");
  Outcome outcome;
  const pid_t child = start(arguments, input, output, error, settings);
  for (const int descriptor : {input, output, error}) ::close(descriptor);
  if (terminal) outcome.err = terminal->read_all();
  wait_for(child, outcome);
  if (settings.output_to.empty()) outcome.out = read_file(folder / "out");
  if (!terminal) outcome.err = read_file(folder / "err");
  return outcome;
}

RunningWarpdex::RunningWarpdex(const std::vector<std::string>& arguments) {
  std::signal(SIGPIPE, SIG_IGN);  // a child that ended early fails the test, and does not end it
  int pipe_ends[2];
  EXPECT_EQ(pipe2(pipe_ends, O_CLOEXEC), 0);
  const int output = open_for_writing(folder_ / "out");
  const int error = open_for_writing(folder_ / "err");
  child_ = start(arguments, pipe_ends[0], output, error, {});
  for (const int descriptor : {pipe_ends[0], output, error}) ::close(descriptor);
  input_ = pipe_ends[1];
}

RunningWarpdex::~RunningWarpdex() {
  if (input_ >= 0) ::close(input_);
  if (child_ > 0) {
    kill(child_, SIGKILL);
    Outcome ignored;
    wait_for(child_, ignored);
  }
}

void RunningWarpdex::send_input(const std::string& bytes) {
  std::size_t sent = 0;
  while (sent < bytes.size()) {
    const ssize_t written = ::write(input_, bytes.data() + sent, bytes.size() - sent);
    ASSERT_GT(written, 0);
    sent += static_cast<std::size_t>(written);
  }
}

void RunningWarpdex::try_input(const std::string& bytes) {
  const ssize_t written = ::write(input_, bytes.data(), bytes.size());
  EXPECT_TRUE(written >= 0 || errno == EPIPE) << errno;
}

void RunningWarpdex::end_input() {
  ::close(input_);
  input_ = -1;
}

void RunningWarpdex::send_signal(int signal) { ASSERT_EQ(kill(child_, signal), 0); }

std::string RunningWarpdex::wait_for_lines(std::size_t lines) const {
  for (int tenths = 0; tenths < 600; ++tenths) {
    const std::string output = read_file(folder_ / "out");
    if (std::count(output.begin(), output.end(), '\n') >= static_cast<std::ptrdiff_t>(lines)) {
      return output;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return {};
}

Outcome RunningWarpdex::wait() {
  Outcome outcome;
  wait_for(child_, outcome);
  child_ = -1;
  outcome.out = read_file(folder_ / "out");
  outcome.err = read_file(folder_ / "err");
  return outcome;
}

}  // namespace warpdex::test
