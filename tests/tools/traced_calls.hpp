// Runs warpdex under strace, which tells its system calls, and kills it at one or lets one fail.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "tests/tools/process.hpp"

namespace warpdex::test {

/// One system call of a run: the n-th of its name.
struct Call {
  std::string name;
  int occurrence = 0;
  bool changes_files = false;  ///< or ends the process
};

inline bool can_trace() {
  return run_warpdex({"--version"}, {.under = {"strace", "-f", "-o", "/dev/null"}}).status == 0;
}

#define WARPDEX_NEEDS_STRACE() \
  if (!can_trace()) GTEST_SKIP() << "strace is not here or may not trace; install strace"

/// The program that warpdex runs under: strace with `options`, which writes to `log`.
inline std::vector<std::string> tracer(const std::filesystem::path& log,
                                       const std::vector<std::string>& options) {
  std::vector<std::string> arguments{"strace", "-f", "-qq", "-o", log};
  arguments.insert(arguments.end(), options.begin(), options.end());
  return arguments;
}

/// Whether a call, of which strace wrote down `line`, can change what the disk holds, or ends the
/// process.
inline bool may_change_files(const std::string& name, const std::string& line) {
  static const std::set<std::string> kChanging{
      "copy_file_range", "exit_group", "fallocate", "ftruncate", "link",     "linkat",    "mkdir",
      "mkdirat",         "pwrite64",   "pwritev",   "rename",    "renameat", "renameat2", "rmdir",
      "sendfile",        "symlink",    "truncate",  "unlink",    "unlinkat", "write",     "writev"};
  return kChanging.contains(name) ||
         (name == "openat" && line.find("O_CREAT") != std::string::npos);
}

/// The calls that strace wrote down, from the first that has `mark` in its arguments or name.
inline std::vector<Call> read_calls(const std::filesystem::path& log, const std::string& mark) {
  std::ifstream lines(log);
  std::map<std::string, int> seen;
  std::vector<Call> calls;
  bool is_past_mark = false;
  const std::regex call("^[0-9]+ +([a-z0-9_]+)\\(");
  std::smatch match;
  for (std::string line; std::getline(lines, line);) {
    if (!std::regex_search(line, match, call)) continue;
    is_past_mark = is_past_mark || line.find(mark) != std::string::npos;
    const int occurrence = ++seen[match[1]];
    if (is_past_mark) calls.push_back({match[1], occurrence, may_change_files(match[1], line)});
  }
  return calls;
}

/// Where a kill can leave something else on the disk than a kill somewhere before: all other calls
/// leave it as the calls before them did.
inline std::vector<Call> worth_a_kill(std::vector<Call> calls) {
  std::erase_if(calls, [](const Call& call) { return !call.changes_files; });
  EXPECT_GT(calls.size(), 20U);
  return calls;
}

/// Options of strace by which a call meets `what` ("signal=KILL", "error=ENOSPC").
inline std::vector<std::string> injected(const Call& call, const std::string& what) {
  return {"-e", "trace=" + call.name, "-e",
          "inject=" + call.name + ":" + what + ":when=" + std::to_string(call.occurrence)};
}

}  // namespace warpdex::test
