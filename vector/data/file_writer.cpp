#include "data/file_writer.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "data/npy_header.hpp"
#include "data/row_source.hpp"
#include "data/value_checks.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/vector/data/half.hpp"

namespace warpdex::vector {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 20;

/// Each row behind its dimension.
class VecsWriter final : public FileWriter {
 public:
  explicit VecsWriter(const WriterSettings& settings) : FileWriter(settings) {
    if (settings.rows == 0) refuse_no_rows();
    reserve(settings.rows.value_or(0) * sizeof(std::int32_t));
  }

 private:
  [[noreturn]] void refuse_no_rows() const {
    throw UsageError("'" + settings().name +
                     "' cannot be written without rows, as their dimension would be lost; write "
                     ".npy instead");
  }

  void complete() override {
    if (rows() == 0) refuse_no_rows();
  }

  void append_rows(std::size_t rows, const char* values) override {
    const auto prefix = static_cast<std::int32_t>(dimension());
    for (std::size_t i = 0; i < rows; ++i) {
      append(&prefix, sizeof prefix);
      append(values + i * row_bytes(), row_bytes());
    }
  }
};

/// Rows behind a header, which names their number: it is written first where that is known.
template <class Header>
class HeaderWriter final : public FileWriter {
 public:
  HeaderWriter(const WriterSettings& settings, const Header& header)
      : FileWriter(settings), header_(header) {
    const std::string bytes = header_(settings.rows.value_or(0));
    reserve(bytes.size());
    append(bytes.data(), bytes.size());
  }

 private:
  void complete() override {
    if (settings().rows) return;
    const std::string bytes = header_(rows());
    file().write_at(0, bytes.data(), bytes.size());
  }

  Header header_;
};

std::string bin_header(const WriterSettings& settings, std::uint64_t rows) {
  if (rows > std::numeric_limits<std::uint32_t>::max()) {
    throw UsageError("'" + settings.name + "' cannot hold " + std::to_string(rows) +
                     " rows: its header has 32 bits for their number; write .npy or .hdf5");
  }
  const std::array<std::uint32_t, 2> header{static_cast<std::uint32_t>(rows),
                                            static_cast<std::uint32_t>(settings.dimension)};
  return {reinterpret_cast<const char*>(header.data()), sizeof header};
}

void check_settings(const WriterSettings& settings) {
  const auto& [name, path, element, dimension, rows, role] = settings;
  if (path.element && path.element != element) {
    throw UsageError("'" + name + "' cannot hold " + std::string(element_name(element)) +
                     " values: its format has " + std::string(element_name(*path.element)) +
                     " only; " + advice_to_write(element));
  }
  if (dimension == 0 || dimension > kMaxNeighbors) {
    throw UsageError("rows have from 1 to " + std::to_string(kMaxNeighbors) + " values, not " +
                     std::to_string(dimension) + "; '" + name + "' is not written");
  }
}

}  // namespace

FileWriter::FileWriter(WriterSettings settings)
    : settings_(std::move(settings)), file_(settings_.path.file) {}

void FileWriter::reserve(std::uint64_t before) {
  if (settings_.rows) file_.reserve(total_bytes(*settings_.rows, row_bytes(), before));
}

void FileWriter::append(const void* bytes, std::size_t size) {
  if (size >= kBufferBytes) {
    flush();
    file_.append(bytes, size);
    return;
  }
  const auto* const from = static_cast<const char*>(bytes);
  buffer_.insert(buffer_.end(), from, from + size);
  if (buffer_.size() >= kBufferBytes) flush();
}

void FileWriter::flush() {
  file_.append(buffer_.data(), buffer_.size());
  buffer_.clear();
}

void FileWriter::write_raw(std::size_t rows, const void* values) {
  if (rows == 0) return;
  append_rows(rows, static_cast<const char*>(values));
  rows_ += rows;
}

void FileWriter::write_through() {
  if (is_written_) return;
  if (settings_.rows && *settings_.rows != rows_) {
    throw UsageError("'" + settings_.name + "' was to have " + std::to_string(*settings_.rows) +
                     " rows, but " + std::to_string(rows_) + " were written");
  }
  flush();
  complete();
  file_.write_through();
  is_written_ = true;
}

void FileWriter::finish() {
  write_through();
  if (may_commit()) file_.commit();
}

void VectorWriter::write(std::size_t rows, const float* values) {
  if (element() == Element::kFloat32) return write_raw(rows, values);
  if (element() != Element::kFloat16) {
    throw UsageError("floats cannot be written as " + std::string(element_name(element())) +
                     " values; convert them first");
  }
  const std::size_t at_once = std::max<std::size_t>(1, kBufferBytes / dimension());
  std::vector<std::uint16_t> halves;
  for (std::size_t done = 0; done < rows;) {
    const std::size_t part = std::min(at_once, rows - done);
    const std::span from(values + done * dimension(), part * dimension());
    halves.resize(from.size());
    to_half(from, halves.data());
    for (std::size_t i = 0; i < from.size(); ++i) {
      if (is_finite_half(halves[i]) || !std::isfinite(from[i])) continue;
      throw InputError("row " + std::to_string(this->rows() + i / dimension()) + ", column " +
                       std::to_string(i % dimension()) +
                       " is past 65504, the largest half; write floats, or scale the vectors");
    }
    write_raw(part, halves.data());
    done += part;
  }
}

std::unique_ptr<VectorWriter> create_vecs(const WriterSettings& settings) {
  return std::make_unique<VecsWriter>(settings);
}

std::unique_ptr<VectorWriter> create_bin(const WriterSettings& settings) {
  const auto header = [settings](std::uint64_t rows) { return bin_header(settings, rows); };
  return std::make_unique<HeaderWriter<decltype(header)>>(settings, header);
}

std::unique_ptr<VectorWriter> create_npy(const WriterSettings& settings) {
  const auto header = [settings](std::uint64_t rows) {
    return npy_header_bytes(settings.element, rows, settings.dimension);
  };
  return std::make_unique<HeaderWriter<decltype(header)>>(settings, header);
}

std::unique_ptr<VectorWriter> create_vectors(const std::string& path, Element element,
                                             std::size_t dimension,
                                             std::optional<std::uint64_t> rows, Role role) {
  const auto suits = [&](Element own) { return own == element; };
  const WriterSettings settings{path, parse_data_path(path, suits), element, dimension, rows, role};
  check_settings(settings);
  switch (settings.path.format) {
    case FileFormat::kVecs: return create_vecs(settings);
    case FileFormat::kBin: return create_bin(settings);
    case FileFormat::kNpy: return create_npy(settings);
    case FileFormat::kHdf5: return create_hdf5(settings);
  }
  throw UsageError("there is no such format of vectors");
}

}  // namespace warpdex::vector
