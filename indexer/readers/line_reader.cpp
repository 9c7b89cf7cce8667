// LineReader: lines cut out of large buffers with memchr.
#include <algorithm>
#include <cstring>
#include <limits>
#include <string_view>
#include <utility>

#include "warpdex/core/text_lines.hpp"
#include "warpdex/indexer/readers/input_stream.hpp"

namespace warpdex {
namespace {

constexpr std::size_t kLineBufferSize = std::size_t{256} << 10;

}  // namespace

LineReader::LineReader(const std::filesystem::path& path, std::function<void()> on_read,
                       std::size_t max_bytes, const UnpackLimit& unpack_limit)
    : stream_(path, std::move(on_read), unpack_limit),
      buffer_(new char[kLineBufferSize]),
      max_bytes_(std::min(max_bytes, std::numeric_limits<std::size_t>::max() / 2)) {}

bool LineReader::next(std::string& line) {
  if (!next_unchecked(line)) return false;
  const std::string fault = line_fault(line);
  if (fault.empty()) return true;
  throw InputError(name() + ":" + std::to_string(line_number_) + " " + fault);
}

bool LineReader::next_unchecked(std::string& line) {
  line.clear();
  if (in_long_line_) pass_over_long_line();
  bool is_ended = false;
  while (!is_ended && (begin_ != end_ || fill())) {
    const std::size_t size = static_cast<std::size_t>(end_ - begin_);
    const auto* newline = static_cast<const char*>(std::memchr(begin_, '\n', size));
    is_ended = newline != nullptr;
    const char* const end = is_ended ? newline : end_;
    // One more, which may be the "\r" of the line's end.
    in_long_line_ = line.size() + static_cast<std::size_t>(end - begin_) > max_bytes_ + 1;
    if (in_long_line_) fail_long(line);
    line.append(begin_, end);
    begin_ = is_ended ? newline + 1 : end_;
  }
  if (is_ended && line.ends_with('\r')) line.pop_back();
  if (line.size() > max_bytes_) fail_long(line);
  line.erase(0, line.size() - without_byte_order_marks(line).size());
  if (!is_ended && line.empty()) return false;  // a mark alone is no last line
  ++line_number_;
  return true;
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
  std::size_t size = stream_.read(buffer_.get(), kLineBufferSize);
  if (!started_) {
    started_ = true;
    size = check_start(size);
  }
  begin_ = buffer_.get();
  end_ = begin_ + size;
  return size > 0;
}

std::size_t LineReader::check_start(std::size_t size) {
  const auto start = [&] { return std::string_view(buffer_.get(), size); };
  const auto is_strange = [](char c) { return c == '\0' || c == '\xFF' || c == '\xFE'; };
  // A pipe may give its bytes one by one; only what cannot be UTF-8 is waited for.
  while (size < kEncodingBytes && std::ranges::any_of(start(), is_strange)) {
    const std::size_t more = stream_.read(buffer_.get() + size, kLineBufferSize - size);
    if (more == 0) break;
    size += more;
  }
  check_encoding(start().substr(0, kEncodingBytes), name());
  return size;
}

}  // namespace warpdex
