// A file of JSON lines, written by a thread of its own.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace warpdex::server {

/// Any thread. Lines go out whole and in their order, at the latest a quarter of a second after
/// they came. Where the disk takes them more slowly than they come, those past kMaxWaiting bytes
/// are dropped and counted: a log never delays a request.
class LogFile {
 public:
  static constexpr std::size_t kMaxWaiting = std::size_t{16} << 20;

  /// Appends to the file; "-" is standard output; empty: lines are dropped. Throws IoError.
  explicit LogFile(std::string path);
  ~LogFile();
  LogFile(const LogFile&) = delete;
  LogFile& operator=(const LogFile&) = delete;

  bool is_on() const { return !path_.empty(); }
  /// Without its line end.
  void add(std::string_view line);
  /// Opens the path anew, as after another program has moved the file away. Throws IoError; the
  /// old file then stays open.
  void reopen();
  std::uint64_t dropped() const;

 private:
  void run();
  int open_file() const;

  const std::string path_;
  int descriptor_ = -1;  ///< touched under `mutex_`, and by the thread while it writes
  mutable std::mutex mutex_;
  std::mutex writing_;  ///< held while the descriptor is used
  std::condition_variable woken_;
  std::string waiting_;
  std::uint64_t dropped_ = 0;
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace warpdex::server
