// Formats and prints progress.
#include "output/progress.hpp"

#include <unistd.h>

#include <iostream>

#include "output/terminal.hpp"
#include "output/text.hpp"

namespace warpdex::tools {
namespace {

constexpr const char* kEraseLine = "\r\x1b[K";
// Without wrapping, a terminal cuts a line that is too long for it. A wrapped one could not be
// erased as one line.
constexpr const char* kWrapOff = "\x1b[?7l";
constexpr const char* kWrapOn = "\x1b[?7h";

}  // namespace

Progress Progress::to_standard_error() { return {std::cerr, takes_escapes(STDERR_FILENO)}; }

Progress::Clock::duration Progress::default_interval(bool terminal) {
  return terminal ? std::chrono::milliseconds(200) : std::chrono::milliseconds(10'000);
}

void Progress::update(const std::string& stage, const std::string& text, std::uint64_t done,
                      std::uint64_t total, Unit unit) {
  const Clock::time_point now = Clock::now();
  if (stage != stage_) {
    stage_ = stage;
    stage_start_ = now;
  }
  if (now - last_ < interval_) return;
  last_ = now;

  const double seconds = std::chrono::duration<double>(now - stage_start_).count();
  std::string line = text.empty() ? stage : stage + ": " + text;
  if (seconds > 0 && done > 0) {
    const double rate = static_cast<double>(done) / seconds;
    const auto whole_rate = static_cast<std::uint64_t>(rate);
    if (unit == Unit::kItems) line += ", " + grouped(whole_rate) + "/s";
    if (unit == Unit::kBytes) line += ", " + bytes_text(whole_rate) + "/s";
    if (total >= done && total > 0) {
      const double share = static_cast<double>(done) / static_cast<double>(total);
      line += ", " + fixed(100 * share, 0) + " %, " +
              duration_text(static_cast<double>(total - done) / rate) + " left";
    }
  }
  if (terminal_) {
    *out_ << kEraseLine << kWrapOff << line << kWrapOn << std::flush;
    line_is_open_ = true;
  } else {
    *out_ << line << "\n" << std::flush;
  }
}

void Progress::update(const std::string& stage, double share) {
  constexpr std::uint64_t kSteps = 1'000'000;
  const auto done = static_cast<std::uint64_t>(share * static_cast<double>(kSteps));
  update(stage, "", done, kSteps, Unit::kSteps);
}

void Progress::clear() {
  if (line_is_open_) *out_ << kEraseLine << std::flush;
  line_is_open_ = false;
}

}  // namespace warpdex::tools
