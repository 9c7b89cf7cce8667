// Writes beside the target, under a lock, and swaps the two in one step.
#include "warpdex/core/storage/replacement_folder.hpp"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <span>

#include "storage/fail.hpp"
#include "storage/flush.hpp"
#include "storage/folder_entries.hpp"
#include "storage/hidden_names.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/storage/journal.hpp"
#include "warpdex/core/storage/leftovers.hpp"
#include "warpdex/core/storage/manifest.hpp"
#include "warpdex/core/storage/target.hpp"

namespace warpdex {
namespace {

namespace fs = std::filesystem;

void write_file(const fs::path& path, std::span<const std::uint8_t> left) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0) fail("create", path, errno);
  while (!left.empty()) {
    const ssize_t written = ::write(descriptor, left.data(), left.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      const int code = errno;
      ::close(descriptor);
      fail("write", path, code);
    }
    left = left.subspan(static_cast<std::size_t>(written));
  }
#if defined(__linux__)
  // Only a hint: files that are on their way are flushed together, by the first flush of one.
  ::sync_file_range(descriptor, 0, 0, SYNC_FILE_RANGE_WRITE);
#endif
  if (::close(descriptor) != 0) fail("write", path, errno);
}

std::span<const std::uint8_t> bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

/// Checks, before anything is built, that the hidden folders' names, which are longer, are not too
/// long.
void check_name(const fs::path& target) {
  const long limit = ::pathconf(target.parent_path().c_str(), _PC_NAME_MAX);
  const std::size_t bytes = target.filename().string().size() + kHiddenNameBytes;
  if (limit < 0 || bytes <= static_cast<std::size_t>(limit)) return;
  throw UsageError("the name '" + target.filename().string() + "' is too long; a name of at most " +
                   std::to_string(static_cast<std::size_t>(limit) - kHiddenNameBytes) +
                   " bytes leaves room for the names of the folders that are written beside it");
}

fs::path prepare_target(const fs::path& path) {
  const fs::path target = resolve_target(path);
  check_outside_of_indexes(target);
  std::error_code error;
  fs::create_directories(target.parent_path(), error);
  if (error) {
    fail("create", target.parent_path(), error.value(), "choose an output where you may write");
  }
  check_name(target);
  return target;
}

/// Adds a sentence, unless there is no memory for it.
template <class Words>
void note(std::vector<std::string>& notes, const Words& words) noexcept {
  try {
    notes.push_back(words());
  } catch (const std::exception&) {
  }
}

void move(const fs::path& from, const fs::path& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) fail("rename to '" + to.string() + "'", from, errno);
}

}  // namespace

ReplacementFolder::ReplacementFolder(const fs::path& target, std::string_view kind)
    : ReplacementFolder(target, nullptr, true, std::string(kind)) {}

ReplacementFolder::ReplacementFolder(const fs::path& target)
    : ReplacementFolder(target, nullptr, true, std::nullopt) {}

ReplacementFolder::ReplacementFolder(const fs::path& target, std::shared_ptr<TargetLock> lock,
                                     bool is_alone)
    : ReplacementFolder(target, std::move(lock), is_alone, std::nullopt) {}

ReplacementFolder::ReplacementFolder(const fs::path& target, std::shared_ptr<TargetLock> lock,
                                     bool is_alone, std::optional<std::string> kind)
    : target_(prepare_target(target)),
      lock_(
          lock ? std::move(lock)
               : std::make_shared<TargetLock>(target_, kind ? LockUse::kOutput : LockUse::kChange)),
      kind_(std::move(kind)),
      folder_(prepare(is_alone)),
      scratch_(create_hidden_folder(target_)) {
  check_movable();
}

ReplacementFolder::~ReplacementFolder() = default;

void ReplacementFolder::Hidden::remove(std::vector<std::string>* notes) noexcept {
  if (path_.empty()) return;
  const std::error_code error = remove_hidden_folder(path_);
  if (error && notes) note(*notes, [&] { return words_for_stuck_folder(path_, error); });
  release();
}

/// Looks at the target, and makes the hidden folder. The lock is held.
fs::path ReplacementFolder::prepare(bool is_alone) {
  if (is_alone) notes_ = clear_leftovers(target_).problems;
  check_replaceable(target_, kind_);
  if (kind_) check_no_journal(target_);
  check_writable(target_);
  return create_hidden_folder(target_);
}

/// Asks the system whether the target may be moved, by a rename that must not succeed: a folder is
/// never renamed over one that is not empty. A mount point, for one, cannot be moved.
void ReplacementFolder::check_movable() {
  if (is_missing(target_)) return;
  const fs::path content = subfolder("content");
  const fs::path hidden = folder_.path();
  const int code = ::rename(target_.c_str(), hidden.c_str()) == 0 ? 0 : errno;
  if (code == 0) {
    folder_.release();  // what is there now is not ours to remove
    move(hidden, target_);
    fail("replace", target_, EOPNOTSUPP, "choose another output");
  }
  ::rmdir(content.c_str());
  constexpr std::array kRefusals{EBUSY, EACCES, EPERM, EROFS, EXDEV};
  if (std::find(kRefusals.begin(), kRefusals.end(), code) == kRefusals.end()) return;
  fail("replace", target_, code,
       code == EBUSY ? "it is a mount point or in use by the system: choose another output"
                     : "choose another output");
}

fs::path ReplacementFolder::subfolder(const std::string& name) const {
  std::error_code error;
  fs::create_directory(folder_.path() / name, error);
  if (error) fail("create", folder_.path() / name, error.value());
  return folder_.path() / name;
}

void ReplacementFolder::keep(const SegmentInfo& segment) {
  if (!segment.is_packed) subfolder(segment.place);
  for (const std::string& name : files_of(segment)) keep_file(name);
}

void ReplacementFolder::keep_file(const std::string& name) {
  const fs::path from = target_ / name;
  const fs::path to = folder_.path() / name;
  if (::link(from.c_str(), to.c_str()) == 0) return;
  constexpr std::array kRefusals{EPERM, EXDEV, EMLINK, EOPNOTSUPP, ENOSYS, EACCES};
  if (std::find(kRefusals.begin(), kRefusals.end(), errno) == kRefusals.end()) {
    fail("link", from, errno);
  }
  std::error_code error;
  fs::copy_file(from, to, error);
  if (error) fail("copy", from, error.value(), "make room there");
  written_.push_back(name);
}

void ReplacementFolder::take(ReplacementFolder& from, const SegmentInfo& segment) {
  move(from.folder_.path() / segment.place, folder_.path() / segment.place);
  if (std::erase(from.written_, segment.place) > 0) written_.push_back(segment.place);
}

void ReplacementFolder::write(const std::string& name, std::span<const std::uint8_t> bytes) {
  write_file(folder_.path() / name, bytes);
  written_.push_back(name);
}

void ReplacementFolder::discard(std::uint64_t segment_number) noexcept {
  try {
    const std::string file = segment_file(segment_number);
    remove_tree(folder_.path() / segment_folder(segment_number));
    remove_tree(folder_.path() / file);
    std::erase(written_, file);
  } catch (const std::exception&) {  // not enough memory: commit() removes it
  }
}

/// Removes what a call that failed may have left in the folder.
void ReplacementFolder::drop_unlisted(const std::string& manifest) {
  for (const std::string& name : unlisted_in(folder_.path(), manifest)) {
    const std::error_code error = remove_tree(folder_.path() / name);
    if (error) fail("remove", folder_.path() / name, error.value());
    std::erase(written_, name);
  }
}

std::vector<std::string> ReplacementFolder::commit(const std::string& manifest,
                                                   const std::function<void()>& last_check) {
  scratch_.remove(&notes_);
  drop_unlisted(manifest);
  write(std::string(kManifestName), bytes_of(manifest));
  flush();
  if (last_check) last_check();
  check_replaceable(target_, kind_);
  const fs::path around = target_.parent_path();
  take_place();
  remove_old(around);  // from here on the new index is in place, and nothing fails any more
  lock_.reset();
  return std::move(notes_);
}

/// The disk learns of the new index before the old one is removed. If it does not, a power cut may
/// still bring the old one back, whole, so that stays until a later change finds it.
void ReplacementFolder::remove_old(const fs::path& around) noexcept {
  // A folder that may not be read can neither be flushed nor be looked through for what stays.
  const int code = ::access(around.c_str(), R_OK) == 0 ? try_flush(around) : 0;
  if (code == 0) return folder_.remove(&notes_);
  note(notes_, [&] {
    return "cannot flush '" + around.string() + "': " + errno_message(code) +
           "; until a later change, a power cut may bring back what was there before";
  });
  folder_.release();
}

/// Section files were flushed as they were finished.
void ReplacementFolder::flush() const {
  for (const std::string& name : written_) flush_path(folder_.path() / name);
  std::error_code error;
  for (const fs::path& entry : entries_of(folder_.path(), error)) {
    std::error_code unseen;
    const bool is_folder = fs::is_directory(entry, unseen);
    if (unseen) fail("look at", entry, unseen.value());
    if (is_folder) flush_path(entry);
  }
  if (error) fail("read", folder_.path(), error.value());
  flush_path(folder_.path());
}

void ReplacementFolder::take_place() {
  if (is_missing(target_)) {
    move(folder_.path(), target_);
    folder_.release();
    return;
  }
  trade_places();
  try {
    check_replaceable(folder_.path(), kind_);
  } catch (...) {
    // Something came into the target between the last look and the exchange.
    if (!trade_back()) return;
    check_replaceable(target_, kind_);
    throw;
  }
}

/// Undoes the exchange. If that fails, the new index stays in place, and what it replaced stays
/// beside it, with the files that came in. Returns whether all is as it was.
bool ReplacementFolder::trade_back() noexcept {
  try {
    trade_places();
    return true;
  } catch (const std::exception&) {
    note(notes_, [&] {
      return "files came into '" + target_.string() + "' while it was replaced; they are in '" +
             folder_.path().string() + "' now: take them out before the next change";
    });
    folder_.release();
    return false;
  }
}

/// Exchanges the target and the hidden folder. If it throws, both are where they were.
void ReplacementFolder::trade_places() {
  const fs::path hidden = folder_.path();
  if (::renameat2(AT_FDCWD, hidden.c_str(), AT_FDCWD, target_.c_str(), RENAME_EXCHANGE) == 0) {
    return;
  }
  // Not all file systems can exchange. The target is then missing for a moment, in which a build
  // that dies leaves it aside, for clear_leftovers().
  fs::path aside = aside_of(hidden);
  move(target_, aside);
  if (::rename(hidden.c_str(), target_.c_str()) != 0) {
    const int code = errno;
    if (::rename(aside.c_str(), target_.c_str()) == 0) fail("rename", hidden, code);
    fail("rename", hidden, code,
         "the index that was there is out of its place: 'warpdex verify --repair " +
             target_.string() + "' puts it back");
  }
  if (::rename(aside.c_str(), hidden.c_str()) != 0) folder_.set_path(std::move(aside));
}

}  // namespace warpdex
