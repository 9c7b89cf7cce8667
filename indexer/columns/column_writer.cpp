// Packs the keys of a column at one width.
#include "columns/column_writer.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <span>

#include "warpdex/core/error.hpp"
#include "warpdex/indexer/columns/column_view.hpp"

namespace warpdex {
namespace {

/// Appends a part, and zeros up to a multiple of 8 bytes.
template <class T>
void append_part(SectionWriter& to, std::span<const T> values) {
  to.append({reinterpret_cast<const std::uint8_t*>(values.data()), values.size_bytes()});
  constexpr std::uint8_t kZeros[8] = {};
  to.append({kZeros, (8 - to.size() % 8) % 8});
}

std::uint32_t width_for(std::uint64_t largest) {
  const auto bits = static_cast<std::uint32_t>(std::bit_width(largest));
  return bits <= 1 ? bits : std::bit_ceil(bits);
}

/// Sets base, step and width, so that all keys can be packed.
void choose_packing(std::span<const std::uint64_t> keys, bool is_keyword, ColumnHeader& header) {
  if (keys.empty()) return;
  const auto [least, largest] = std::ranges::minmax(keys);
  if (!is_keyword) {
    header.base = least;
    std::uint64_t step = 0;
    for (const std::uint64_t key : keys) {
      step = std::gcd(step, key - least);
      if (step == 1) break;
    }
    header.step = std::max<std::uint64_t>(step, 1);
  }
  header.width = width_for((largest - header.base) / header.step);
}

/// Appends packed values to bytes, the first one in the lowest bits.
class Packer {
 public:
  Packer(std::uint32_t width, std::uint64_t values) : width_(width) {
    bytes_.reserve((values * width + 7) / 8);
  }
  void add(std::uint64_t value) {
    if (width_ >= 8) {
      for (std::uint32_t i = 0; i < width_; i += 8) {
        bytes_.push_back(static_cast<std::uint8_t>(value >> i));
      }
      return;
    }
    if (width_ == 0) return;
    if (bits_ == 0) bytes_.push_back(0);
    bytes_.back() = static_cast<std::uint8_t>(bytes_.back() | value << bits_);
    bits_ = (bits_ + width_) % 8;
  }
  std::span<const std::uint8_t> bytes() const { return bytes_; }

 private:
  std::uint32_t width_;
  std::uint32_t bits_ = 0;  ///< used of the last byte; 0: all
  std::vector<std::uint8_t> bytes_;
};

}  // namespace

void ColumnWriter::add(const std::vector<FieldValue>& values) {
  if (values.size() > std::numeric_limits<std::uint32_t>::max() - keys_.size()) {
    throw InputError("a column holds at most 4294967295 values; split the collection");
  }
  for (const FieldValue& value : values) {
    if (type_ != FieldType::kKeyword) {
      keys_.push_back(key_of(value));
      continue;
    }
    const auto [known, is_new] =
        keywords_.try_emplace(std::get<std::string>(value), keywords_.size());
    if (is_new) keyword_bytes_ += known->first.size();
    keys_.push_back(known->second);
  }
  has_missing_ |= values.empty();
  has_several_ |= values.size() > 1;
  ends_.push_back(static_cast<std::uint32_t>(keys_.size()));
}

/// Returns the keywords in order; keys become their places in it.
std::vector<const std::string*> ColumnWriter::sort_keywords() {
  std::vector<const std::string*> sorted;
  for (const auto& [text, number] : keywords_) sorted.push_back(&text);
  std::ranges::sort(sorted, {},
                    [](const std::string* text) -> const std::string& { return *text; });
  std::vector<std::uint64_t> places(sorted.size());
  for (std::size_t i = 0; i < sorted.size(); ++i) places[keywords_.find(*sorted[i])->second] = i;
  for (std::uint64_t& key : keys_) key = places[key];
  return sorted;
}

void ColumnWriter::finish(SectionWriter& to) {
  const bool is_keyword = type_ == FieldType::kKeyword;
  std::vector<const std::string*> dictionary;
  if (is_keyword) dictionary = sort_keywords();
  ColumnHeader header;
  header.distinct = dictionary.size();
  header.form = static_cast<std::uint32_t>(has_several_   ? ColumnForm::kSeveral
                                           : has_missing_ ? ColumnForm::kSome
                                                          : ColumnForm::kOne);
  choose_packing(keys_, is_keyword, header);
  header.values = has_several_ ? keys_.size() : ends_.size();
  Packer packer(header.width, header.values);
  const auto pack = [&](std::uint64_t key) { packer.add((key - header.base) / header.step); };
  std::vector<std::uint64_t> present(has_missing_ && !has_several_ ? (ends_.size() + 63) / 64 : 0);
  if (has_several_) {
    std::ranges::for_each(keys_, pack);
  } else {
    for (std::size_t i = 0; i < ends_.size(); ++i) {
      const bool has_value = ends_[i] > (i == 0 ? 0 : ends_[i - 1]);
      has_value ? pack(keys_[ends_[i] - 1]) : packer.add(0);
      if (has_value && has_missing_) present[i / 64] |= std::uint64_t{1} << i % 64;
    }
  }
  to.append_value(header);
  append_part<std::uint64_t>(to, present);
  if (has_several_) {
    ends_.insert(ends_.begin(), 0);
    append_part<std::uint32_t>(to, ends_);
  }
  append_part(to, packer.bytes());
  if (!is_keyword) return;
  std::uint64_t offset = 0;
  to.append_value(offset);
  for (const std::string* text : dictionary) to.append_value(offset += text->size());
  for (const std::string* text : dictionary) {
    to.append({reinterpret_cast<const std::uint8_t*>(text->data()), text->size()});
  }
  append_part<std::uint8_t>(to, {});
}

std::uint64_t ColumnWriter::memory() const {
  constexpr std::uint64_t kKeyword = 80;  // of a hash table, without the text
  return keys_.capacity() * sizeof(std::uint64_t) + ends_.capacity() * sizeof(std::uint32_t) +
         keywords_.size() * kKeyword + keyword_bytes_;
}

ColumnsWriter::ColumnsWriter(SegmentFiles& files, const std::vector<Field>& columns) {
  for (const Field& field : columns) {
    sections_.push_back(std::make_unique<SectionWriter>(files, column_name(columns_.size())));
    columns_.emplace_back(field.type);
  }
}

void ColumnsWriter::add(const FieldValues& values) {
  if (values.size() != columns_.size()) {
    throw UsageError("a document came with values of " + std::to_string(values.size()) +
                     " columns, and the index has " + std::to_string(columns_.size()));
  }
  for (std::size_t i = 0; i < values.size(); ++i) columns_[i].add(values[i]);
  ++documents_;
}

void ColumnsWriter::finish() {
  for (std::size_t i = 0; i < columns_.size(); ++i) columns_[i].finish(*sections_[i]);
}

std::uint64_t ColumnsWriter::memory() const {
  constexpr std::uint64_t kBuffer = 1 << 18;
  std::uint64_t bytes = kBuffer * columns_.size();
  for (const ColumnWriter& column : columns_) bytes += column.memory();
  return bytes;
}

}  // namespace warpdex
