// LineReader: lines cut out of large buffers with memchr.
#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "warpdex/indexer/readers/input_stream.hpp"

namespace warpdex {
namespace {

constexpr std::size_t kBufferSize = std::size_t{256} << 10;
constexpr char kByteOrderMark[] = {'\xEF', '\xBB', '\xBF'};

}  // namespace

LineReader::LineReader(const std::filesystem::path& path, std::function<void()> on_read,
                       std::size_t max_bytes, const UnpackLimit& unpack_limit)
    : stream_(path, std::move(on_read), unpack_limit),
      buffer_(new char[kBufferSize]),
      max_bytes_(std::min(max_bytes, std::numeric_limits<std::size_t>::max() / 2)) {}

bool LineReader::next(std::string& line) {
  line.clear();
  if (in_long_line_) pass_over_long_line();
  bool any = false;
  while (begin_ != end_ || fill()) {
    any = true;
    const std::size_t size = static_cast<std::size_t>(end_ - begin_);
    const auto* newline = static_cast<const char*>(std::memchr(begin_, '\n', size));
    const char* const end = newline != nullptr ? newline : end_;
    // One more, which may be the "\r" of the line's end.
    in_long_line_ = line.size() + static_cast<std::size_t>(end - begin_) > max_bytes_ + 1;
    if (in_long_line_) fail_long(line);
    line.append(begin_, end);
    begin_ = newline != nullptr ? newline + 1 : end_;
    if (newline == nullptr) continue;
    if (!line.empty() && line.back() == '\r') line.pop_back();
    break;
  }
  if (line.size() > max_bytes_) fail_long(line);
  if (any) ++line_number_;
  return any;
}

void LineReader::fail_long(std::string& line) {
  std::string().swap(line);
  ++line_number_;
  throw LongLine(name() + ":" + std::to_string(line_number_),
                 "has a line of more than " + std::to_string(max_bytes_) + " bytes");
}

void LineReader::pass_over_long_line() {
  while (begin_ != end_ || fill()) {
    const auto* newline = static_cast<const char*>(
        std::memchr(begin_, '\n', static_cast<std::size_t>(end_ - begin_)));
    begin_ = newline != nullptr ? newline + 1 : end_;
    if (newline != nullptr) break;
  }
  in_long_line_ = false;
}

bool LineReader::has_line_at_hand() const {
  const auto size = static_cast<std::size_t>(end_ - begin_);
  return size > 0 && std::memchr(begin_, '\n', size) != nullptr;
}

bool LineReader::fill() {
  std::size_t size = stream_.read(buffer_.get(), kBufferSize);
  begin_ = buffer_.get();
  if (!started_) {
    started_ = true;
    size = skip_byte_order_mark(size);
  }
  end_ = begin_ + size;
  return size > 0;
}

std::size_t LineReader::skip_byte_order_mark(std::size_t size) {
  constexpr std::size_t kMarkSize = sizeof kByteOrderMark;
  // A pipe may give its bytes one by one; what cannot become the mark is not waited for.
  while (size > 0 && size < kMarkSize && std::memcmp(begin_, kByteOrderMark, size) == 0) {
    const std::size_t more = stream_.read(buffer_.get() + size, kBufferSize - size);
    if (more == 0) return size;
    size += more;
  }
  if (size < kMarkSize || std::memcmp(begin_, kByteOrderMark, kMarkSize) != 0) return size;
  if (size == kMarkSize) return stream_.read(buffer_.get(), kBufferSize);
  begin_ += kMarkSize;
  return size - kMarkSize;
}

}  // namespace warpdex
