// What all parts of the module share: texts and arrays in and out, signals, forks.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "warpdex/core/error.hpp"

namespace warpdex::python {

namespace nb = nanobind;

/// Makes the module raise the classes of warpdex.errors for the library's exceptions.
void translate_errors();

/// For messages.
std::string name_of_type(nb::handle object);
/// The UTF-8 of a str, which must outlive it. Messages call it `what`. Throws TypeError for
/// anything else, InputError for a lone surrogate.
std::string_view text_of(nb::handle text, const char* what);
/// The same of many.
std::vector<std::string> texts_of(nb::handle texts, const char* what);
/// Bytes of a file or of a message as a str; what is no UTF-8 becomes U+FFFD.
nb::str to_str(std::string_view text);

/// Rows of floats that an array or a bytes-like object holds.
using FloatRows = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

inline std::span<const float> components(const FloatRows& rows) {
  return {rows.data(), rows.size()};
}
/// Throws InputError, which names the row, for a NaN or an infinite component.
void check_finite(const FloatRows& rows, const char* what);

/// An array that owns `values`, without a copy.
template <class T, std::size_t... kDimensions>
nb::object to_array(std::vector<T>&& values, const std::vector<std::size_t>& shape) {
  auto owned = std::make_unique<std::vector<T>>(std::move(values));
  T* const data = owned->data();
  nb::capsule owner(owned.get(),
                    [](void* held) noexcept { delete static_cast<std::vector<T>*>(held); });
  owned.release();
  return nb::cast(nb::ndarray<nb::numpy, T>(data, shape.size(), shape.data(), owner));
}

/// Raises what a signal's handler raised: KeyboardInterrupt, after Ctrl-C. For threads that hold
/// the GIL; only in the main thread do signals come.
inline void check_signals() {
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

/// Lets the GIL go, for work of some microseconds that many threads may do at once. Where another
/// such thread has it at the end, for a moment between two calls, this waits for it awake: to be
/// woken takes longer than that moment.
class BriefRelease {
 public:
  BriefRelease();
  ~BriefRelease();
  BriefRelease(const BriefRelease&) = delete;
  BriefRelease& operator=(const BriefRelease&) = delete;

 private:
  PyThreadState* thread_;
};

/// How often this process was forked off another since the module was loaded.
unsigned fork_count();

/// An object of the library, which may have threads and files. In a child process after fork() it
/// is neither used nor destroyed: its threads are not there, and its files are the parent's.
template <class T>
class Owned {
 public:
  explicit Owned(std::unique_ptr<T> object) : object_(std::move(object)), forks_(fork_count()) {}
  Owned(Owned&&) noexcept = default;
  Owned& operator=(Owned&&) = delete;
  ~Owned() {
    if (forks_ != fork_count()) static_cast<void>(object_.release());
  }
  T* operator->() const { return &get(); }
  T& get() const {
    check_process();
    return *object_;
  }
  /// Throws UsageError in a child process.
  void check_process() const {
    if (forks_ == fork_count()) return;
    throw UsageError(
        "the object was opened before fork(), and its threads and locks belong to the parent; "
        "open it anew in the child process");
  }
  bool is_there() const { return object_ != nullptr; }
  /// Destroys the object.
  void reset() {
    check_process();
    object_.reset();
  }

 private:
  std::unique_ptr<T> object_;
  unsigned forks_;
};

}  // namespace warpdex::python
