// Runs the program warpdex as its users do: a process with arguments, streams and a status.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tests/support.hpp"

namespace warpdex::test {

struct Outcome {
  int status = 0;  ///< exit status, or -n where signal n ended the process
  std::string out;
  std::string err;
  std::uint64_t peak_memory = 0;  ///< bytes; at least what this process held when it started it
};

struct RunSettings {
  std::string input{};                             ///< standard input
  std::string output_to{};                         ///< where standard output goes; empty: captured
  std::optional<std::uint64_t> file_size_limit{};  ///< bytes that a file may grow to
  bool error_is_terminal = false;          ///< standard error is one, and adds a "\r" to each "\n"
  std::filesystem::path current_folder{};  ///< empty: the test's own
  std::vector<std::string> under{};        ///< a program, with arguments, that runs warpdex
};

/// Throws std::runtime_error with the path where there is no program that may be run.
void check_program(const std::filesystem::path& program);

/// Runs warpdex to its end. Like RunningWarpdex, throws if it has not been built.
Outcome run_warpdex(const std::vector<std::string>& arguments, const RunSettings& settings = {});

/// A warpdex that reads standard input from a pipe which the test fills.
class RunningWarpdex {
 public:
  explicit RunningWarpdex(const std::vector<std::string>& arguments);
  ~RunningWarpdex();
  RunningWarpdex(const RunningWarpdex&) = delete;
  RunningWarpdex& operator=(const RunningWarpdex&) = delete;

  void send_input(const std::string& bytes);
  /// As far as the process still reads.
  void try_input(const std::string& bytes);
  /// Lets it read the end of its input.
  void end_input();
  void send_signal(int signal);
  /// What it wrote to standard output so far, once that has `lines` lines; empty after a minute.
  std::string wait_for_lines(std::size_t lines) const;
  /// Waits for its end. Its input stays open if end_input() was not called.
  Outcome wait();

 private:
  TemporaryFolder folder_;
  pid_t child_ = -1;
  int input_ = -1;
};

}  // namespace warpdex::test
