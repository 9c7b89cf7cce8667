// The format of a file, by its path.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "warpdex/vector/data/element.hpp"

namespace warpdex::vector {

enum class FileFormat : std::uint8_t {
  kVecs,  ///< .fvecs, .bvecs, .ivecs: each row behind its dimension
  kBin,   ///< .fbin, .u8bin, .i8bin, .ibin: rows behind one header
  kNpy,
  kHdf5,
};

/// The parts of a path.
struct DataPath {
  std::string file;
  FileFormat format = FileFormat::kVecs;
  std::optional<Element> element;  ///< where the format holds one type only
  std::string dataset;             ///< HDF5's, where one is named
};

/// By the suffix, capitals or not. Throws UsageError, which lists the suffixes, for another.
DataPath parse_data_path(const std::string& path);

/// Which types of values are wanted in a file.
using SuitsElement = std::function<bool(Element)>;

/// "name a file that ends in .ivecs, .ibin or .npy": the suffixes of the formats that can hold a
/// type of those.
std::string suffix_advice(const SuitsElement& suits);

/// As above; the message lists the suffixes of suffix_advice() only.
DataPath parse_data_path(const std::string& path, const SuitsElement& suits);

/// The same, or nothing for an unknown suffix.
std::optional<DataPath> find_data_path(const std::string& path);

}  // namespace warpdex::vector
