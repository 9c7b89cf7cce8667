// Frames sections with header, slack and footer, and checks the frame when one is mapped.
#include "warpdex/core/storage/section_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include "storage/fail.hpp"
#include "warpdex/core/storage/folder.hpp"
#include "warpdex/core/storage/manifest_json.hpp"
#include "warpdex/core/storage/segment_files.hpp"

namespace warpdex {
namespace {

static_assert(std::endian::native == std::endian::little, "index files are little-endian");

constexpr std::array<char, 8> kMagic{'W', 'A', 'R', 'P', 'D', 'E', 'X', '1'};
constexpr std::size_t kBufferBytes = 1 << 18;

struct Header {
  std::array<char, 8> magic = kMagic;
  std::array<char, 48> name{};
  std::uint64_t reserved = 0;
};
static_assert(sizeof(Header) == 64);

struct Footer {
  std::uint64_t bytes = 0;
  std::uint64_t checksum = 0;
  std::uint64_t reserved = 0;
  std::array<char, 8> magic = kMagic;
};
static_assert(sizeof(Footer) == 32);

Header header_of(std::string_view name) {
  Header header;
  std::copy_n(name.begin(), std::min(name.size(), header.name.size()), header.name.begin());
  return header;
}

/// The last letter of the magic bytes is the version of the frame. Where the manifest's version is
/// known, another one here is more likely damage: no VersionError.
void check_magic(std::span<const std::uint8_t> file, const std::string& name) {
  constexpr std::size_t kLetters = kMagic.size() - 1;
  const auto found = static_cast<char>(file[kLetters]);
  if (std::memcmp(file.data(), kMagic.data(), kLetters) != 0 || found < '0' || found > '9') return;
  try {
    check_version("the index file '" + name + "' is", static_cast<std::uint64_t>(found - '0'),
                  kMagic.back() - '0', kMagic.back() - '0',
                  "restore it if it is damaged, or build the index again");
  } catch (const VersionError& error) {
    throw FormatError(error.what());
  }
}

}  // namespace

SectionWriter::SectionWriter(const SectionFolder& folder, std::string_view name)
    : path_(folder.path / (folder.prefix + std::string(name))) {
  buffer_.reserve(kBufferBytes);
  open();
}

SectionWriter::SectionWriter(SegmentFiles& segment, std::string_view name)
    : segment_(&segment), path_(name) {
  segment.add(*this);
}

void SectionWriter::open() {
  descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor_ < 0) fail("create", path_, errno);
  const Header header = header_of(path_.filename().string());
  try {
    write_all({reinterpret_cast<const std::uint8_t*>(&header), sizeof header});
  } catch (...) {
    ::close(std::exchange(descriptor_, -1));
    throw;
  }
}

SectionWriter::~SectionWriter() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void SectionWriter::append(std::span<const std::uint8_t> bytes) {
  size_ += bytes.size();
  if (segment_ != nullptr && segment_->keep_in_memory(bytes.size())) {
    buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
    return;
  }
  if (buffer_.size() + bytes.size() > kBufferBytes) flush();
  if (bytes.size() >= kBufferBytes) {
    checksum_.add(bytes);
    write_all(bytes);
  } else {
    buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
  }
}

void SectionWriter::flush() {
  checksum_.add(buffer_);
  write_all(buffer_);
  buffer_.clear();
}

void SectionWriter::write_all(std::span<const std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("write", path_, errno);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

SectionInfo SectionWriter::finish() {
  flush();
  Footer footer;
  footer.bytes = size_;
  footer.checksum = checksum_.value();
  const std::array<std::uint8_t, kSectionSlack> slack{};
  write_all(slack);
  write_all({reinterpret_cast<const std::uint8_t*>(&footer), sizeof footer});
  if (::fsync(descriptor_) != 0 || ::close(std::exchange(descriptor_, -1)) != 0) {
    fail("write", path_, errno);
  }
  return {path_.filename().string(), footer.bytes, footer.checksum};
}

SectionView::SectionView(const Folder& folder, const SectionInfo& info)
    : name_(folder.path() / info.name), checksum_(info.checksum) {
  const auto damaged = [&](const std::string& what) {
    return FormatError("the index file '" + name_ + "' " + what +
                       "; restore it or build the index again");
  };
  std::optional<MappedFile> found = folder.map(info.name);
  if (!found) throw damaged("is missing");
  const auto file = std::make_shared<const MappedFile>(std::move(*found));
  constexpr std::uint64_t kFrame = sizeof(Header) + kSectionSlack + sizeof(Footer);
  if (file->size() < kFrame || file->size() - kFrame != info.bytes) {
    throw damaged("is cut short or of another size than the manifest says");
  }
  const Header header = header_of(info.name);
  Footer footer;
  std::memcpy(&footer, file->bytes().data() + file->size() - sizeof footer, sizeof footer);
  if (std::memcmp(file->bytes().data(), &header, sizeof header) != 0) {
    check_magic(file->bytes(), name_);
    throw damaged("has a damaged header");
  }
  if (footer.bytes != info.bytes || footer.checksum != info.checksum || footer.reserved != 0 ||
      footer.magic != kMagic) {
    throw damaged("has a damaged footer");
  }
  bytes_ = file->bytes().subspan(sizeof header, info.bytes);
  slack_ = file->bytes().subspan(sizeof header + info.bytes, kSectionSlack);
  file_ = file;
}

SectionView::SectionView(std::shared_ptr<const MappedFile> file,
                         std::span<const std::uint8_t> padded, std::uint64_t size,
                         std::uint64_t checksum, std::string name)
    : name_(std::move(name)),
      file_(std::move(file)),
      bytes_(padded.first(size)),
      slack_(padded.subspan(size)),
      checksum_(checksum) {}

bool SectionView::intact() const {
  return checksum(bytes_) == checksum_ &&
         std::all_of(slack_.begin(), slack_.end(), [](std::uint8_t byte) { return byte == 0; });
}

void SectionView::wrong_size() const {
  throw FormatError("the index file '" + name_ +
                    "' is of another size than the manifest's counts; build the index again");
}

}  // namespace warpdex
