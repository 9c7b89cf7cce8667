// Posting lists by protobuf's coded streams: as objects, postings would take five times the memory.
#include "exchange/ciff_messages.hpp"

#include <ciff.pb.h>
#include <google/protobuf/io/coded_stream.h>

#include <algorithm>
#include <array>
#include <limits>

#include "warpdex/core/error.hpp"

namespace warpdex::exchange {
namespace {

using google::protobuf::io::CodedInputStream;
using google::protobuf::io::CodedOutputStream;

constexpr std::int64_t kMaxInt32 = std::numeric_limits<std::int32_t>::max();
constexpr std::uint64_t kMaxMessage = std::numeric_limits<std::int32_t>::max();
constexpr std::uint64_t kMaxVarint = 10;  // bytes

enum WireType : std::uint32_t { kVarint = 0, kFixed64 = 1, kSized = 2, kFixed32 = 5 };

constexpr std::uint32_t tag(int field, WireType type) {
  return static_cast<std::uint32_t>(field) << 3 | type;
}

constexpr std::uint32_t kTerm = tag(ciff::PostingsList::kTermFieldNumber, kSized);
constexpr std::uint32_t kDf = tag(ciff::PostingsList::kDfFieldNumber, kVarint);
constexpr std::uint32_t kCf = tag(ciff::PostingsList::kCfFieldNumber, kVarint);
constexpr std::uint32_t kPostings = tag(ciff::PostingsList::kPostingsFieldNumber, kSized);
constexpr std::uint32_t kDocid = tag(ciff::Posting::kDocidFieldNumber, kVarint);
constexpr std::uint32_t kTf = tag(ciff::Posting::kTfFieldNumber, kVarint);
static_assert(std::max({kTerm, kDf, kCf, kPostings, kDocid, kTf}) < 0x80, "tags are of one byte");

CodedInputStream stream_over(MessageBytes message) {
  return CodedInputStream(message.data(), static_cast<int>(message.size()));
}

bool skip_sized(CodedInputStream& in) {
  std::uint32_t size = 0;
  return in.ReadVarint32(&size) && size <= kMaxMessage && in.Skip(static_cast<int>(size));
}

/// Skips an unknown field.
bool skip_field(CodedInputStream& in, std::uint32_t of) {
  std::uint64_t ignored = 0;
  switch (of & 7) {
    case kVarint: return in.ReadVarint64(&ignored);
    case kFixed64: return in.Skip(8);
    case kSized: return skip_sized(in);
    case kFixed32: return in.Skip(4);
    default: return false;
  }
}

bool read_int64(CodedInputStream& in, std::int64_t& value) {
  std::uint64_t bits = 0;
  if (!in.ReadVarint64(&bits)) return false;
  value = static_cast<std::int64_t>(bits);
  return true;
}

bool read_text(CodedInputStream& in, MessageBytes message, std::string_view& text) {
  std::uint32_t size = 0;
  if (!in.ReadVarint32(&size)) return false;
  const auto start = static_cast<std::size_t>(in.CurrentPosition());
  if (size > message.size() - start) return false;
  text = {reinterpret_cast<const char*>(message.data()) + start, size};
  return in.Skip(static_cast<int>(size));
}

/// A Posting with its size before it, in a message of `bytes`; what is not there is 0.
bool read_posting(CodedInputStream& in, std::size_t bytes, std::int64_t& docid, std::int64_t& tf) {
  std::uint32_t size = 0;
  if (!in.ReadVarint32(&size)) return false;
  // A limit behind the end would be ignored.
  if (size > bytes - static_cast<std::size_t>(in.CurrentPosition())) return false;
  const CodedInputStream::Limit outer = in.PushLimit(static_cast<int>(size));
  docid = 0;
  tf = 0;
  while (const std::uint32_t field = in.ReadTag()) {
    const bool is_read = field == kDocid ? read_int64(in, docid)
                         : field == kTf  ? read_int64(in, tf)
                                         : skip_field(in, field);
    if (!is_read) return false;
  }
  const bool is_whole = in.ConsumedEntireMessage() && in.BytesUntilLimit() == 0;
  in.PopLimit(outer);
  return is_whole;
}

std::size_t varint_size(std::uint64_t value) { return CodedOutputStream::VarintSize64(value); }

std::size_t posting_size(std::uint32_t gap, std::uint32_t tf) {
  return (gap == 0 ? 0 : 1 + varint_size(gap)) + 1 + varint_size(tf);
}

std::uint8_t* write_field(std::uint8_t* out, std::uint32_t field, std::uint64_t value) {
  if (value == 0) return out;  // as proto3 does
  *out++ = static_cast<std::uint8_t>(field);
  return CodedOutputStream::WriteVarint64ToArray(value, out);
}

}  // namespace

MessageBytes MessageCursor::next(const std::string& what) {
  const std::uint64_t left = bytes_left();
  const auto fail_short = [&] {
    throw InputError(name_ + ": the file ends within " + what +
                     ": it was cut short, or is not CIFF; get it again");
  };
  CodedInputStream in = stream_over(bytes_.subspan(at_, std::min(left, kMaxVarint)));
  std::uint64_t size = 0;
  if (!in.ReadVarint64(&size)) {
    if (left < kMaxVarint) fail_short();
    throw InputError(name_ + ": the size of " + what + " takes more than " +
                     std::to_string(kMaxVarint) + " bytes; the file is damaged, or not CIFF");
  }
  const auto size_bytes = static_cast<std::uint64_t>(in.CurrentPosition());
  if (size > kMaxMessage) {
    throw InputError(name_ + ": " + what + " is said to take " + std::to_string(size) +
                     " bytes, and a message is below 2 GiB; the file is damaged, or not CIFF");
  }
  if (size > left - size_bytes) fail_short();
  const MessageBytes message = bytes_.subspan(at_ + size_bytes, size);
  at_ += size_bytes + size;
  return message;
}

bool read_ciff_list(MessageBytes message, CiffList& list) {
  list = {};
  CodedInputStream in = stream_over(message);
  while (const std::uint32_t field = in.ReadTag()) {
    bool is_read = false;
    if (field == kPostings) {
      is_read = skip_sized(in);
      ++list.postings;
    } else {
      is_read = field == kTerm ? read_text(in, message, list.term)
                : field == kDf ? read_int64(in, list.df)
                               : skip_field(in, field);
    }
    if (!is_read) return false;
  }
  return in.ConsumedEntireMessage();
}

bool read_ciff_postings(MessageBytes message, std::vector<std::uint32_t>& docids,
                        std::vector<std::uint32_t>& frequencies) {
  docids.clear();
  frequencies.clear();
  CodedInputStream in = stream_over(message);
  std::int64_t docid = 0;
  while (const std::uint32_t field = in.ReadTag()) {
    if (field != kPostings) {
      if (!skip_field(in, field)) return false;
      continue;
    }
    std::int64_t gap = 0;
    std::int64_t tf = 0;
    if (!read_posting(in, message.size(), gap, tf)) return false;
    if (gap < 0 || gap > kMaxInt32 || tf < 0 || tf > kMaxInt32) return false;
    docid += gap;
    if (docid > kMaxInt32) return false;
    docids.push_back(static_cast<std::uint32_t>(docid));
    frequencies.push_back(static_cast<std::uint32_t>(tf));
  }
  return in.ConsumedEntireMessage();
}

void append_message_size(std::uint64_t size, std::string& bytes) {
  std::array<std::uint8_t, kMaxVarint> code{};
  const std::uint8_t* const end = CodedOutputStream::WriteVarint64ToArray(size, code.data());
  bytes.append(reinterpret_cast<const char*>(code.data()),
               static_cast<std::size_t>(end - code.data()));
}

bool write_ciff_list(std::string_view term, std::span<const std::uint32_t> docids,
                     std::span<const std::uint32_t> frequencies, std::string& bytes) {
  std::uint64_t cf = 0;
  std::uint64_t size = 3 * (1 + kMaxVarint) + term.size();
  std::uint32_t before = 0;
  for (std::size_t i = 0; i < docids.size(); ++i) {
    cf += frequencies[i];
    size += 2 + posting_size(docids[i] - before, frequencies[i]);
    before = docids[i];
  }
  if (size > kMaxMessage) return false;
  bytes.resize(size);
  auto* const start = reinterpret_cast<std::uint8_t*>(bytes.data());
  std::uint8_t* out = start;
  out = write_field(out, kTerm, term.size());
  out = std::copy(term.begin(), term.end(), out);
  out = write_field(out, kDf, docids.size());
  out = write_field(out, kCf, cf);
  before = 0;
  for (std::size_t i = 0; i < docids.size(); ++i) {
    const std::uint32_t gap = docids[i] - before;
    before = docids[i];
    *out++ = static_cast<std::uint8_t>(kPostings);
    *out++ = static_cast<std::uint8_t>(posting_size(gap, frequencies[i]));
    out = write_field(out, kDocid, gap);
    out = write_field(out, kTf, frequencies[i]);
  }
  bytes.resize(static_cast<std::size_t>(out - start));
  return true;
}

}  // namespace warpdex::exchange
