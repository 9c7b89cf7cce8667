#include "http/gzip.hpp"

#include <algorithm>
#include <new>

#include "http/error.hpp"
#include "http/request.hpp"

namespace warpdex::server {
namespace {

/// zlib's number for a gzip header and trailer, with the largest window.
constexpr int kGzipWindow = 15 + 16;
constexpr std::size_t kFirstRoom = 64 << 10;
constexpr int kFastest = 1;
constexpr int kMemoryLevel = 8;                         // zlib's usual one
constexpr std::size_t kMaxPart = std::size_t{1} << 30;  // zlib counts in 32 bits

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ') || text.starts_with('\t')) text.remove_prefix(1);
  while (text.ends_with(' ') || text.ends_with('\t')) text.remove_suffix(1);
  return text;
}

/// The part of a list up to `separator`, which is taken out of it.
std::string_view next_part(std::string_view& list, char separator) {
  const std::size_t end = std::min(list.find(separator), list.size());
  const std::string_view part = trimmed(list.substr(0, end));
  list.remove_prefix(std::min(end + 1, list.size()));
  return part;
}

/// Of the parameters behind a coding: whether they have q=0, which means "not this one".
bool are_refusal(std::string_view parameters) {
  while (!parameters.empty()) {
    std::string_view value = next_part(parameters, ';');
    const std::string_view name = next_part(value, '=');
    if (!same_without_case(name, "q")) continue;
    value = trimmed(value);
    return value.starts_with('0') && value.find_first_of("123456789") == std::string_view::npos;
  }
  return false;
}

class Inflater {
 public:
  explicit Inflater(std::string_view packed) {
    // zlib reads, but does not change, what next_in points at.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
    stream_.avail_in = static_cast<uInt>(packed.size());
    if (::inflateInit2(&stream_, kGzipWindow) != Z_OK) throw std::bad_alloc();
  }
  ~Inflater() { ::inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  /// Bytes written, and whether the stream has ended. Throws HttpError (400).
  std::size_t next(char* out, std::size_t room, bool& has_ended) {
    stream_.next_out = reinterpret_cast<Bytef*>(out);
    stream_.avail_out = static_cast<uInt>(room);
    const int result = ::inflate(&stream_, Z_NO_FLUSH);
    has_ended = result == Z_STREAM_END;
    const bool is_stuck = result == Z_BUF_ERROR || (stream_.avail_in == 0 && stream_.avail_out > 0);
    if ((result != Z_OK && !has_ended) || (is_stuck && !has_ended) ||
        (has_ended && stream_.avail_in > 0)) {
      throw bad_request("the body is no whole gzip stream");
    }
    return room - stream_.avail_out;
  }

 private:
  z_stream stream_{};
};

}  // namespace

std::string gunzipped(std::string_view packed, std::size_t most) {
  Inflater inflater(packed);
  std::string bytes;
  for (bool has_ended = false; !has_ended;) {
    const std::size_t before = bytes.size();
    bytes.resize(std::min(most + 1, std::max(kFirstRoom, 2 * before)));
    bytes.resize(before + inflater.next(bytes.data() + before, bytes.size() - before, has_ended));
    if (bytes.size() > most) {
      throw too_large("the unpacked body is too large; at most " + std::to_string(most) +
                      " bytes are taken");
    }
  }
  return bytes;
}

bool takes_gzip(std::string_view accepted) {
  bool takes_any = false;
  while (!accepted.empty()) {
    std::string_view parameters = next_part(accepted, ',');
    const std::string_view coding = next_part(parameters, ';');
    if (same_without_case(coding, "gzip")) return !are_refusal(parameters);
    if (coding == "*") takes_any = !are_refusal(parameters);
  }
  return takes_any;
}

GzipPacker::GzipPacker() {
  if (::deflateInit2(&stream_, kFastest, Z_DEFLATED, kGzipWindow, kMemoryLevel,
                     Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::bad_alloc();
  }
}

GzipPacker::~GzipPacker() { ::deflateEnd(&stream_); }

std::string GzipPacker::pack(std::string_view piece, int flush) {
  std::string packed;
  do {
    const std::string_view part = piece.substr(0, kMaxPart);
    piece.remove_prefix(part.size());
    // zlib reads, but does not change, what next_in points at.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(part.data()));
    stream_.avail_in = static_cast<uInt>(part.size());
    do {
      const std::size_t before = packed.size();
      packed.resize(before + std::min(kFirstRoom, part.size() / 2 + 64));
      stream_.next_out = reinterpret_cast<Bytef*>(packed.data() + before);
      stream_.avail_out = static_cast<uInt>(packed.size() - before);
      ::deflate(&stream_, piece.empty() ? flush : Z_NO_FLUSH);
      packed.resize(packed.size() - stream_.avail_out);
    } while (stream_.avail_out == 0);
  } while (!piece.empty());
  return packed;
}

}  // namespace warpdex::server
