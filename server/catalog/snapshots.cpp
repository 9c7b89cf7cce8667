#include "catalog/snapshots.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <system_error>

#include "http/error.hpp"

namespace warpdex::server {
namespace {

namespace fs = std::filesystem;

/// Commits that may come while one copy is made.
constexpr int kTries = 20;
constexpr const char* kManifest = "manifest.json";

struct FileNumber {
  ::dev_t device = 0;
  ::ino_t number = 0;
  bool operator==(const FileNumber&) const = default;
};

FileNumber number_of(const fs::path& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) return {};
  return {status.st_dev, status.st_ino};
}

/// Whether a file belongs to a commit: its manifest, and segments, which are folders or files. A
/// journal has changes that no commit has.
bool is_of_commit(const fs::path& relative) {
  return relative == kManifest || relative.string().starts_with("segment-");
}

void link_or_copy(const fs::path& from, const fs::path& to) {
  std::error_code failure;
  fs::create_hard_link(from, to, failure);
  if (failure == std::errc::cross_device_link || failure == std::errc::operation_not_permitted) {
    fs::copy_file(from, to);
  } else if (failure) {
    throw fs::filesystem_error("link", from, to, failure);
  }
}

void copy_files(const fs::path& from, const fs::path& to) {
  fs::create_directories(to);
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(from)) {
    const fs::path relative = entry.path().lexically_relative(from);
    if (entry.is_directory()) {
      fs::create_directories(to / relative);
    } else if (is_of_commit(relative)) {
      link_or_copy(entry.path(), to / relative);
    }
  }
}

void flush_folder(const fs::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

/// The commit of what lies at `folder`, which is an index.
std::uint64_t commit_of(const fs::path& folder) {
  if (content_of(folder) == IndexContent::kVectors) return VectorIndex(folder).commit();
  return IndexReader(folder).commit();
}

/// One try; false if a commit came meanwhile.
bool copy_once(const fs::path& from, const fs::path& to) {
  const FileNumber before = number_of(from / kManifest);
  try {
    copy_files(from, to);
  } catch (const fs::filesystem_error& error) {
    if (error.code() == std::errc::no_such_file_or_directory) return false;
    throw IoError("the snapshot cannot be made: " + error.code().message());
  }
  return number_of(from / kManifest) == before && before != FileNumber{};
}

}  // namespace

Snapshotted copy_by_links(const ServedIndex& index, const fs::path& place) {
  std::error_code failure;
  fs::create_directories(place, failure);
  const fs::path unfinished =
      place / ("." + index.name() + ".new-" + std::to_string(::getpid()) + "-" +
               std::to_string(reinterpret_cast<std::uintptr_t>(&failure)));
  bool is_copied = false;
  for (int i = 0; i < kTries && !is_copied; ++i) {
    fs::remove_all(unfinished, failure);
    is_copied = copy_once(index.folder(), unfinished);
  }
  if (!is_copied) {
    fs::remove_all(unfinished, failure);
    throw unavailable("the index changes too often to be copied; try again");
  }
  Snapshotted made;
  made.commit = commit_of(unfinished);
  made.name = index.name() + "-" + std::to_string(made.commit);
  flush_folder(unfinished);
  if (::renameat2(AT_FDCWD, unfinished.c_str(), AT_FDCWD, (place / made.name).c_str(),
                  RENAME_NOREPLACE) != 0) {
    const int code = errno;
    fs::remove_all(unfinished, failure);
    if (code == EEXIST) {
      throw conflict("there is a snapshot '" + made.name + "' already");
    }
    throw IoError("the snapshot cannot be made: " + errno_message(code));
  }
  flush_folder(place);
  return made;
}

}  // namespace warpdex::server
