// Writes journals. A file is only ever appended to, and gets its name when its header is on the
// disk.
#include "warpdex/core/storage/journal.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <random>
#include <utility>

#include "storage/fail.hpp"
#include "storage/flush.hpp"
#include "storage/journal_layout.hpp"

namespace warpdex {
namespace {

namespace fs = std::filesystem;

void write_from(int descriptor, std::uint64_t offset, std::span<const std::uint8_t> left,
                const fs::path& path) {
  while (!left.empty()) {
    const ssize_t written =
        ::pwrite(descriptor, left.data(), left.size(), static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("write", path, errno, is_lack_of_room(errno) ? "make room there" : "");
    offset += static_cast<std::uint64_t>(written);
    left = left.subspan(static_cast<std::size_t>(written));
  }
}

/// Waits until a file's bytes and size are on the disk.
void sync_file(int descriptor, const fs::path& path) {
  if (::fdatasync(descriptor) != 0) fail("flush", path, errno);
}

std::uint64_t draw_salt() {
  std::random_device random;
  return std::uint64_t{random()} << 32 | random();
}

/// A new file that bears the journal's name once `finish` has returned.
class NewFile {
 public:
  explicit NewFile(const fs::path& folder)
      : temporary_(folder / kNewJournalName),
        path_(folder / kJournalName),
        descriptor_(::open(temporary_.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) {
    if (descriptor_ < 0) fail("create", temporary_, errno);
  }
  ~NewFile() {
    if (descriptor_ < 0) return;
    ::close(descriptor_);
    ::unlink(temporary_.c_str());
  }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  void write(std::span<const std::uint8_t> bytes) { write_from(descriptor_, 0, bytes, temporary_); }
  int finish() {
    sync_file(descriptor_, temporary_);
    if (::rename(temporary_.c_str(), path_.c_str()) != 0) fail("rename", temporary_, errno);
    return std::exchange(descriptor_, -1);
  }

 private:
  const fs::path temporary_;
  const fs::path path_;
  int descriptor_;
};

}  // namespace

Journal::Journal(fs::path folder, const JournalBase& base)
    : folder_(std::move(folder)), base_(base) {
  const std::optional<Folder> opened = Folder::find(folder_);
  const JournalContent content =
      opened ? read_journal(*opened, base_, [](const JournalRecord&) {}) : JournalContent{};
  if (content.size > 0) open(content);
}

Journal::Descriptor::~Descriptor() {
  if (number >= 0) ::close(number);
}
Journal::Descriptor::Descriptor(Descriptor&& other) noexcept
    : number(std::exchange(other.number, -1)) {}
Journal::Descriptor& Journal::Descriptor::operator=(Descriptor&& other) noexcept {
  std::swap(number, other.number);
  return *this;
}

/// What a dead process left may not be on the disk yet.
void Journal::open(const JournalContent& content) {
  const fs::path path = folder_ / kJournalName;
  file_ = Descriptor(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (file_.number < 0) fail("open", path, errno);
  journal::Header header;
  if (::pread(file_.number, &header, sizeof header, 0) != sizeof header) fail("read", path, EIO);
  salt_ = header.salt;
  if (content.end < content.size) {
    shorten(content.end);
  } else {
    sync_file(file_.number, path);
  }
  synced_ = content.end;
}

/// Writes a file anew without its end. It is never cut, as it may be mapped.
void Journal::shorten(std::uint64_t end) {
  const std::optional<Folder> opened = Folder::find(folder_);
  const std::optional<MappedFile> file = opened ? opened->map(kJournalName) : std::nullopt;
  if (!file || file->size() < end) fail("read", folder_ / kJournalName, ENOENT);
  NewFile whole(folder_);
  whole.write(file->bytes().first(end));
  file_ = Descriptor(whole.finish());
}

void Journal::create() {
  journal::Header header;
  header.base = base_;
  header.salt = salt_;
  header.checksum = journal::checksum_of(header);
  NewFile file(folder_);
  file.write(journal::bytes_of(header));
  file_ = Descriptor(file.finish());
  synced_ = sizeof header;
}

void Journal::append(std::uint64_t kind, std::span<const std::uint8_t> bytes) {
  if (salt_ == 0) salt_ = draw_salt();
  const std::uint64_t start = file_.number < 0 ? sizeof(journal::Header) : synced_;
  journal::RecordHeader record{kind, bytes.size(), synced_, checksum(bytes), 0};
  record.seal = journal::seal_of(record, salt_, start + buffer_.size());
  const auto header = journal::bytes_of(record);
  const std::size_t before = buffer_.size();
  const std::size_t needed = before + header.size() + journal::padded(bytes.size());
  if (needed > buffer_.capacity()) buffer_.reserve(std::max(needed, 2 * buffer_.capacity()));
  buffer_.insert(buffer_.end(), header.begin(), header.end());
  buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
  buffer_.resize(needed);
}

void Journal::sync() {
  const fs::path path = folder_ / kJournalName;
  if (buffer_.empty() && (file_.number < 0 || is_listed_)) return;
  if (file_.number < 0) create();
  write_from(file_.number, synced_, buffer_, path);
  check_place();
  sync_file(file_.number, path);
  if (!is_listed_) {
    flush_path(folder_);
    flush_path(folder_.parent_path());
    is_listed_ = true;
  }
  synced_ += buffer_.size();
  buffer_.clear();
}

/// Throws IoError if another file is there, or none: what is written to this one is lost.
void Journal::check_place() const {
  const fs::path path = folder_ / kJournalName;
  struct stat own {};
  struct stat there {};
  if (::fstat(file_.number, &own) == 0 && ::stat(path.c_str(), &there) == 0 &&
      own.st_dev == there.st_dev && own.st_ino == there.st_ino) {
    return;
  }
  throw IoError("the journal '" + path.string() +
                "' was removed or replaced while it was written; close the index and open it "
                "again");
}

void Journal::for_each(const JournalVisitor& visit) const {
  if (file_.number >= 0) {
    const MappedFile file(file_.number, folder_ / kJournalName);
    if (file.size() < synced_) fail("read", folder_ / kJournalName, EIO);
    const std::uint64_t end =
        journal::visit_records(file.bytes().first(synced_).subspan(sizeof(journal::Header)), salt_,
                               sizeof(journal::Header), visit);
    if (end != synced_) {
      throw FormatError("the journal '" + (folder_ / kJournalName).string() +
                        "' was damaged while it was open");
    }
  }
  journal::visit_records(buffer_, salt_, file_.number < 0 ? sizeof(journal::Header) : synced_,
                         visit);
}

void remove_journal(const fs::path& folder, const JournalBase& base) {
  const fs::path path = folder / kJournalName;
  const std::optional<Folder> opened = Folder::find(folder);
  const std::optional<MappedFile> file = opened ? opened->map(kJournalName) : std::nullopt;
  if (!file) return;
  if (file->size() >= sizeof(journal::Header) &&
      journal::value_at<journal::Header>(file->bytes()).base != base) {
    return;
  }
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) fail("remove", path, errno);
  flush_path(folder);
}

}  // namespace warpdex
