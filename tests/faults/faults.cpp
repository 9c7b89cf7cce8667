// Takes the place of operator new and of the C library's calls on files: the linker prefers what
// the program defines, and calls within libstdc++ come here too.
#include "tests/faults/faults.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <utility>

namespace warpdex::test {
namespace {

constexpr std::uint64_t kNever = ~std::uint64_t{0};
constexpr std::array kErrors{EIO, ENOSPC, EMFILE, ENOMEM, EACCES};

std::atomic<bool> armed{false};
std::atomic<Fault> kind_now{Fault::kAllocation};
std::atomic<std::uint64_t> calls_now{0};
std::atomic<std::uint64_t> nth_now{kNever};
std::atomic<bool> lasts_now{false};
std::atomic<const char*> failed_now{""};

/// Counts a call. Whether it is to fail.
bool fails(Fault kind, const char* name) {
  if (!armed.load(std::memory_order_relaxed) || kind_now.load() != kind) return false;
  const std::uint64_t call = ++calls_now;
  if (call < nth_now.load() || (call > nth_now.load() && !lasts_now.load())) return false;
  failed_now = name;
  return true;
}

/// Likewise for a system call; sets errno if it is to fail.
bool call_fails(const char* name) {
  if (!fails(Fault::kSystemCall, name)) return false;
  errno = kErrors[nth_now.load() % kErrors.size()];
  return true;
}

/// The C library's own function.
template <class Function>
Function* real(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

void* allocate(std::size_t bytes, std::size_t alignment) {
  if (fails(Fault::kAllocation, "operator new")) return nullptr;
  if (alignment <= alignof(std::max_align_t)) return std::malloc(bytes == 0 ? 1 : bytes);
  return std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

void* allocate_or_throw(std::size_t bytes, std::size_t alignment) {
  void* const memory = allocate(bytes, alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

mode_t mode_of(int flags, va_list arguments) {
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
}

}  // namespace

FaultInjection::FaultInjection(Fault kind, std::uint64_t nth, bool lasts) : nth_(nth) {
  lasts_now = lasts;
  kind_now = kind;
  calls_now = 0;
  nth_now = nth;
  failed_now = "";
  armed = true;
}
FaultInjection::~FaultInjection() { armed = false; }

FaultPause::FaultPause() : was_armed_(armed.exchange(false)) {}
FaultPause::~FaultPause() { armed = was_armed_; }

bool FaultInjection::has_failed() const { return calls_now.load() >= nth_; }
std::uint64_t FaultInjection::calls() const { return calls_now.load(); }
const char* FaultInjection::failed_call() const { return failed_now.load(); }

}  // namespace warpdex::test

using warpdex::test::allocate;
using warpdex::test::allocate_or_throw;
using warpdex::test::call_fails;
using warpdex::test::mode_of;
using warpdex::test::real;

constexpr std::size_t kPlain = alignof(std::max_align_t);

void* operator new(std::size_t bytes) { return allocate_or_throw(bytes, kPlain); }
void* operator new[](std::size_t bytes) { return allocate_or_throw(bytes, kPlain); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return allocate_or_throw(bytes, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
  return allocate_or_throw(bytes, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return allocate(bytes, kPlain);
}
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept {
  return allocate(bytes, kPlain);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

// A call of the C library by the same name: fails where it is to fail, else calls the real one.
#define WARPDEX_CALL(result, name, parameters, arguments, failed)    \
  extern "C" result name parameters {                                \
    static auto* const real_##name = real<result parameters>(#name); \
    if (call_fails(#name)) return failed;                            \
    return real_##name arguments;                                    \
  }
#define WARPDEX_OPEN(name)                                                    \
  extern "C" int name(const char* path, int flags, ...) {                     \
    static auto* const real_##name = real<int(const char*, int, ...)>(#name); \
    va_list more;                                                             \
    va_start(more, flags);                                                    \
    const mode_t mode = mode_of(flags, more);                                 \
    va_end(more);                                                             \
    return call_fails(#name) ? -1 : real_##name(path, flags, mode);           \
  }
#define WARPDEX_OPENAT(name)                                                       \
  extern "C" int name(int folder, const char* path, int flags, ...) {              \
    static auto* const real_##name = real<int(int, const char*, int, ...)>(#name); \
    va_list more;                                                                  \
    va_start(more, flags);                                                         \
    const mode_t mode = mode_of(flags, more);                                      \
    va_end(more);                                                                  \
    return call_fails(#name) ? -1 : real_##name(folder, path, flags, mode);        \
  }

struct __dirstream;
struct dirent;
struct dirent64;

WARPDEX_OPEN(open)
WARPDEX_OPEN(open64)
WARPDEX_OPENAT(openat)
WARPDEX_OPENAT(openat64)
WARPDEX_CALL(ssize_t, write, (int file, const void* bytes, size_t size), (file, bytes, size), -1)
WARPDEX_CALL(ssize_t, pwrite, (int file, const void* bytes, size_t size, off_t offset),
             (file, bytes, size, offset), -1)
WARPDEX_CALL(ssize_t, pread, (int file, void* bytes, size_t size, off_t offset),
             (file, bytes, size, offset), -1)
WARPDEX_CALL(int, fsync, (int file), (file), -1)
WARPDEX_CALL(int, fdatasync, (int file), (file), -1)
WARPDEX_CALL(int, ftruncate, (int file, off_t size), (file, size), -1)
WARPDEX_CALL(int, fallocate, (int file, int mode, off_t offset, off_t size),
             (file, mode, offset, size), -1)
WARPDEX_CALL(int, rename, (const char* from, const char* to), (from, to), -1)
WARPDEX_CALL(int, renameat2,
             (int from_folder, const char* from, int to_folder, const char* to, unsigned flags),
             (from_folder, from, to_folder, to, flags), -1)
WARPDEX_CALL(int, link, (const char* from, const char* to), (from, to), -1)
WARPDEX_CALL(int, mkdir, (const char* path, mode_t mode), (path, mode), -1)
WARPDEX_CALL(int, rmdir, (const char* path), (path), -1)
WARPDEX_CALL(int, unlink, (const char* path), (path), -1)
WARPDEX_CALL(int, unlinkat, (int folder, const char* path, int flags), (folder, path, flags), -1)
WARPDEX_CALL(int, remove, (const char* path), (path), -1)
WARPDEX_CALL(void*, mmap,
             (void* at, size_t size, int protection, int flags, int file, off_t offset),
             (at, size, protection, flags, file, offset), MAP_FAILED)
WARPDEX_CALL(void*, mmap64,
             (void* at, size_t size, int protection, int flags, int file, off64_t offset),
             (at, size, protection, flags, file, offset), MAP_FAILED)
WARPDEX_CALL(__dirstream*, opendir, (const char* path), (path), nullptr)
WARPDEX_CALL(__dirstream*, fdopendir, (int folder), (folder), nullptr)
WARPDEX_CALL(dirent*, readdir, (__dirstream * folder), (folder), nullptr)
WARPDEX_CALL(dirent64*, readdir64, (__dirstream * folder), (folder), nullptr)
WARPDEX_CALL(int, fstat, (int file, struct stat* status), (file, status), -1)
WARPDEX_CALL(int, stat, (const char* path, struct stat* status), (path, status), -1)
WARPDEX_CALL(int, lstat, (const char* path, struct stat* status), (path, status), -1)
// <fcntl.h> has a struct of this name, too.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
WARPDEX_CALL(int, flock, (int file, int operation), (file, operation), -1)
#pragma GCC diagnostic pop
WARPDEX_CALL(int, faccessat, (int folder, const char* path, int mode, int flags),
             (folder, path, mode, flags), -1)
