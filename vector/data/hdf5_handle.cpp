#include "data/hdf5_handle.hpp"

#include <utility>

namespace warpdex::vector {
namespace {

std::recursive_mutex& hdf5_mutex() {
  static std::recursive_mutex mutex;
  return mutex;
}

/// Keeps the first text that it is given: going up, that of the innermost call.
herr_t keep_first(unsigned, const H5E_error2_t* error, void* text) {
  auto* const kept = static_cast<std::string*>(text);
  if (kept->empty() && error->desc != nullptr) *kept = error->desc;
  return 0;
}

}  // namespace

Hdf5Call::Hdf5Call() : lock_(hdf5_mutex()) {
  H5Eget_auto2(H5E_DEFAULT, &printer_, &printer_data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

Hdf5Call::~Hdf5Call() { H5Eset_auto2(H5E_DEFAULT, printer_, printer_data_); }

std::string Hdf5Call::reason() {
  std::string text;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_first, &text);
  return text;
}

Hdf5Handle::Hdf5Handle(Hdf5Handle&& other) noexcept
    : id_(std::exchange(other.id_, H5I_INVALID_HID)), close_(other.close_) {}

Hdf5Handle& Hdf5Handle::operator=(Hdf5Handle&& other) noexcept {
  std::swap(id_, other.id_);
  std::swap(close_, other.close_);
  return *this;
}

bool Hdf5Handle::close_now() {
  if (!is_open()) return true;
  const Hdf5Call call;
  return close_(std::exchange(id_, H5I_INVALID_HID)) >= 0;
}

Hdf5Handle hdf5_file_access() {
  Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_file_locking(access.id(), false, true);
  // A file that an error keeps open must not stay so: close all of it with its handle.
  H5Pset_fclose_degree(access.id(), H5F_CLOSE_STRONG);
  return access;
}

Hdf5Handle hdf5_type(StoredType type) {
  switch (type) {
    case StoredType::kFloat32: return {H5Tcopy(H5T_IEEE_F32LE), H5Tclose};
    case StoredType::kFloat64: return {H5Tcopy(H5T_IEEE_F64LE), H5Tclose};
    case StoredType::kInt8: return {H5Tcopy(H5T_STD_I8LE), H5Tclose};
    case StoredType::kUint8: return {H5Tcopy(H5T_STD_U8LE), H5Tclose};
    case StoredType::kInt32: return {H5Tcopy(H5T_STD_I32LE), H5Tclose};
    case StoredType::kUint32: return {H5Tcopy(H5T_STD_U32LE), H5Tclose};
    case StoredType::kInt64: return {H5Tcopy(H5T_STD_I64LE), H5Tclose};
    case StoredType::kUint64: return {H5Tcopy(H5T_STD_U64LE), H5Tclose};
    case StoredType::kFloat16: {
      Hdf5Handle half(H5Tcopy(H5T_IEEE_F32LE), H5Tclose);
      H5Tset_fields(half.id(), 15, 10, 5, 0, 10);
      H5Tset_size(half.id(), 2);
      H5Tset_ebias(half.id(), 15);
      return half;
    }
    case StoredType::kBool: break;
  }
  return {};
}

const char* hdf5_dataset_of(Role role) {
  switch (role) {
    case Role::kBase: return "train";
    case Role::kQueries: return "test";
    case Role::kNeighbors: return "neighbors";
    case Role::kDistances: break;
  }
  return "distances";
}

}  // namespace warpdex::vector
