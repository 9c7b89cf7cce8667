// Unpacks the block of a document, and reads its fields.
#include <limits>

#include "format/stored_blocks.hpp"
#include "format/varint.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/indexer/format/stored_fields.hpp"

namespace warpdex {
namespace {

/// The highest ratio that zstd reaches. A frame that claims more is damaged, and could take all
/// memory.
constexpr std::uint64_t kMaxRatio = 40'000;
constexpr std::uint64_t kMinLimit = 1 << 16;

[[noreturn]] void damaged_record() {
  throw FormatError("a stored document is damaged; restore the index or build it again");
}

}  // namespace

std::string encode_stored(const StoredValues& values) {
  std::vector<std::uint8_t> sizes;
  std::uint64_t bytes = 0;
  for (const auto& value : values) {
    append_varint(sizes, value ? value->size() + 1 : 0);
    bytes += value ? value->size() : 0;
  }
  std::vector<std::uint8_t> head;
  append_varint(head, sizes.size() + bytes);
  head.insert(head.end(), sizes.begin(), sizes.end());
  if (bytes > std::uint64_t{std::numeric_limits<std::int32_t>::max()} - head.size()) {
    throw InputError("its stored fields take 2 GiB or more; store fewer, or split it");
  }
  std::string record(head.begin(), head.end());
  record.reserve(head.size() + bytes);
  for (const auto& value : values) {
    if (value) record += *value;
  }
  return record;
}

StoredValues decode_stored(std::string_view record, std::size_t fields) try {
  const auto* const begin = reinterpret_cast<const std::uint8_t*>(record.data());
  ByteCursor cursor{begin, begin + record.size()};
  if (cursor.varint() != cursor.left()) damaged_record();
  std::vector<std::uint64_t> sizes(fields);
  for (std::uint64_t& size : sizes) size = cursor.varint();
  StoredValues values(fields);
  for (std::size_t i = 0; i < fields; ++i) {
    if (sizes[i] == 0) continue;
    const std::uint64_t size = sizes[i] - 1;
    values[i].emplace(reinterpret_cast<const char*>(cursor.take(size)), size);
  }
  if (cursor.left() != 0) damaged_record();
  return values;
} catch (const FormatError&) {
  damaged_record();
}

StoredBlocks::StoredBlocks(const Index& index) : index_(index), context_(ZSTD_createDCtx()) {
  const auto dictionary = index.sections().stored_dictionary;
  if (!dictionary.empty()) {
    dictionary_.reset(ZSTD_createDDict(dictionary.data(), dictionary.size()));
  }
  if (!context_ || (!dictionary.empty() && !dictionary_)) damaged();
}

void StoredBlocks::damaged() const {
  throw FormatError("the stored documents of the index '" + index_.folder().string() +
                    "' are damaged; restore it or build it again");
}

void StoredBlocks::unpack(std::uint32_t block) {
  const IndexSections& sections = index_.sections();
  const auto table = sections.stored_block_table;
  const std::uint64_t begin = table[block].offset;
  const std::uint64_t end =
      block + 1 < table.size() ? table[block + 1].offset : sections.stored_blocks.size();
  if (begin > end || end > sections.stored_blocks.size()) damaged();
  const std::uint64_t size = table[block].bytes;
  const auto packed = sections.stored_blocks.subspan(begin, end - begin);
  if (size > kMinLimit + kMaxRatio * packed.size() ||
      ZSTD_getFrameContentSize(packed.data(), packed.size()) != size) {
    damaged();
  }
  unpacked_ = ~std::uint64_t{0};
  bytes_.resize(size);
  const std::size_t result =
      ZSTD_decompress_usingDDict(context_.get(), bytes_.data(), bytes_.size(), packed.data(),
                                 packed.size(), dictionary_.get());
  if (ZSTD_isError(result) != 0 || result != size) damaged();
  unpacked_ = block;
}

std::string_view StoredBlocks::record(std::uint32_t document) {
  const IndexSections& sections = index_.sections();
  const std::uint32_t block = sections.stored_block_numbers[document];
  if (block >= sections.stored_block_table.size()) damaged();
  const std::uint32_t first = sections.stored_block_table[block].first_document;
  if (first > document) damaged();
  if (unpacked_ != block) unpack(block);
  const auto* const begin = reinterpret_cast<const std::uint8_t*>(bytes_.data());
  try {
    ByteCursor cursor{begin, begin + bytes_.size()};
    for (std::uint32_t i = first; i < document; ++i) cursor.take(cursor.varint());
    const auto* const record = reinterpret_cast<const char*>(cursor.next);
    cursor.take(cursor.varint());
    return {record, reinterpret_cast<const char*>(cursor.next)};
  } catch (const FormatError&) {
    damaged();
  }
}

struct StoredReader::State {
  Snapshot snapshot;
  std::vector<std::unique_ptr<StoredBlocks>> segments;  ///< made when they are asked first
};

StoredReader::StoredReader(const Snapshot& snapshot) {
  if (snapshot.settings().stored_fields.empty()) {
    throw UsageError("the index '" + snapshot.folder().string() +
                     "' stores no fields of its documents; name fields to store when it is built, "
                     "as by 'warpdex index --store'");
  }
  state_ = std::make_unique<State>(State{snapshot, {}});
  state_->segments.resize(snapshot.segments().size());
}

StoredReader::~StoredReader() = default;
StoredReader::StoredReader(StoredReader&&) noexcept = default;
StoredReader& StoredReader::operator=(StoredReader&&) noexcept = default;

StoredValues StoredReader::read(std::uint32_t document) {
  const Snapshot& snapshot = state_->snapshot;
  const std::size_t place = snapshot.segment_of(document);
  const Snapshot::Segment& segment = snapshot.segments()[place];
  std::unique_ptr<StoredBlocks>& blocks = state_->segments[place];
  if (!blocks) blocks = std::make_unique<StoredBlocks>(*segment.index);
  return decode_stored(blocks->record(document - segment.first_document),
                       snapshot.settings().stored_fields.size());
}

}  // namespace warpdex
