// Locks by flock, which the system undoes when a process dies.
#include "warpdex/core/storage/target_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <new>
#include <string>
#include <thread>

#include "storage/fail.hpp"
#include "storage/hidden_names.hpp"

namespace warpdex {
namespace {

namespace fs = std::filesystem;

/// What a holder writes into its lock file.
std::string own_name() {
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) host[0] = '\0';
  return "process " + std::to_string(::getpid()) + (host[0] != '\0' ? " on " : "") + host.data();
}

/// What the holder wrote; it may not have come to it yet.
std::string holder_name(int descriptor) {
  std::array<char, 300> text{};
  const ssize_t size = ::pread(descriptor, text.data(), text.size(), 0);
  std::string name(text.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  const bool is_plain = std::all_of(name.begin(), name.end(),
                                    [](unsigned char letter) { return std::isprint(letter) != 0; });
  return name.empty() || !is_plain ? "another process" : name;
}

/// Creates the file, or opens the one that is there; it may be another user's. Returns its
/// descriptor, or -1 with errno.
int open_file(const fs::path& file) {
  constexpr int kFlags = O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  const int descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | kFlags, 0666);
  if (descriptor >= 0 || errno != EACCES) return descriptor;
  const int readable = ::open(file.c_str(), O_RDONLY | kFlags);
  if (readable < 0) errno = EACCES;
  return readable;
}

/// Closes a descriptor at the end of its scope.
struct Closing {
  int descriptor;
  ~Closing() { ::close(descriptor); }
};

std::string write_advice(const fs::path& target, LockUse use) {
  if (use == LockUse::kOutput) return "choose an output where you may write";
  return "an index is changed beside itself, so make the folder '" + target.parent_path().string() +
         "' writable, with room for it";
}

/// Whether the open file still bears that name.
bool is_file(int descriptor, const fs::path& path) {
  struct stat own {};
  struct stat there {};
  return ::fstat(descriptor, &own) == 0 && ::lstat(path.c_str(), &there) == 0 &&
         own.st_dev == there.st_dev && own.st_ino == there.st_ino;
}

/// Throws IoError: the system refused to lock the file.
[[noreturn]] void fail_to_lock(const fs::path& file, int code, LockUse use) {
  if (code != ENOLCK && code != EOPNOTSUPP && code != ENOSYS) {
    fail("lock", file, code, "choose an output on another disk");
  }
  ::unlink(file.c_str());  // nobody can hold a lock there
  const std::string place = use == LockUse::kOutput ? "choose an output on a local disk"
                                                    : "copy the index to a local disk";
  fail("lock", file, code,
       "the file system there has no locks (flock), which keep two writers apart: " + place +
           ", or have it mounted with locks");
}

/// Takes the lock, if nobody else has it. Tries for some milliseconds, since is_locked() takes it
/// for a moment.
bool take_lock(int descriptor) {
  constexpr int kTries = 5;
  constexpr std::chrono::milliseconds kPause{2};
  for (int i = 1; ::flock(descriptor, LOCK_EX | LOCK_NB) != 0; ++i) {
    if (errno != EWOULDBLOCK || i == kTries) return false;
    std::this_thread::sleep_for(kPause);
  }
  return true;
}

}  // namespace

TargetLock::TargetLock(const fs::path& target, LockUse use) : file_(lock_file_of(target)) {
  // The file may be removed by its holder between being opened and being locked here. Such a lock
  // is worth nothing, since others will create the file anew: so it is looked at again.
  for (;;) {
    const int descriptor = open_file(file_);
    if (descriptor < 0) fail("create", file_, errno, write_advice(target, use));
    if (!take_lock(descriptor)) {
      const int code = errno;
      const Closing closing{descriptor};
      const std::string holder = holder_name(descriptor);
      if (code != EWOULDBLOCK) fail_to_lock(file_, code, use);
      throw IoError("'" + target.string() + "' is being written by " + holder +
                    "; wait for its end, or write elsewhere");
    }
    if (is_file(descriptor, file_)) {
      descriptor_ = descriptor;
      break;
    }
    ::close(descriptor);
  }
  // The name is for messages only: a full disk or a lack of memory must not matter.
  try {
    const std::string name = own_name();
    [[maybe_unused]] const bool is_named =
        ::ftruncate(descriptor_, 0) == 0 && ::pwrite(descriptor_, name.data(), name.size(), 0) > 0;
  } catch (const std::bad_alloc&) {
  }
}

TargetLock::~TargetLock() {
  // In this order: only who holds the lock may remove the file.
  if (is_file(descriptor_, file_)) ::unlink(file_.c_str());
  ::close(descriptor_);
}

bool is_locked(const fs::path& target) {
  const int descriptor =
      ::open(lock_file_of(target).c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) return errno != ENOENT;
  const bool is_free = ::flock(descriptor, LOCK_SH | LOCK_NB) == 0;
  ::close(descriptor);
  return !is_free;
}

}  // namespace warpdex
