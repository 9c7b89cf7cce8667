// Bodies that come packed, and answers that go out packed.
#pragma once

#include <zlib.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace warpdex::server {

/// The bytes that a gzip stream stands for, at most `most`. Throws HttpError: 400 for what is no
/// gzip or cut short, 413 for more.
std::string gunzipped(std::string_view packed, std::size_t most);

/// Whether a client takes gzip, by the value of its Accept-Encoding.
bool takes_gzip(std::string_view accepted);

/// Makes a gzip stream of pieces, fast rather than small.
class GzipPacker {
 public:
  /// Throws std::bad_alloc. Takes some 260 KB.
  GzipPacker();
  ~GzipPacker();
  GzipPacker(const GzipPacker&) = delete;
  GzipPacker& operator=(const GzipPacker&) = delete;

  /// What a piece adds to the stream: whoever unpacks what was returned so far has all pieces.
  std::string pack(std::string_view piece) { return pack(piece, Z_SYNC_FLUSH); }
  /// The last piece, and the end of the stream.
  std::string finish(std::string_view piece) { return pack(piece, Z_FINISH); }

 private:
  std::string pack(std::string_view piece, int flush);

  z_stream stream_{};
};

}  // namespace warpdex::server
