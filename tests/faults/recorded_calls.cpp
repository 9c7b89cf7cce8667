// Takes the place of the C library's calls that change files: the linker prefers what the program
// defines, and calls within libstdc++ come here too. Nodes are known by their inode numbers.
#include "tests/faults/recorded_calls.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <fstream>
#include <iterator>
#include <mutex>
#include <set>
#include <utility>

namespace warpdex::test {
namespace {

namespace fs = std::filesystem;

struct Recorder {
  std::recursive_mutex mutex;
  bool is_on = false;
  bool can_exchange = true;
  RecordedDisk disk;
  std::map<Node, std::map<std::string, Node>> now;  ///< entries
  std::map<ino_t, Node> nodes;
  Node next = 0;
};

Recorder& recorder() {
  static Recorder one;
  return one;
}

/// The C library's own function.
template <class Function>
Function* library(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

/// Where an entry is: none if the folder is not recorded.
struct Place {
  Node folder;
  std::string name;
};

std::optional<Node> node_of(const struct stat& status) {
  const auto found = recorder().nodes.find(status.st_ino);
  return found == recorder().nodes.end() ? std::nullopt : std::optional(found->second);
}

std::optional<Place> place_of(int folder, const char* path) {
  const fs::path whole = path;
  const fs::path parent = whole.has_parent_path() ? whole.parent_path() : ".";
  struct stat status {};
  if (::fstatat(folder, parent.c_str(), &status, 0) != 0) return std::nullopt;
  const std::optional<Node> node = node_of(status);
  if (!node) return std::nullopt;
  return Place{*node, whole.filename().string()};
}

std::optional<Node> node_at(const Place& place) {
  const auto& entries = recorder().now[place.folder];
  const auto found = entries.find(place.name);
  return found == entries.end() ? std::nullopt : std::optional(found->second);
}

void change_entries(std::vector<EntryChange> changes) {
  for (const EntryChange& change : changes) {
    auto& entries = recorder().now[change.folder];
    if (change.to) {
      entries[change.name] = *change.to;
    } else {
      entries.erase(change.name);
    }
  }
  recorder().disk.calls.push_back({.kind = DiskCall::kEntries, .entries = std::move(changes)});
}

Node new_node(const struct stat& status) {
  return recorder().nodes[status.st_ino] = recorder().next++;
}

/// After a call that may have made a file or folder.
void note_made(const std::optional<Place>& place, const struct stat& status) {
  if (!place || node_at(*place)) return;
  change_entries({{place->folder, place->name, new_node(status), S_ISDIR(status.st_mode)}});
}

void note_removed(const std::optional<Place>& place) {
  if (place) change_entries({{place->folder, place->name, std::nullopt}});
}

void note_moved(const std::optional<Place>& from, const std::optional<Place>& to, bool exchanges) {
  if (!from || !to) return;
  const std::optional<Node> moved = node_at(*from);
  const std::optional<Node> back = exchanges ? node_at(*to) : std::nullopt;
  change_entries({{from->folder, from->name, back}, {to->folder, to->name, moved}});
}

/// After a call for an open file.
void note_file(int file, DiskCall call) {
  struct stat status {};
  if (::fstat(file, &status) != 0) return;
  const std::optional<Node> node = node_of(status);
  if (!node) return;
  call.node = *node;
  recorder().disk.calls.push_back(std::move(call));
}

void note_opened(int file, int flags, const std::optional<Place>& place) {
  struct stat status {};
  if (file < 0 || !place || ::fstat(file, &status) != 0) return;
  if ((flags & O_CREAT) != 0) note_made(place, status);
  if ((flags & O_TRUNC) != 0) note_file(file, {.kind = DiskCall::kCut});
}

void note_written(int file, const void* bytes, ssize_t size, off_t offset) {
  if (size <= 0) return;
  note_file(file, {.kind = DiskCall::kWrite,
                   .offset = static_cast<std::uint64_t>(offset),
                   .bytes = std::string(static_cast<const char*>(bytes),
                                        static_cast<std::size_t>(size))});
}

/// What lies below `path` now, into the recorder.
Node scan(const fs::path& path) {
  struct stat status {};
  ::stat(path.c_str(), &status);
  const auto known = recorder().nodes.find(status.st_ino);
  if (known != recorder().nodes.end()) return known->second;
  const Node node = new_node(status);
  if (S_ISDIR(status.st_mode)) {
    auto entries = std::map<std::string, Node>();
    for (const auto& entry : fs::directory_iterator(path)) {
      entries[entry.path().filename().string()] = scan(entry.path());
    }
    recorder().now[node] = recorder().disk.folders[node] = std::move(entries);
  } else {
    std::ifstream file(path, std::ios::binary);
    recorder().disk.files[node] = {std::istreambuf_iterator<char>(file), {}};
  }
  return node;
}

/// Calls a function of the library and, if it succeeds while all is recorded, `note`.
template <class Call, class Note>
auto recorded(const Call& call, const Note& note) {
  const std::lock_guard lock(recorder().mutex);
  const auto result = call();
  if (recorder().is_on && result >= 0) {
    const int code = errno;
    note(result);
    errno = code;
  }
  return result;
}

mode_t mode_in(int flags, va_list arguments) {
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
}

}  // namespace

Recording::Recording(const fs::path& folder, bool can_exchange) {
  const std::lock_guard lock(recorder().mutex);
  recorder().disk = {};
  recorder().now.clear();
  recorder().nodes.clear();
  recorder().next = 0;
  recorder().can_exchange = can_exchange;
  scan(folder);
  recorder().is_on = true;
}

Recording::~Recording() { recorder().is_on = false; }

void Recording::mark(std::uint64_t number) {
  const std::lock_guard lock(recorder().mutex);
  recorder().disk.calls.push_back({.kind = DiskCall::kMark, .offset = number});
}

RecordedDisk Recording::finish() {
  const std::lock_guard lock(recorder().mutex);
  recorder().is_on = false;
  return std::move(recorder().disk);
}

}  // namespace warpdex::test

using namespace warpdex::test;  // NOLINT: what follows is of the C library

#define WARPDEX_RECORDED_OPEN(name)                                                         \
  extern "C" int name(const char* path, int flags, ...) {                                   \
    static auto* const real = library<int(const char*, int, ...)>(#name);                   \
    va_list more;                                                                           \
    va_start(more, flags);                                                                  \
    const mode_t mode = mode_in(flags, more);                                               \
    va_end(more);                                                                           \
    if ((flags & (O_CREAT | O_TRUNC)) == 0) return real(path, flags, mode);                 \
    return recorded([&] { return real(path, flags, mode); },                                \
                    [&](int file) { note_opened(file, flags, place_of(AT_FDCWD, path)); }); \
  }
#define WARPDEX_RECORDED_OPENAT(name)                                                     \
  extern "C" int name(int folder, const char* path, int flags, ...) {                     \
    static auto* const real = library<int(int, const char*, int, ...)>(#name);            \
    va_list more;                                                                         \
    va_start(more, flags);                                                                \
    const mode_t mode = mode_in(flags, more);                                             \
    va_end(more);                                                                         \
    if ((flags & (O_CREAT | O_TRUNC)) == 0) return real(folder, path, flags, mode);       \
    return recorded([&] { return real(folder, path, flags, mode); },                      \
                    [&](int file) { note_opened(file, flags, place_of(folder, path)); }); \
  }
WARPDEX_RECORDED_OPEN(open)
WARPDEX_RECORDED_OPEN(open64)
WARPDEX_RECORDED_OPENAT(openat)
WARPDEX_RECORDED_OPENAT(openat64)

extern "C" ssize_t write(int file, const void* bytes, size_t size) {
  static auto* const real = library<ssize_t(int, const void*, size_t)>("write");
  return recorded([&] { return real(file, bytes, size); },
                  [&](ssize_t written) {
                    note_written(file, bytes, written, ::lseek(file, 0, SEEK_CUR) - written);
                  });
}

extern "C" ssize_t pwrite(int file, const void* bytes, size_t size, off_t offset) {
  static auto* const real = library<ssize_t(int, const void*, size_t, off_t)>("pwrite");
  return recorded([&] { return real(file, bytes, size, offset); },
                  [&](ssize_t written) { note_written(file, bytes, written, offset); });
}

extern "C" int ftruncate(int file, off_t size) {
  static auto* const real = library<int(int, off_t)>("ftruncate");
  return recorded([&] { return real(file, size); },
                  [&](int) {
                    note_file(file,
                              {.kind = DiskCall::kCut, .offset = static_cast<std::uint64_t>(size)});
                  });
}

extern "C" int fsync(int file) {
  static auto* const real = library<int(int)>("fsync");
  return recorded([&] { return real(file); },
                  [&](int) { note_file(file, {.kind = DiskCall::kSync}); });
}

extern "C" int fdatasync(int file) {
  static auto* const real = library<int(int)>("fdatasync");
  return recorded([&] { return real(file); },
                  [&](int) { note_file(file, {.kind = DiskCall::kSync}); });
}

extern "C" int rename(const char* from, const char* to) {
  static auto* const real = library<int(const char*, const char*)>("rename");
  return recorded(
      [&] { return real(from, to); },
      [&](int) { note_moved(place_of(AT_FDCWD, from), place_of(AT_FDCWD, to), false); });
}

extern "C" int renameat2(int from_folder, const char* from, int to_folder, const char* to,
                         unsigned flags) {
  static auto* const real = library<int(int, const char*, int, const char*, unsigned)>("renameat2");
  return recorded(
      [&] {
        if (!recorder().is_on || recorder().can_exchange) {
          return real(from_folder, from, to_folder, to, flags);
        }
        errno = EINVAL;
        return -1;
      },
      [&](int) {
        note_moved(place_of(from_folder, from), place_of(to_folder, to),
                   (flags & RENAME_EXCHANGE) != 0);
      });
}

extern "C" int link(const char* from, const char* to) {
  static auto* const real = library<int(const char*, const char*)>("link");
  return recorded([&] { return real(from, to); },
                  [&](int) {
                    const std::optional<Place> old = place_of(AT_FDCWD, from);
                    const std::optional<Place> more = place_of(AT_FDCWD, to);
                    if (old && more) change_entries({{more->folder, more->name, node_at(*old)}});
                  });
}

extern "C" int mkdir(const char* path, mode_t mode) {
  static auto* const real = library<int(const char*, mode_t)>("mkdir");
  return recorded([&] { return real(path, mode); },
                  [&](int) {
                    struct stat status {};
                    if (::stat(path, &status) == 0) note_made(place_of(AT_FDCWD, path), status);
                  });
}

#define WARPDEX_RECORDED_REMOVE(name)                                      \
  extern "C" int name(const char* path) {                                  \
    static auto* const real = library<int(const char*)>(#name);            \
    return recorded([&] { return real(path); },                            \
                    [&](int) { note_removed(place_of(AT_FDCWD, path)); }); \
  }
WARPDEX_RECORDED_REMOVE(rmdir)
WARPDEX_RECORDED_REMOVE(unlink)
WARPDEX_RECORDED_REMOVE(remove)

extern "C" int unlinkat(int folder, const char* path, int flags) {
  static auto* const real = library<int(int, const char*, int)>("unlinkat");
  return recorded([&] { return real(folder, path, flags); },
                  [&](int) { note_removed(place_of(folder, path)); });
}
