// Calls of the HDF5 library: one at a time in this process, quietly, and with handles that are
// closed.
#pragma once

#include <hdf5.h>

#include <mutex>
#include <string>

#include "data/row_source.hpp"

namespace warpdex::vector {

/// While it lives, this thread alone calls HDF5 (the library may be built without locks), and HDF5
/// prints no errors of its own. May be nested.
class Hdf5Call {
 public:
  Hdf5Call();
  ~Hdf5Call();
  Hdf5Call(const Hdf5Call&) = delete;
  Hdf5Call& operator=(const Hdf5Call&) = delete;

  /// What HDF5 says of the call that failed last, or "".
  static std::string reason();

 private:
  std::unique_lock<std::recursive_mutex> lock_;
  H5E_auto2_t printer_ = nullptr;
  void* printer_data_ = nullptr;
};

/// Owns an identifier of HDF5's. Move-only.
class Hdf5Handle {
 public:
  using Close = herr_t (*)(hid_t);

  Hdf5Handle() = default;
  /// `id` may be that of a call that failed.
  Hdf5Handle(hid_t id, Close close) : id_(id), close_(close) {}
  Hdf5Handle(Hdf5Handle&& other) noexcept;
  Hdf5Handle& operator=(Hdf5Handle&& other) noexcept;
  ~Hdf5Handle() { close_now(); }

  bool is_open() const { return id_ >= 0; }
  hid_t id() const { return id_; }
  /// Closes now; false if HDF5 could not.
  bool close_now();

 private:
  hid_t id_ = H5I_INVALID_HID;
  Close close_ = nullptr;
};

/// How files are opened: without locks, which some file systems lack. Within an Hdf5Call.
Hdf5Handle hdf5_file_access();

/// The little-endian type in which an element is written. Within an Hdf5Call.
Hdf5Handle hdf5_type(StoredType type);

/// The dataset's name that a role has in the files of ann-benchmarks.
const char* hdf5_dataset_of(Role role);

}  // namespace warpdex::vector
