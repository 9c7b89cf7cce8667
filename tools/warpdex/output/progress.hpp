// A line that says how far a long job has come, how fast it goes and how long it will take.
#pragma once

#include <chrono>
#include <cstdint>
#include <ostream>
#include <string>

namespace warpdex::tools {

/// On a terminal one line, rewritten a few times a second and erased at the end; elsewhere (a pipe,
/// a log file) a line every ten seconds. Not for several threads at once.
class Progress {
 public:
  using Clock = std::chrono::steady_clock;
  /// What is counted. No rate is shown for kSteps, which mean nothing by themselves.
  enum class Unit { kItems, kBytes, kSteps };

  /// Writes to standard error: as to a terminal if it takes_escapes(), else as to a file.
  static Progress to_standard_error();
  Progress(std::ostream& out, bool terminal)
      : Progress(out, terminal, default_interval(terminal)) {}
  Progress(std::ostream& out, bool terminal, Clock::duration interval)
      : out_(&out), terminal_(terminal), interval_(interval), last_(Clock::now()) {}
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress() { clear(); }

  /// `done` of `total` units of work (0: the total is not known) since this stage began; `text`
  /// says what has been done. Rate and time left are those of `done` over the stage's time. A new
  /// `stage` starts a new clock.
  void update(const std::string& stage, const std::string& text, std::uint64_t done,
              std::uint64_t total, Unit unit);
  /// Of a stage that knows only the share of its work that is done, 0 to 1.
  void update(const std::string& stage, double share);

  /// Erases the line on a terminal, so that other text can be printed.
  void clear();

 private:
  static Clock::duration default_interval(bool terminal);

  std::ostream* out_;
  bool terminal_;
  Clock::duration interval_;
  Clock::time_point last_;
  Clock::time_point stage_start_;
  std::string stage_;
  bool line_is_open_ = false;
};

}  // namespace warpdex::tools
