// Puts encoded lists into sections, and the sections into GPU memory.
#include "benchmarks/uploaded_lists.hpp"

#include <cstring>

namespace warpdex::tools {
namespace {

constexpr std::uint32_t kBaseGroup = 32;  ///< blocks that share a base, as in the index
constexpr std::size_t kAlignment = 256;

/// The next section's start, behind `size` bytes and their slack.
std::size_t behind(std::size_t start, std::size_t size) {
  return (start + size + kReadSlack + kAlignment - 1) / kAlignment * kAlignment;
}

template <typename T>
std::size_t bytes_of(const std::vector<T>& values) {
  return values.size() * sizeof(T);
}

template <typename T>
void put(const std::vector<T>& section, std::size_t at, std::vector<std::uint8_t>& image) {
  if (!section.empty()) std::memcpy(image.data() + at, section.data(), bytes_of(section));
}

}  // namespace

void UploadedLists::add(const CodecSettings& settings, const EncodedValues& encoded,
                        std::uint32_t count, std::span<const std::uint32_t> last_docids) {
  const std::size_t blocks = encoded.codes.size();
  starts_.push_back({settings, bytes_.size(), codes_.size(), bases_.size(), count,
                     encoded.offsets.back(), flat_tails_.size(), encoded.parameter});
  std::uint32_t base = 0;
  for (std::size_t i = 0; i < blocks; ++i) {
    if (i > 0 && i % kBaseGroup == 0) {
      base = encoded.offsets[i];
      bases_.push_back(base);
    }
    offsets_.push_back(static_cast<std::uint16_t>(encoded.offsets[i] - base));
    last_docids_.push_back(last_docids.empty() ? 0 : last_docids[i]);
  }
  codes_.insert(codes_.end(), encoded.codes.begin(), encoded.codes.end());
  bytes_.insert(bytes_.end(), encoded.bytes.begin(), encoded.bytes.end());
  if (settings.kind == CodecKind::kPfor) add_exceptions(settings, encoded, count);
}

void UploadedLists::add_exceptions(const CodecSettings& settings, const EncodedValues& encoded,
                                   std::uint32_t count) {
  std::vector<std::uint8_t> bytes = encoded.bytes;
  bytes.resize(bytes.size() + kReadSlack);
  const std::size_t block = exceptions_.size();
  const std::size_t base = exception_bases_.size();
  exceptions_.resize(codes_.size());
  exception_bases_.resize(bases_.size());
  const std::vector<std::uint8_t> flat = make_exception_table(
      {settings, encoded.parameter, count, bytes.data(), bytes.data() + encoded.bytes.size()},
      encoded.offsets.back(), std::span(exceptions_).subspan(block),
      std::span(exception_bases_).subspan(base));
  flat_tails_.insert(flat_tails_.end(), flat.begin(), flat.end());
}

std::size_t UploadedLists::bytes() const {
  return bytes_of(bytes_) + bytes_of(offsets_) + bytes_of(bases_) + bytes_of(codes_) +
         bytes_of(last_docids_) + bytes_of(exceptions_) + bytes_of(exception_bases_);
}

UploadedLists::Layout UploadedLists::layout() const {
  Layout at{};
  at.bases = behind(at.offsets, bytes_of(offsets_));
  at.codes = behind(at.bases, bytes_of(bases_));
  at.last_docids = behind(at.codes, bytes_of(codes_));
  at.exceptions = behind(at.last_docids, bytes_of(last_docids_));
  at.exception_bases = behind(at.exceptions, bytes_of(exceptions_));
  at.flat_tails = behind(at.exception_bases, bytes_of(exception_bases_));
  at.bytes = behind(at.flat_tails, bytes_of(flat_tails_));
  at.size = behind(at.bytes, bytes_of(bytes_));
  return at;
}

UploadedList UploadedLists::placed(const Start& start, const Layout& at,
                                   const std::uint8_t* copy) const {
  UploadedList list;
  list.values.bytes = copy + at.bytes + start.bytes;
  list.values.offsets = reinterpret_cast<const std::uint16_t*>(copy + at.offsets) + start.block;
  list.values.bases = reinterpret_cast<const std::uint32_t*>(copy + at.bases) + start.base;
  list.values.codes = copy + at.codes + start.block;
  list.values.exceptions =
      reinterpret_cast<const ExceptionEntry*>(copy + at.exceptions) + start.block;
  list.values.exception_bases =
      reinterpret_cast<const ExceptionBase*>(copy + at.exception_bases) + start.base;
  list.values.count = start.count;
  list.values.tail = list.values.bytes + start.tail_offset;
  list.values.parameter = start.parameter;
  list.values.levels = start.settings.pfor_levels;
  if (start.settings.kind == CodecKind::kPfor && start.settings.pfor_levels > 1) {
    list.values.tail = copy + at.flat_tails + start.flat_tail;
    list.values.levels = 1;
  }
  list.last_docids = reinterpret_cast<const std::uint32_t*>(copy + at.last_docids) + start.block;
  return list;
}

void UploadedLists::upload(std::size_t copies, const Stream& stream) {
  const Layout at = layout();
  std::vector<std::uint8_t> image(at.bytes + bytes_.size() + kReadSlack);
  put(bytes_, at.bytes, image);
  put(offsets_, at.offsets, image);
  put(bases_, at.bases, image);
  put(codes_, at.codes, image);
  put(last_docids_, at.last_docids, image);
  put(exceptions_, at.exceptions, image);
  put(exception_bases_, at.exception_bases, image);
  put(flat_tails_, at.flat_tails, image);
  // Memory ends with the last copy's slack, so that tools see who reads past it.
  buffer_ = DeviceBuffer(at.size * (copies - 1) + image.size(), stream.device());
  std::vector<UploadedList> lists;
  lists.reserve(copies * starts_.size());
  for (std::size_t copy = 0; copy < copies; ++copy) {
    buffer_.upload(image, stream, copy * at.size);
    const auto* start = static_cast<const std::uint8_t*>(buffer_.data()) + copy * at.size;
    for (const Start& list : starts_) lists.push_back(placed(list, at, start));
  }
  lists_ = DeviceArray<UploadedList>(lists.size(), stream.device());
  lists_.upload(lists, stream);
  stream.synchronize();
}

}  // namespace warpdex::tools
