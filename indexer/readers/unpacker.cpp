// Decoders by zlib, zstd and liblzma, chosen by magic numbers or suffixes.
#include "warpdex/indexer/readers/unpacker.hpp"

#include <lzma.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <bit>
#include <new>
#include <string_view>
#include <vector>

#include "warpdex/core/error.hpp"

namespace warpdex {
namespace {

constexpr std::size_t kLargestStep = std::size_t{1} << 30;  // zlib counts in 32 bits
constexpr std::uint64_t kGzipMemory = std::uint64_t{48} << 10;

// Members of gzip, one after another; zero bytes may pad the last (tapes do).
class GzipUnpacker final : public Unpacker {
 public:
  GzipUnpacker() {
    constexpr int kGzipOnly = 15 + 16;
    if (inflateInit2(&stream_, kGzipOnly) != Z_OK) throw std::bad_alloc();
  }
  ~GzipUnpacker() override { inflateEnd(&stream_); }
  GzipUnpacker(const GzipUnpacker&) = delete;
  GzipUnpacker& operator=(const GzipUnpacker&) = delete;

  std::size_t unpack(std::span<const std::uint8_t>& packed, bool, char* out,
                     std::size_t capacity) override {
    if (complete_ && !start_next_member(packed)) return 0;
    const std::size_t given = std::min(packed.size(), kLargestStep);
    const std::size_t room = std::min(capacity, kLargestStep);
    stream_.next_in = const_cast<Bytef*>(packed.data());
    stream_.avail_in = static_cast<uInt>(given);
    stream_.next_out = reinterpret_cast<Bytef*>(out);
    stream_.avail_out = static_cast<uInt>(room);
    const int status = inflate(&stream_, Z_NO_FLUSH);
    packed = packed.subspan(given - stream_.avail_in);
    if (status == Z_STREAM_END) {
      complete_ = true;
    } else if (status == Z_MEM_ERROR) {
      throw std::bad_alloc();
    } else if (status != Z_OK && status != Z_BUF_ERROR) {
      throw InputError(stream_.msg != nullptr ? stream_.msg : "invalid data");
    }
    return room - stream_.avail_out;
  }

  bool complete() const override { return complete_; }
  std::uint64_t memory() const override { return kGzipMemory; }

 private:
  bool start_next_member(std::span<const std::uint8_t>& packed) {
    while (!packed.empty() && packed.front() == 0) {
      padded_ = true;
      packed = packed.subspan(1);
    }
    if (packed.empty()) return false;
    if (padded_) throw InputError("bytes follow the end of the packed data");
    inflateReset(&stream_);
    complete_ = false;
    return true;
  }

  z_stream stream_{};
  bool complete_ = false;
  bool padded_ = false;
};

class ZstdUnpacker final : public Unpacker {
 public:
  explicit ZstdUnpacker(std::uint64_t max_memory)
      : max_log_(std::clamp(static_cast<int>(std::bit_width(max_memory)) - 1, kMinLog, kMaxLog)),
        context_(make(max_log_)) {}

  std::size_t unpack(std::span<const std::uint8_t>& packed, bool, char* out,
                     std::size_t capacity) override {
    if (complete_ && packed.empty()) return 0;
    ZSTD_inBuffer input{packed.data(), packed.size(), 0};
    ZSTD_outBuffer output{out, capacity, 0};
    const std::size_t status = ZSTD_decompressStream(context_.get(), &output, &input);
    if (is_window_too_large(status)) throw UnpackMemory(window_of(packed));
    if (ZSTD_isError(status)) throw InputError(ZSTD_getErrorName(status));
    packed = packed.subspan(input.pos);
    complete_ = status == 0;
    return output.pos;
  }

  bool complete() const override { return complete_; }
  std::uint64_t memory() const override { return ZSTD_sizeof_DCtx(context_.get()); }

 private:
  static constexpr int kMinLog = 10;
  static constexpr int kMaxLog = sizeof(void*) == 8 ? 31 : 30;

  struct Free {
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
  };
  using Context = std::unique_ptr<ZSTD_DCtx, Free>;

  /// A decoder of windows of up to 2^max_log bytes.
  static Context make(int max_log) {
    Context context(ZSTD_createDCtx());
    if (context == nullptr) throw std::bad_alloc();
    ZSTD_DCtx_setParameter(context.get(), ZSTD_d_windowLogMax, max_log);
    return context;
  }

  static bool is_window_too_large(std::size_t status) {
    return ZSTD_getErrorCode(status) == ZSTD_error_frameParameter_windowTooLarge;
  }

  /// The window of the frame that begins at `packed`, as a power of two. The largest, where its
  /// header does not begin there.
  std::uint64_t window_of(std::span<const std::uint8_t> packed) const {
    constexpr std::size_t kMaxHeader = 18;
    for (int log = max_log_ + 1; log < kMaxLog; ++log) {
      char out = 0;
      ZSTD_inBuffer input{packed.data(), std::min(packed.size(), kMaxHeader), 0};
      ZSTD_outBuffer output{&out, 1, 0};
      const std::size_t status = ZSTD_decompressStream(make(log).get(), &output, &input);
      if (!ZSTD_isError(status)) return std::uint64_t{1} << log;
      if (!is_window_too_large(status)) break;
    }
    return std::uint64_t{1} << kMaxLog;
  }

  int max_log_;
  Context context_;
  bool complete_ = false;
};

class XzUnpacker final : public Unpacker {
 public:
  explicit XzUnpacker(std::uint64_t max_memory) {
    const std::uint64_t limit = std::max<std::uint64_t>(max_memory, 1);
    if (lzma_stream_decoder(&stream_, limit, LZMA_CONCATENATED) != LZMA_OK) {
      throw std::bad_alloc();
    }
  }
  ~XzUnpacker() override { lzma_end(&stream_); }
  XzUnpacker(const XzUnpacker&) = delete;
  XzUnpacker& operator=(const XzUnpacker&) = delete;

  std::size_t unpack(std::span<const std::uint8_t>& packed, bool last, char* out,
                     std::size_t capacity) override {
    stream_.next_in = packed.data();
    stream_.avail_in = packed.size();
    stream_.next_out = reinterpret_cast<std::uint8_t*>(out);
    stream_.avail_out = capacity;
    const lzma_ret status = lzma_code(&stream_, last ? LZMA_FINISH : LZMA_RUN);
    packed = packed.subspan(packed.size() - stream_.avail_in);
    if (status == LZMA_STREAM_END) {
      complete_ = true;
    } else if (status == LZMA_MEM_ERROR) {
      throw std::bad_alloc();
    } else if (status == LZMA_MEMLIMIT_ERROR) {
      throw UnpackMemory(lzma_memusage(&stream_));
    } else if (status != LZMA_OK && status != LZMA_BUF_ERROR) {
      throw InputError(reason(status));
    }
    return capacity - stream_.avail_out;
  }

  bool complete() const override { return complete_; }
  std::uint64_t memory() const override { return lzma_memusage(&stream_); }

 private:
  static const char* reason(lzma_ret status) {
    switch (status) {
      case LZMA_FORMAT_ERROR: return "not in the xz format";
      case LZMA_OPTIONS_ERROR: return "packed with options that this liblzma does not know";
      default: return "corrupt data or bytes after the end";
    }
  }

  lzma_stream stream_ = LZMA_STREAM_INIT;
  bool complete_ = false;
};

struct Magic {
  Packing packing;
  std::uint8_t first_mask;  ///< of the first byte's bits, those that count
  std::vector<std::uint8_t> bytes;
};

const std::vector<Magic>& magics() {
  static const std::vector<Magic> all{
      {Packing::kGzip, 0xFF, {0x1F, 0x8B}},
      {Packing::kZstd, 0xFF, {0x28, 0xB5, 0x2F, 0xFD}},
      {Packing::kXz, 0xFF, {0xFD, '7', 'z', 'X', 'Z', 0x00}},
      // A skippable frame, with which pzstd begins: 0x184D2A50 to 0x184D2A5F.
      {Packing::kZstd, 0xF0, {0x50, 0x2A, 0x4D, 0x18}}};
  return all;
}

/// Whether the bytes agree as far as both go.
bool agree(std::span<const std::uint8_t> head, const Magic& magic) {
  const std::size_t size = std::min(head.size(), magic.bytes.size());
  return size == 0 || ((head[0] & magic.first_mask) == magic.bytes[0] &&
                       std::equal(head.begin() + 1, head.begin() + size, magic.bytes.begin() + 1));
}

}  // namespace

Packing packing_from_magic(std::span<const std::uint8_t> head) {
  for (const Magic& magic : magics()) {
    if (head.size() >= magic.bytes.size() && agree(head, magic)) return magic.packing;
  }
  return Packing::kPlain;
}

bool may_become_packed(std::span<const std::uint8_t> head) {
  return std::any_of(magics().begin(), magics().end(), [&](const Magic& magic) {
    return head.size() < magic.bytes.size() && agree(head, magic);
  });
}

Packing packing_from_suffix(const std::string& name) {
  const std::string_view view(name);
  if (view.ends_with(".gz")) return Packing::kGzip;
  if (view.ends_with(".zst")) return Packing::kZstd;
  if (view.ends_with(".xz")) return Packing::kXz;
  return Packing::kPlain;
}

const char* packing_name(Packing packing) {
  switch (packing) {
    case Packing::kGzip: return "gzip";
    case Packing::kZstd: return "zstd";
    case Packing::kXz: return "xz";
    case Packing::kPlain: break;
  }
  return "plain";
}

std::unique_ptr<Unpacker> make_unpacker(Packing packing, std::uint64_t max_memory) {
  switch (packing) {
    case Packing::kGzip: return std::make_unique<GzipUnpacker>();
    case Packing::kZstd: return std::make_unique<ZstdUnpacker>(max_memory);
    case Packing::kXz: return std::make_unique<XzUnpacker>(max_memory);
    case Packing::kPlain: break;
  }
  throw UsageError("a plain file needs no unpacker");
}

}  // namespace warpdex
