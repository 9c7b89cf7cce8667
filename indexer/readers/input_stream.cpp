// Reads files with read(), and tells packed ones by their names and first bytes.
#include "warpdex/indexer/readers/input_stream.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace warpdex {
namespace {

constexpr std::size_t kBufferSize = std::size_t{256} << 10;
constexpr std::size_t kMagicSize = 6;
constexpr std::size_t kLargestRead = std::size_t{1} << 30;
constexpr int kWaitMilliseconds = 100;

// Opening a pipe does not wait for its writer; wait_for_bytes() does.
int open_file(const std::string& name) {
  int file = -1;
  do {
    file = ::open(name.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  } while (file < 0 && errno == EINTR);
  if (file < 0) {
    const int code = errno;
    throw IoError("cannot open '" + name + "': " + errno_message(code) +
                  "; check the path and its permissions");
  }
  return file;
}

bool is_folder(int file) {
  struct stat status {};
  return ::fstat(file, &status) == 0 && S_ISDIR(status.st_mode);
}

}  // namespace

InputStream::InputStream(const std::filesystem::path& path, std::function<void()> on_read,
                         const UnpackLimit& unpack_limit)
    : name_(path.string()), on_read_(std::move(on_read)), unpack_limit_(unpack_limit) {
  Packing claimed = Packing::kPlain;
  if (name_ == "-") {
    name_ = "<stdin>";
    file_ = STDIN_FILENO;
  } else {
    claimed = packing_from_suffix(name_);
    file_ = open_file(name_);
  }
  try {
    if (is_folder(file_)) throw IoError("'" + name_ + "' is a folder; give the files in it");
    buffer_.resize(kBufferSize);
    detect_packing(claimed);
  } catch (...) {
    if (file_ != STDIN_FILENO) ::close(file_);
    throw;
  }
}

InputStream::~InputStream() {
  if (file_ != STDIN_FILENO) ::close(file_);
}

void InputStream::detect_packing(Packing claimed) {
  std::size_t size = 0;
  // A pipe may give its bytes one by one; what cannot become packed is not waited for.
  while (size < kMagicSize &&
         (claimed != Packing::kPlain || may_become_packed({buffer_.data(), size}))) {
    const std::size_t more = read_some(buffer_.data() + size, buffer_.size() - size);
    if (more == 0) break;
    size += more;
  }
  pending_ = {buffer_.data(), size};
  packing_ = claimed != Packing::kPlain ? claimed : packing_from_magic(pending_);
  if (packing_ == Packing::kPlain) return;
  unpacker_ = make_unpacker(packing_, unpack_limit_.bytes);
}

std::size_t InputStream::read(char* out, std::size_t size) {
  if (size == 0) return 0;
  return unpacker_ ? read_packed(out, size) : read_unpacked(out, size);
}

std::size_t InputStream::read_unpacked(char* out, std::size_t size) {
  if (pending_.empty()) return read_some(out, size);
  const std::size_t given = std::min(size, pending_.size());
  std::memcpy(out, pending_.data(), given);
  pending_ = pending_.subspan(given);
  return given;
}

std::size_t InputStream::read_packed(char* out, std::size_t size) {
  for (;;) {
    if (pending_.empty() && !refill() && unpacker_->complete()) return 0;
    const std::size_t before = pending_.size();
    std::size_t produced = 0;
    try {
      produced = unpacker_->unpack(pending_, ended_, out, size);
    } catch (const UnpackMemory& error) {
      fail_memory(error.needed());
    } catch (const InputError& error) {
      fail_damaged(error.what());
    }
    if (produced > 0) return produced;
    const bool stuck = pending_.size() == before && (before > 0 || ended_);
    if (stuck && !unpacker_->complete()) {
      throw InputError(name_ + " is cut short: its " + packing_name(packing_) +
                       " data ends before its end is marked; fetch it or pack it again");
    }
  }
}

bool InputStream::refill() {
  if (!ended_) pending_ = {buffer_.data(), read_some(buffer_.data(), buffer_.size())};
  return !pending_.empty();
}

std::size_t InputStream::read_some(void* out, std::size_t size) {
  if (ended_) return 0;
  for (;;) {
    wait_for_bytes();
    const ssize_t got = ::read(file_, out, std::min(size, kLargestRead));
    if (got > 0) {
      consumed_.fetch_add(static_cast<std::uint64_t>(got), std::memory_order_relaxed);
      return static_cast<std::size_t>(got);
    }
    if (got == 0) {
      ended_ = true;
      return 0;
    }
    if (errno != EINTR && errno != EAGAIN) {
      const int code = errno;
      throw IoError("cannot read '" + name_ + "': " + errno_message(code) +
                    "; check the disk or the device that it is on");
    }
  }
}

// Returns once a read would find bytes, the end of the input, or an error. A file on a disk is
// always ready; a pipe that nobody has written to yet is not at its end.
void InputStream::wait_for_bytes() const {
  pollfd file{file_, POLLIN, 0};
  int ready = 0;
  do {
    if (on_read_) on_read_();
    ready = ::poll(&file, 1, kWaitMilliseconds);
  } while (ready == 0 || (ready < 0 && errno == EINTR));
}

void InputStream::fail_memory(std::uint64_t needed) const {
  constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
  const auto in_mib = [](std::uint64_t bytes) { return std::to_string((bytes + kMiB - 1) / kMiB); };
  const std::string what = name_ + " needs " + in_mib(needed) +
                           " MiB of memory to be unpacked as " + packing_name(packing_);
  const std::string advice = "pack it again with a smaller window";
  if (unpack_limit_.is_half_of_memory) {
    throw InputError(what + ", which may take half of --memory; give --memory " +
                     in_mib(2 * needed) + "M, or " + advice);
  }
  throw InputError(what + ", and " + in_mib(unpack_limit_.bytes) + " MiB are allowed; " + advice);
}

void InputStream::fail_damaged(const std::string& reason) const {
  const std::uint64_t offset = bytes_consumed() - pending_.size();
  throw InputError(name_ + " cannot be unpacked as " + packing_name(packing_) + " (" + reason +
                   ", near packed byte " + std::to_string(offset) +
                   "); fetch it or pack it again, or rename it if it is not packed");
}

}  // namespace warpdex
