// Output files, written beside and renamed.
#include "output_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "warpdex/core/error.hpp"

namespace warpdex::tools {
namespace {

constexpr std::size_t kBufferSize = 1 << 20;

}  // namespace

OutputFile::OutputFile(const std::filesystem::path& target) : buffer_(target), stream_(&buffer_) {
  stream_.exceptions(std::ios::badbit);  // hands on what the buffer throws
}

OutputFile::Buffer::Buffer(const std::filesystem::path& target) {
  if (target.empty() || target == "-") {
    descriptor_ = STDOUT_FILENO;
  } else {
    open(target);
  }
}

void OutputFile::Buffer::open(const std::filesystem::path& target) {
  std::error_code ignored;
  // A link to a file stays a link.
  const std::filesystem::path resolved = std::filesystem::weakly_canonical(target, ignored);
  target_ = resolved.empty() ? target : resolved;
  const std::filesystem::file_status status = std::filesystem::status(target_, ignored);
  if (std::filesystem::is_directory(status)) {
    throw IoError("cannot write " + target.string() + ": it is a folder; name a file");
  }
  int flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC;
  std::filesystem::path opened = target_;
  if (!std::filesystem::exists(status) || std::filesystem::is_regular_file(status)) {
    opened += ".warpdex-" + std::to_string(getpid());
    flags |= O_EXCL;
  }
  descriptor_ = ::open(opened.c_str(), flags, 0666);
  if (descriptor_ < 0 && errno == EEXIST && opened != target_) {
    // A process that had our id was killed and left it.
    ::unlink(opened.c_str());
    descriptor_ = ::open(opened.c_str(), flags, 0666);
  }
  if (descriptor_ < 0) fail(errno);
  if (opened != target_) temporary_ = opened;
}

OutputFile::Buffer::~Buffer() {
  if (descriptor_ >= 0 && !target_.empty()) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void OutputFile::Buffer::fail(int error) const {
  const std::string name = target_.empty() ? "standard output" : target_.string();
  throw IoError("cannot write " + name + ": " + errno_message(error) +
                "; make room there, or name another target");
}

OutputFile::Buffer::int_type OutputFile::Buffer::overflow(int_type c) {
  if (c != traits_type::eof()) {
    const char byte = traits_type::to_char_type(c);
    xsputn(&byte, 1);
  }
  return traits_type::not_eof(c);
}

std::streamsize OutputFile::Buffer::xsputn(const char* data, std::streamsize size) {
  pending_.append(data, static_cast<std::size_t>(size));
  if (pending_.size() >= kBufferSize) write_pending();
  return size;
}

int OutputFile::Buffer::sync() {
  write_pending();
  return 0;
}

void OutputFile::Buffer::write_pending() {
  const char* data = pending_.data();
  std::size_t left = pending_.size();
  while (left > 0) {
    const ssize_t written = ::write(descriptor_, data, left);
    if (written < 0) {
      if (errno == EINTR) continue;
      fail(errno);
    }
    data += written;
    left -= static_cast<std::size_t>(written);
  }
  pending_.clear();
}

void OutputFile::Buffer::commit() {
  write_pending();
  if (target_.empty()) return;
  if (!temporary_.empty() && ::fsync(descriptor_) != 0) fail(errno);
  const int closed = ::close(descriptor_);
  descriptor_ = -1;
  if (closed != 0) fail(errno);
  if (temporary_.empty()) return;
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail(errno);
  temporary_.clear();
}

void write_output(const std::filesystem::path& target, std::string_view bytes) {
  OutputFile file(target);
  file.stream().write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.commit();
}

}  // namespace warpdex::tools
