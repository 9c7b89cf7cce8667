// The exceptions that Warpdex throws. Each message is a sentence that says what to do.
#pragma once

#include <stdexcept>
#include <string>

namespace warpdex {

/// Base of every exception that Warpdex throws on purpose.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// An option or argument that cannot be taken (a negative k1, an unknown analyzer).
class UsageError : public Error {
 public:
  using Error::Error;
};

/// Input that cannot be understood: a document, a query, a run, a qrels file.
class InputError : public Error {
 public:
  using Error::Error;
};

/// The operating system refused: a missing file, a full disk, a folder without permission.
class IoError : public Error {
 public:
  using Error::Error;
};

/// Index bytes that are damaged, cut short, or not an index at all.
class FormatError : public Error {
 public:
  using Error::Error;
};

/// A CUDA call or a kernel launch that failed. The message names the call and says what to do.
class CudaError : public Error {
 public:
  /// `code` is what code() returns.
  CudaError(const std::string& message, int code) : Error(message), code_(code) {}
  /// CUDA's own number (cudaError_t); kNoCudaInBuild where this build has no CUDA.
  int code() const { return code_; }
  /// The code() of every CudaError that a build without CUDA throws.
  static constexpr int kNoCudaInBuild = -1;

 private:
  int code_;
};

/// The message of `errno`'s value `code`, as in "No such file or directory".
std::string errno_message(int code);

}  // namespace warpdex
