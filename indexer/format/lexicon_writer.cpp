// Writes groups of terms.
#include <algorithm>

#include "format/lexicon.hpp"
#include "format/varint.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex {
namespace {

/// Both lengths below this share one byte.
constexpr std::size_t kSmallLength = 15;

void append_text(std::vector<std::uint8_t>& bytes, std::string_view before, std::string_view term) {
  const auto limit = std::min(before.size(), term.size());
  std::size_t shared = 0;
  while (shared < limit && before[shared] == term[shared]) ++shared;
  const std::size_t suffix = term.size() - shared;
  if (shared < kSmallLength && suffix < kSmallLength) {
    bytes.push_back(static_cast<std::uint8_t>(shared | suffix << 4));
  } else {
    bytes.push_back(0xFF);
    append_varint(bytes, shared);
    append_varint(bytes, suffix);
  }
  bytes.insert(bytes.end(), term.begin() + static_cast<std::ptrdiff_t>(shared), term.end());
}

void append_list_header(std::vector<std::uint8_t>& bytes, const PostingsEntry& entry) {
  if (entry.is_single()) {
    const std::uint32_t code = std::min(entry.single_frequency - 1, kSmallFrequency);
    append_varint(bytes, std::uint64_t{entry.single_document} << 3 | code << 1 | 1);
    if (code == kSmallFrequency) {
      append_varint(bytes, entry.single_frequency - 1 - kSmallFrequency);
    }
    return;
  }
  append_varint(bytes, std::uint64_t{entry.document_frequency} << 1);
  if (entry.is_short()) {
    append_varint(bytes, entry.short_bytes);
    return;
  }
  append_varint(bytes, entry.collection_frequency - entry.document_frequency);
  bytes.push_back(entry.docid_parameter);
  bytes.push_back(entry.frequency_parameter);
  append_varint(bytes, entry.docid_bytes);
  append_varint(bytes, entry.frequency_bytes);
}

void append_positions(std::vector<std::uint8_t>& bytes, const PostingsEntry& entry) {
  if (entry.is_single() && entry.single_frequency == 1) {
    append_varint(bytes, entry.single_position);
    return;
  }
  const bool has_blocks = entry.occurrences != 0;
  append_varint(bytes, std::uint64_t{entry.position_bytes} << 1 | (has_blocks ? 1 : 0));
  if (has_blocks && entry.is_short() && !entry.is_single()) {
    append_varint(bytes, entry.occurrences);
  }
}

}  // namespace

void LexiconWriter::add(std::string_view term, const PostingsEntry& entry) {
  if (terms_ > 0 && term <= last_term_) {
    throw UsageError("posting lists must be added in ascending order of their terms");
  }
  bytes_.clear();
  const bool opens_group = terms_ % kLexiconGroup == 0;
  if (opens_group) {
    index_.append_value(lexicon_.size());
    append_varint(bytes_, entry.short_offset);
    append_varint(bytes_, entry.docid_offset);
    append_varint(bytes_, entry.frequency_offset);
    append_varint(bytes_, entry.first_block);
    append_varint(bytes_, entry.first_base);
    append_varint(bytes_, entry.first_seed);
    if (positioned_.any()) {
      append_varint(bytes_, short_positions_);
      append_varint(bytes_, positions_);
      append_varint(bytes_, entry.first_position_block);
      append_varint(bytes_, entry.first_position_base);
    }
    if (positioned_.differ()) append_varint(bytes_, entry.first_position_start);
  }
  const std::size_t before = bytes_.size();
  append_text(bytes_, opens_group ? std::string_view() : last_term_, term);
  text_bytes_ += bytes_.size() - before;
  append_list_header(bytes_, entry);
  if (has_tails_ && !entry.is_short()) {
    append_varint(bytes_, entry.docid_tail_bytes);
    append_varint(bytes_, entry.frequency_tail_bytes);
  }
  if (entry.frequent_list != PostingsEntry::kNotFrequent) {
    append_varint(bytes_, entry.frequent_list);
  }
  if (positioned_.has_term(term)) {
    append_positions(bytes_, entry);
    (entry.occurrences != 0 ? positions_ : short_positions_) += entry.position_bytes;
  }
  lexicon_.append(bytes_);
  last_term_ = term;
  ++terms_;
}

}  // namespace warpdex
