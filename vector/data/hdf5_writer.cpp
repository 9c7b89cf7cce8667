// A dataset of an HDF5 file. HDF5 makes room for it, in a copy of the file; then the rows are
// written there as into any file, so that errors such as a full disk have the system's words.
#include <hdf5.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <vector>

#include "data/data_file.hpp"
#include "data/file_writer.hpp"
#include "data/hdf5_handle.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::vector {
namespace {

constexpr std::size_t kCopyBytes = std::size_t{1} << 20;

/// What tells whether a file is still the one that was copied.
struct FileState {
  struct stat status {};
  bool exists;

  explicit FileState(const std::filesystem::path& file)
      : exists(::stat(file.c_str(), &status) == 0) {}

  bool is_same(const FileState& other) const {
    if (!exists || !other.exists) return exists == other.exists;
    return status.st_dev == other.status.st_dev && status.st_ino == other.status.st_ino &&
           status.st_size == other.status.st_size &&
           status.st_mtim.tv_sec == other.status.st_mtim.tv_sec &&
           status.st_mtim.tv_nsec == other.status.st_mtim.tv_nsec;
  }
};

class Hdf5Writer final : public FileWriter {
 public:
  explicit Hdf5Writer(const WriterSettings& settings)
      : FileWriter(settings),
        dataset_(settings.path.dataset.empty() ? hdf5_dataset_of(settings.role)
                                               : settings.path.dataset),
        before_(file().target()) {
    if (file().temporary().empty()) {
      throw IoError("cannot write " + settings.path.file +
                    ": HDF5 needs a regular file; name another target");
    }
    copy_target();
    const Hdf5Call call;
    begin_ = make_dataset();
    file().seek(begin_);
    reserve(begin_);
  }

 private:
  [[noreturn]] void fail_hdf5(const char* what) const {
    throw IoError("cannot write '" + settings().name + "': HDF5 could not " + what + ": " +
                  Hdf5Call::reason() + "; make room there, or name another target");
  }

  void copy_target() {
    if (!before_.exists) return;
    std::error_code error;
    std::filesystem::copy_file(file().target(), file().temporary(),
                               std::filesystem::copy_options::overwrite_existing, error);
    if (error) file().fail(error.value());
  }

  /// Where the rows go.
  std::uint64_t make_dataset() {
    const char* const path = file().temporary().c_str();
    const Hdf5Handle access = hdf5_file_access();
    const bool add = before_.exists && before_.status.st_size > 0;
    if (add && H5Fis_hdf5(path) <= 0) {
      throw InputError("'" + settings().path.file +
                       "' is not an HDF5 file, so no dataset can be added; name another target");
    }
    Hdf5Handle hdf5(add ? H5Fopen(path, H5F_ACC_RDWR, access.id())
                        : H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access.id()),
                    H5Fclose);
    if (!hdf5.is_open()) fail_hdf5("open the file");
    if (is_there(hdf5)) {
      throw UsageError("'" + settings().path.file + "' has '" + dataset_ +
                       "' already; name another dataset, or another file");
    }
    const std::uint64_t begin = add_dataset(hdf5);
    if (!hdf5.close_now()) fail_hdf5("close the file");
    return begin;
  }

  /// Whether there is something of that name. Each part of a path must be, for the next to be
  /// asked.
  bool is_there(const Hdf5Handle& hdf5) const {
    for (std::size_t end = 0; end != std::string::npos;) {
      end = dataset_.find('/', end + 1);
      const std::string part = dataset_.substr(0, end);
      if (part == "/" || part.empty()) continue;
      if (H5Lexists(hdf5.id(), part.c_str(), H5P_DEFAULT) <= 0) return false;
    }
    return true;
  }

  std::uint64_t add_dataset(const Hdf5Handle& hdf5) const {
    const std::array<hsize_t, 2> sizes{*settings().rows, dimension()};
    const Hdf5Handle space(H5Screate_simple(2, sizes.data(), nullptr), H5Sclose);
    const Hdf5Handle type = hdf5_type(static_cast<StoredType>(element()));
    const Hdf5Handle links(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
    H5Pset_create_intermediate_group(links.id(), 1);
    const Hdf5Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    H5Pset_layout(creation.id(), H5D_CONTIGUOUS);
    H5Pset_alloc_time(creation.id(), H5D_ALLOC_TIME_EARLY);
    H5Pset_fill_time(creation.id(), H5D_FILL_TIME_NEVER);
    const Hdf5Handle dataset(H5Dcreate2(hdf5.id(), dataset_.c_str(), type.id(), space.id(),
                                        links.id(), creation.id(), H5P_DEFAULT),
                             H5Dclose);
    if (!dataset.is_open()) fail_hdf5("make the dataset");
    if (sizes[0] == 0) return 0;
    const haddr_t begin = H5Dget_offset(dataset.id());
    if (begin == HADDR_UNDEF) fail_hdf5("make room for the dataset");
    return begin;
  }

  /// What was added to the file meanwhile stays: the rows go into a copy of what it is now.
  bool may_commit() override {
    if (before_.is_same(FileState(file().target()))) return true;
    Hdf5Writer again(settings());
    const DataFile from(file().temporary());
    const std::size_t at_once = std::max<std::size_t>(1, kCopyBytes / row_bytes());
    std::vector<char> part(std::min<std::uint64_t>(at_once, rows()) * row_bytes());
    while (again.rows() < rows()) {
      const std::size_t count = std::min<std::uint64_t>(at_once, rows() - again.rows());
      from.read(begin_ + again.rows() * row_bytes(), count * row_bytes(), part.data());
      again.write_raw(count, part.data());
    }
    again.finish();
    return false;
  }

  std::string dataset_;
  FileState before_;
  std::uint64_t begin_ = 0;  ///< where the rows are in the file
};

}  // namespace

std::unique_ptr<VectorWriter> create_hdf5(const WriterSettings& settings) {
  if (!settings.rows) {
    throw UsageError("the number of rows must be known before '" + settings.name +
                     "' is written; write .npy instead");
  }
  if (settings.element == Element::kBool) {
    throw UsageError("'" + settings.name + "' cannot hold bool values; write .npy instead");
  }
  return std::make_unique<Hdf5Writer>(settings);
}

}  // namespace warpdex::vector
