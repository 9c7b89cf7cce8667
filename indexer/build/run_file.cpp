// Writes and reads runs through buffers.
#include "build/run_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "format/posting_code.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::build {
namespace {

constexpr std::size_t kWriteBuffer = std::size_t{128} << 10;
constexpr std::size_t kMaxVarint = 10;

}  // namespace

RunWriter::RunWriter(std::filesystem::path path) : path_(std::move(path)) {
  file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file_ < 0) fail(errno);
  buffer_.reserve(kWriteBuffer);
}

RunWriter::~RunWriter() {
  if (file_ >= 0) ::close(file_);
}

void RunWriter::add(std::string_view term, std::span<const std::uint8_t> postings) {
  std::array<std::uint8_t, kMaxVarint> number;
  const auto append_number = [&](std::uint64_t value) {
    const std::uint8_t* end = write_varint(number.data(), value);
    append(number.data(), static_cast<std::size_t>(end - number.data()));
  };
  longest_term_ = std::max(longest_term_, term.size());
  append_number(term.size());
  append(term.data(), term.size());
  append_number(postings.size());
  append(postings.data(), postings.size());
}

void RunWriter::append(const void* bytes, std::size_t count) {
  const auto* next = static_cast<const std::uint8_t*>(bytes);
  while (count > 0) {
    const std::size_t part = std::min(count, kWriteBuffer - buffer_.size());
    buffer_.insert(buffer_.end(), next, next + part);
    next += part;
    count -= part;
    if (buffer_.size() == kWriteBuffer) flush();
  }
}

void RunWriter::flush() {
  std::span<const std::uint8_t> rest = buffer_;
  while (!rest.empty()) {
    const ssize_t written = ::write(file_, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(errno);
    rest = rest.subspan(static_cast<std::size_t>(written));
  }
  buffer_.clear();
}

void RunWriter::finish() {
  flush();
  if (::close(std::exchange(file_, -1)) != 0) fail(errno);
}

void RunWriter::fail(int code) const {
  throw IoError("cannot write the temporary file '" + path_.string() + "': " + errno_message(code) +
                "; make room there, choose another output folder, or give the build more memory");
}

RunReader::RunReader(std::filesystem::path path, std::size_t buffer_bytes)
    : path_(std::move(path)), buffer_(buffer_bytes) {
  file_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  if (file_ < 0) fail(errno_message(errno).c_str());
}

RunReader::~RunReader() {
  if (file_ >= 0) ::close(file_);
}

// Has `wanted` bytes, which the buffer has room for, in the buffer; false if the file ends before.
bool RunReader::fill(std::size_t wanted) {
  if (available() >= wanted) return true;
  std::memmove(buffer_.data(), buffer_.data() + begin_, available());
  end_ = available();
  begin_ = 0;
  while (end_ < wanted) {
    const ssize_t count = ::read(file_, buffer_.data() + end_, buffer_.size() - end_);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail(errno_message(errno).c_str());
    if (count == 0) return false;
    end_ += static_cast<std::size_t>(count);
  }
  return true;
}

// Calls take(begin, end) for the next `count` bytes, piece by piece.
template <class Take>
void RunReader::take_bytes(std::uint64_t count, const Take& take) {
  while (count > 0) {
    if (!fill(1)) fail("it ends within a term");
    const std::size_t part = std::min<std::uint64_t>(count, available());
    take(buffer_.data() + begin_, buffer_.data() + begin_ + part);
    begin_ += part;
    count -= part;
  }
}

std::uint64_t RunReader::take_varint() {
  fill(kMaxVarint);
  for (std::size_t size = 1; size <= std::min(kMaxVarint, available()); ++size) {
    if (buffer_[begin_ + size - 1] >= 0x80) continue;
    std::uint64_t value = 0;
    read_varint(buffer_.data() + begin_, value);
    begin_ += size;
    return value;
  }
  fail("it ends within a number");
}

bool RunReader::next() {
  if (!fill(1)) return false;
  name_.clear();
  take_bytes(take_varint(),
             [&](const std::uint8_t* begin, const std::uint8_t* end) { name_.append(begin, end); });
  term_ = name_;
  bytes_ = take_varint();
  return true;
}

void RunReader::take(std::vector<std::uint8_t>& out) {
  take_bytes(bytes_, [&](const std::uint8_t* begin, const std::uint8_t* end) {
    out.insert(out.end(), begin, end);
  });
}

void RunReader::fail(const char* what) const {
  throw IoError("cannot read the temporary file '" + path_.string() + "': " + what +
                "; build again");
}

}  // namespace warpdex::build
