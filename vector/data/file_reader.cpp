#include "data/file_reader.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "data/value_checks.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/vector/data/half.hpp"

namespace warpdex::vector {
namespace {

constexpr std::size_t kPartBytes = std::size_t{1} << 20;

std::size_t words_for(std::size_t bytes) { return (bytes + 7) / 8; }

template <class T>
void widen(const void* values, std::size_t count, float* out) {
  const auto* const from = static_cast<const T*>(values);
  for (std::size_t i = 0; i < count; ++i) out[i] = static_cast<float>(from[i]);
}

}  // namespace

FileReader::FileReader(std::string name, Role role, std::unique_ptr<RowSource> source)
    : name_(std::move(name)), role_(role), source_(std::move(source)) {}

std::size_t FileReader::read(std::size_t rows, float* out) {
  if (!is_vector_element(element())) {
    throw InputError(
        "'" + name_ + "' holds " + std::string(element_name(element())) +
        " values, but vectors are of float, half, int8 or uint8; is it the right file?");
  }
  if (element() == Element::kFloat32) return read_raw(rows, out);
  const std::size_t count = std::min<std::uint64_t>(rows, this->rows() - next_);
  const std::size_t row_bytes = dimension() * element_bytes(element());
  const std::size_t at_once = std::max<std::size_t>(1, kPartBytes / row_bytes);
  for (std::size_t done = 0; done < count;) {
    const std::size_t part = std::min(at_once, count - done);
    const std::size_t values = part * dimension();
    part_.resize(words_for(part * row_bytes));
    load(part, part_.data());
    float* const to = out + done * dimension();
    if (element() == Element::kFloat16) {
      to_float({reinterpret_cast<const std::uint16_t*>(part_.data()), values}, to);
    } else if (element() == Element::kInt8) {
      widen<std::int8_t>(part_.data(), values, to);
    } else {
      widen<std::uint8_t>(part_.data(), values, to);
    }
    done += part;
  }
  return count;
}

std::size_t FileReader::read_raw(std::size_t rows, void* out) {
  const std::size_t count = std::min<std::uint64_t>(rows, this->rows() - next_);
  const std::size_t row_bytes = dimension() * element_bytes(element());
  const std::size_t at_once = std::max<std::size_t>(1, kPartBytes / row_bytes);
  for (std::size_t done = 0; done < count;) {
    const std::size_t part = std::min(at_once, count - done);
    load(part, static_cast<char*>(out) + done * row_bytes);
    done += part;
  }
  return count;
}

void FileReader::seek(std::uint64_t row) { next_ = std::min(row, rows()); }

void FileReader::load(std::size_t rows, void* out) {
  const StoredType type = source_->shape().type;
  const std::size_t values = rows * dimension();
  const bool is_element = type <= StoredType::kBool;
  if (!is_element) wide_.resize(words_for(values * stored_bytes(type)));
  source_->load(next_, rows, is_element ? out : wide_.data());
  if (!is_element) narrow(values, out);
  check(values, out);
  next_ += rows;
}

void FileReader::narrow(std::size_t values, void* out) {
  switch (source_->shape().type) {
    case StoredType::kFloat64:
      for (std::size_t i = 0; i < values; ++i) {
        double value = 0;
        std::memcpy(&value, &wide_[i], sizeof value);
        const auto narrowed = static_cast<float>(value);
        if (std::isinf(narrowed) && !std::isinf(value)) {
          throw InputError(place(i) + " is too large for a float; scale the vectors first");
        }
        static_cast<float*>(out)[i] = narrowed;
      }
      break;
    case StoredType::kUint32: {
      const auto* const from = reinterpret_cast<const std::uint32_t*>(wide_.data());
      std::copy_n(from, values, static_cast<std::int64_t*>(out));
      break;
    }
    default:
      for (std::size_t i = 0; i < values; ++i) {
        if (wide_[i] > std::numeric_limits<std::int64_t>::max()) {
          throw InputError(place(i) + " is past 2^63 - 1, the largest whole number that is read");
        }
        static_cast<std::int64_t*>(out)[i] = static_cast<std::int64_t>(wide_[i]);
      }
  }
}

void FileReader::check(std::size_t values, const void* loaded) const {
  const bool allow_infinite = role_ == Role::kDistances;
  std::size_t bad = values;
  if (element() == Element::kFloat32) {
    bad = find_not_finite(std::span(static_cast<const float*>(loaded), values), allow_infinite);
  } else if (element() == Element::kFloat16) {
    bad = find_not_finite(std::span(static_cast<const std::uint16_t*>(loaded), values),
                          allow_infinite);
  } else if (element() == Element::kBool) {
    bad = find_no_bool({static_cast<const std::uint8_t*>(loaded), values});
  }
  if (bad == values) return;
  if (element() == Element::kBool) throw InputError(place(bad) + " is neither true nor false");
  throw InputError(place(bad) + (allow_infinite ? " is not a number" : " is NaN or infinite") +
                   "; leave such rows out, or mend them");
}

std::string FileReader::place(std::size_t index) const {
  return "row " + std::to_string(next_ + index / dimension()) + ", column " +
         std::to_string(index % dimension()) + " of '" + name_ + "'";
}

/// Which values a file for that role may have.
SuitsElement suited(Role role) {
  switch (role) {
    case Role::kBase:
    case Role::kQueries: return is_vector_element;
    case Role::kNeighbors: return [](Element element) { return element == Element::kInt32; };
    case Role::kDistances: return [](Element element) { return element == Element::kFloat32; };
  }
  return [](Element) { return true; };
}

std::unique_ptr<VectorReader> open_vectors(const std::string& path, Role role) {
  const DataPath parsed = parse_data_path(path, suited(role));
  std::unique_ptr<RowSource> source;
  switch (parsed.format) {
    case FileFormat::kVecs: source = open_vecs(parsed, role); break;
    case FileFormat::kBin: source = open_bin(parsed, role); break;
    case FileFormat::kNpy: source = open_npy(parsed, role); break;
    case FileFormat::kHdf5: source = open_hdf5(parsed, role); break;
  }
  return std::make_unique<FileReader>(path, role, std::move(source));
}

}  // namespace warpdex::vector
