#include "shards/message_bytes.hpp"

#include <cmath>
#include <span>

#include "warpdex/core/checksum.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::shards {
namespace {

constexpr std::size_t kChecked = 16;  // bytes of the header before its checksum

template <class Number>
Number number_at(std::string_view bytes, std::size_t offset) {
  Number value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

std::uint64_t checksum_of(std::string_view message) {
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(message.data());
  RunningChecksum sum;
  sum.add({bytes, kChecked});
  sum.add({bytes + kHeaderBytes, message.size() - kHeaderBytes});
  return sum.value();
}

}  // namespace

void fail_message(std::string_view what) {
  throw FormatError("a message between parts is damaged (" + std::string(what) +
                    "); send it again");
}

MessageKind kind_of(std::string_view message) {
  if (message.size() < kHeaderBytes || number_at<std::uint32_t>(message, 0) != kMagic) {
    fail_message("it has no header");
  }
  const auto version = number_at<std::uint16_t>(message, 4);
  if (version != kMessageVersion) {
    throw FormatError("a message between parts is of version " + std::to_string(version) +
                      ", and this Warpdex reads version " + std::to_string(kMessageVersion) +
                      "; run the same Warpdex everywhere");
  }
  const auto kind = number_at<std::uint16_t>(message, 6);
  if (kind == 0 || kind > static_cast<std::uint16_t>(MessageKind::kFailure)) {
    fail_message("it is of no known kind");
  }
  return static_cast<MessageKind>(kind);
}

MessageWriter::MessageWriter(MessageKind kind) {
  number(kMagic);
  number(kMessageVersion);
  number(static_cast<std::uint16_t>(kind));
  bytes_.resize(kHeaderBytes);
}

std::string MessageWriter::finish() {
  if (bytes_.size() > kMaxMessageBytes) {
    throw UsageError("a message between parts would have " + std::to_string(bytes_.size()) +
                     " bytes, more than " + std::to_string(kMaxMessageBytes) +
                     "; ask for fewer queries or documents at once");
  }
  const std::uint64_t size = bytes_.size() - kHeaderBytes;
  std::memcpy(bytes_.data() + 8, &size, sizeof size);
  const std::uint64_t sum = checksum_of(bytes_);
  std::memcpy(bytes_.data() + kChecked, &sum, sizeof sum);
  return std::move(bytes_);
}

MessageReader::MessageReader(std::string_view bytes, MessageKind kind) {
  if (kind_of(bytes) != kind) fail_message("it is of another kind");
  if (bytes.size() > kMaxMessageBytes) fail_message("it is too large");
  if (number_at<std::uint64_t>(bytes, 8) != bytes.size() - kHeaderBytes) {
    fail_message("its size is another one");
  }
  if (number_at<std::uint64_t>(bytes, kChecked) != checksum_of(bytes)) {
    fail_message("its checksum is another one");
  }
  rest_ = bytes.substr(kHeaderBytes);
}

float MessageReader::score() {
  const auto value = number<float>();
  if (!std::isfinite(value) || std::signbit(value)) fail_message("a score is no score");
  return value;
}

bool MessageReader::flag() {
  const auto value = number<std::uint8_t>();
  if (value > 1) fail_message("a flag is neither 0 nor 1");
  return value == 1;
}

std::size_t MessageReader::count(std::size_t bytes_each, std::size_t max) {
  const auto value = number<std::uint32_t>();
  if (value > max || value > rest_.size() / bytes_each) {
    fail_message("a count is larger than what follows");
  }
  return value;
}

void MessageReader::finish() const {
  if (!rest_.empty()) fail_message("something follows its end");
}

}  // namespace warpdex::shards
