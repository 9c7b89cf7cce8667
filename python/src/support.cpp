#include "support.hpp"

#include <pthread.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <exception>

#include "warpdex/indexer/readers/document_reader.hpp"
#include "warpdex/search_options.hpp"

namespace warpdex::python {
namespace {

void raise(const char* name, const Error& error, int code = 0) {
  try {
    const nb::object type = nb::module_::import_("warpdex.errors").attr(name);
    nb::object exception = type(to_str(error.what()));
    if (code != 0) exception.attr("code") = code;
    PyErr_SetObject(type.ptr(), exception.ptr());
  } catch (nb::python_error& failure) {
    failure.restore();
  }
}

void translate(const std::exception_ptr& thrown, void* /*payload*/) {
  try {
    std::rethrow_exception(thrown);
  } catch (const CudaError& error) {
    raise("CudaError", error, error.code());
  } catch (const CancelledError& error) {
    raise("CancelledError", error);
  } catch (const BadDocument& error) {
    raise("BadDocument", error);
  } catch (const InputError& error) {
    raise("InputError", error);
  } catch (const UsageError& error) {
    raise("UsageError", error);
  } catch (const FormatError& error) {
    raise("FormatError", error);
  } catch (const IoError& error) {
    raise("IoError", error);
  } catch (const Error& error) {
    raise("Error", error);
  }
}

std::atomic<unsigned> forks{0};

/// How long a thread waits awake for the GIL, and how long one that has it is believed to be about
/// to let it go.
constexpr std::chrono::nanoseconds kBrief = std::chrono::microseconds(20);

std::chrono::nanoseconds now() { return std::chrono::steady_clock::now().time_since_epoch(); }

/// When a thread came out of BriefRelease with the GIL; 0 once it has let it go by the next.
std::atomic<std::int64_t> taken_at{0};
std::atomic<bool> is_one_awake{false};  ///< more would take processors from those that work

void wait_awake() {
  if (is_one_awake.exchange(true, std::memory_order_acquire)) return;
  const auto begin = now();
  for (;;) {
    const std::chrono::nanoseconds taken(taken_at.load(std::memory_order_acquire));
    if (taken.count() == 0) break;
    const auto time = now();
    if (time - taken > kBrief || time - begin > kBrief) break;
  }
  is_one_awake.store(false, std::memory_order_release);
}

}  // namespace

BriefRelease::BriefRelease() : thread_(PyEval_SaveThread()) {
  taken_at.store(0, std::memory_order_release);
}

BriefRelease::~BriefRelease() {
  wait_awake();
  PyEval_RestoreThread(thread_);
  taken_at.store(now().count(), std::memory_order_release);
}

void translate_errors() {
  nb::register_exception_translator(translate);
  pthread_atfork(nullptr, nullptr, [] { forks.fetch_add(1, std::memory_order_relaxed); });
}

unsigned fork_count() { return forks.load(std::memory_order_relaxed); }

std::string name_of_type(nb::handle object) {
  return nb::cast<std::string>(nb::str(object.type().attr("__name__")));
}

std::string_view text_of(nb::handle text, const char* what) {
  if (!PyUnicode_Check(text.ptr())) {
    throw nb::type_error((std::string(what) + " must be a str, not " + name_of_type(text)).c_str());
  }
  Py_ssize_t size = 0;
  const char* const bytes = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
  if (bytes != nullptr) return {bytes, static_cast<std::size_t>(size)};
  if (PyErr_ExceptionMatches(PyExc_UnicodeEncodeError) == 0) throw nb::python_error();
  PyErr_Clear();
  throw InputError(std::string(what) +
                   " holds a lone surrogate, which no UTF-8 can hold; replace it, by "
                   "text.encode('utf-8', 'replace').decode() say");
}

std::vector<std::string> texts_of(nb::handle texts, const char* what) {
  if (PyUnicode_Check(texts.ptr())) {
    throw nb::type_error((std::string(what) + " is a str where a list of them is wanted").c_str());
  }
  std::vector<std::string> found;
  found.reserve(nb::len_hint(texts));
  for (const nb::handle text : texts) found.emplace_back(text_of(text, what));
  return found;
}

nb::str to_str(std::string_view text) {
  return nb::steal<nb::str>(
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
}

void check_finite(const FloatRows& rows, const char* what) {
  const std::size_t columns = rows.shape(1);
  for (std::size_t row = 0; row < rows.shape(0); ++row) {
    const float* const begin = rows.data() + row * columns;
    float sum = 0;  // of zeros, and NaN as soon as one component is not finite
    for (std::size_t i = 0; i < columns; ++i) sum += begin[i] * 0;
    if (sum == 0) continue;
    throw InputError(std::string(what) + " have a component in row " + std::to_string(row) +
                     " that is NaN or infinite; take the row out");
  }
}

}  // namespace warpdex::python
