#include "observe/log_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <utility>

#include "warpdex/core/error.hpp"

namespace warpdex::server {
namespace {

constexpr std::chrono::milliseconds kBetweenWrites{250};
constexpr std::size_t kWriteAt = 64 << 10;

void write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;  // a full disk loses lines of the log, and no request
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace

LogFile::LogFile(std::string path) : path_(std::move(path)) {
  if (!is_on()) return;
  descriptor_ = open_file();
  thread_ = std::thread([this] { run(); });
}

LogFile::~LogFile() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  woken_.notify_one();
  thread_.join();
  if (path_ != "-") ::close(descriptor_);
}

int LogFile::open_file() const {
  if (path_ == "-") return STDOUT_FILENO;
  const int opened = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0640);
  if (opened >= 0) return opened;
  throw IoError("the log '" + path_ + "' cannot be opened: " + errno_message(errno));
}

void LogFile::add(std::string_view line) {
  if (!is_on()) return;
  bool is_much = false;
  {
    const std::lock_guard lock(mutex_);
    if (waiting_.size() + line.size() > kMaxWaiting) {
      ++dropped_;
      return;
    }
    const bool was_little = waiting_.size() < kWriteAt;
    (waiting_ += line) += '\n';
    is_much = was_little && waiting_.size() >= kWriteAt;
  }
  if (is_much) woken_.notify_one();
}

void LogFile::reopen() {
  if (!is_on() || path_ == "-") return;
  const int opened = open_file();
  const std::lock_guard lock(writing_);
  ::close(std::exchange(descriptor_, opened));
}

std::uint64_t LogFile::dropped() const {
  const std::lock_guard lock(mutex_);
  return dropped_;
}

void LogFile::run() {
  std::string lines;
  std::unique_lock lock(mutex_);
  while (!ends_ || !waiting_.empty()) {
    woken_.wait_for(lock, kBetweenWrites, [this] { return ends_ || waiting_.size() >= kWriteAt; });
    lines.clear();
    lines.swap(waiting_);
    lock.unlock();
    {
      const std::lock_guard writing(writing_);
      write_all(descriptor_, lines);
    }
    lock.lock();
  }
}

}  // namespace warpdex::server
