// HDF5 files as ann-benchmarks has them: datasets train, test, neighbors and distances.
#include <hdf5.h>

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "data/data_file.hpp"
#include "data/hdf5_handle.hpp"
#include "data/row_source.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::vector {
namespace {

constexpr std::size_t kChunkCacheBytes = std::size_t{64} << 20;

/// The type that is read of values of `type`, or none.
std::optional<StoredType> stored_type(hid_t type) {
  const std::size_t bytes = H5Tget_size(type);
  if (H5Tget_class(type) == H5T_FLOAT) {
    if (bytes == 4) return StoredType::kFloat32;
    if (bytes == 8) return StoredType::kFloat64;
    std::size_t exponent_bits = 0;
    std::size_t unused = 0;
    H5Tget_fields(type, &unused, &unused, &exponent_bits, &unused, &unused);
    if (bytes == 2 && exponent_bits == 5) return StoredType::kFloat16;
  } else if (H5Tget_class(type) == H5T_INTEGER) {
    const bool is_signed = H5Tget_sign(type) == H5T_SGN_2;
    if (bytes == 1) return is_signed ? StoredType::kInt8 : StoredType::kUint8;
    if (bytes == 4) return is_signed ? StoredType::kInt32 : StoredType::kUint32;
    if (bytes == 8) return is_signed ? StoredType::kInt64 : StoredType::kUint64;
  }
  return std::nullopt;
}

/// What lies at the top of a file, for a message; the first few.
std::string names_in(hid_t file) {
  constexpr std::size_t kMax = 10;
  std::vector<std::string> names;
  H5Literate(
      file, H5_INDEX_NAME, H5_ITER_INC, nullptr,
      [](hid_t, const char* name, const H5L_info_t*, void* out) -> herr_t {
        auto* const found = static_cast<std::vector<std::string>*>(out);
        found->push_back(found->size() < kMax ? name : "...");
        return found->size() > kMax ? 1 : 0;
      },
      &names);
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text.empty() ? "nothing" : text;
}

class Hdf5Source final : public RowSource {
 public:
  Hdf5Source(const DataPath& path, Role role)
      : name_(path.file + ":" + (path.dataset.empty() ? hdf5_dataset_of(role) : path.dataset)) {
    const DataFile present(path.file);  // says why a file cannot be read better than HDF5 does
    const Hdf5Call call;
    open(path.file, name_.substr(path.file.size() + 1));
    read_shape();
    shape_.axes = axes_;
    check_axes(name_, shape_, role);
    check_dimension(name_, shape_.dimension, role);
    memory_type_ = hdf5_type(shape_.type);
  }

  void load(std::uint64_t first, std::size_t rows, void* out) override {
    const Hdf5Call call;
    const std::array<hsize_t, 2> start{first, 0};
    const std::array<hsize_t, 2> count{rows, shape_.dimension};
    const Hdf5Handle file_space(H5Dget_space(dataset_.id()), H5Sclose);
    const Hdf5Handle memory_space(H5Screate_simple(axes_, count.data(), nullptr), H5Sclose);
    if (H5Sselect_hyperslab(file_space.id(), H5S_SELECT_SET, start.data(), nullptr, count.data(),
                            nullptr) < 0 ||
        H5Dread(dataset_.id(), memory_type_.id(), memory_space.id(), file_space.id(), H5P_DEFAULT,
                out) < 0) {
      fail("cannot be read from row " + std::to_string(first) + " on: " + Hdf5Call::reason());
    }
  }

 private:
  [[noreturn]] void fail(const std::string& sentence) const {
    throw InputError("'" + name_ + "' " + sentence);
  }

  void open(const std::string& path, const std::string& dataset) {
    if (H5Fis_hdf5(path.c_str()) <= 0) {
      throw InputError("'" + path + "' is not an HDF5 file: it does not begin as one");
    }
    const Hdf5Handle access = hdf5_file_access();
    file_ = Hdf5Handle(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.id()), H5Fclose);
    if (!file_.is_open()) {
      throw InputError("'" + path + "' cannot be opened as HDF5: " + Hdf5Call::reason() +
                       "; it is damaged, was cut short, or is being written");
    }
    const Hdf5Handle cache(H5Pcreate(H5P_DATASET_ACCESS), H5Pclose);
    H5Pset_chunk_cache(cache.id(), 12421, kChunkCacheBytes, 1.0);
    dataset_ = Hdf5Handle(H5Dopen2(file_.id(), dataset.c_str(), cache.id()), H5Dclose);
    if (!dataset_.is_open()) {
      fail("cannot be opened as a dataset; name one as in FILE.hdf5:train, of what the file has: " +
           names_in(file_.id()));
    }
  }

  void read_shape() {
    const Hdf5Handle space(H5Dget_space(dataset_.id()), H5Sclose);
    axes_ = H5Sget_simple_extent_ndims(space.id());
    if (axes_ < 1 || axes_ > 2) {
      fail("has " + std::to_string(axes_) + " axes, but rows of vectors have 2; reshape it");
    }
    std::array<hsize_t, 2> sizes{0, 1};
    H5Sget_simple_extent_dims(space.id(), sizes.data(), nullptr);
    const Hdf5Handle type(H5Dget_type(dataset_.id()), H5Tclose);
    const std::optional<StoredType> stored = stored_type(type.id());
    if (!stored) {
      fail(
          "holds values of a type that is not read; only float64, float32, float16, int8, uint8, "
          "int32, uint32, int64 and uint64 are");
    }
    shape_ = {*stored, sizes[0], sizes[1]};
    H5D_space_status_t status = H5D_SPACE_STATUS_ALLOCATED;
    if (shape_.rows > 0 && H5Dget_space_status(dataset_.id(), &status) >= 0 &&
        status == H5D_SPACE_STATUS_NOT_ALLOCATED) {
      fail("was made, but never written; write it again");
    }
  }

  std::string name_;
  Hdf5Handle file_;
  Hdf5Handle dataset_;
  Hdf5Handle memory_type_;
  int axes_ = 2;
};

}  // namespace

std::unique_ptr<RowSource> open_hdf5(const DataPath& path, Role role) {
  return std::make_unique<Hdf5Source>(path, role);
}

}  // namespace warpdex::vector
