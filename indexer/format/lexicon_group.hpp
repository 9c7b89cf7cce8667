// Reads a group of the lexicon. Internal to lexicon.cpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "format/lexicon.hpp"
#include "format/varint.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex {

/// Walks one group: terms in order, each with its entry.
class LexiconView::GroupReader {
 public:
  /// O(1). Throws FormatError where the lexicon is damaged, as all do.
  GroupReader(const LexiconView& view, std::uint64_t group)
      : view_(view),
        cursor_(group_bytes(view, group)),
        number_(group * kLexiconGroup),
        has_positions_(view.positioned_->any()) {
    next_.short_offset = cursor_.varint();
    next_.docid_offset = cursor_.varint();
    next_.frequency_offset = cursor_.varint();
    next_.block = number(UINT32_MAX);
    next_.base = number(UINT32_MAX);
    next_.seed = number(UINT32_MAX);
    check(next_.short_offset, view.sections_->short_lists.size());
    check(next_.docid_offset, view.sections_->docids.size());
    check(next_.frequency_offset, view.sections_->frequencies.size());
    next_.position_start = next_.block;
    if (has_positions_) read_position_start();
  }

  /// Moves to the next term; false past the group's last.
  bool next() {
    if (cursor_.left() == 0) return false;
    const Text text = read_text(term_.size());
    term_.resize(text.shared);
    term_ += text.suffix;
    read_entry();
    return true;
  }

  /// Visits the texts of the group, as Index::pass_terms_of_group() says.
  void pass(const std::function<std::size_t(std::string_view)>& visit) {
    std::size_t size = 0;    // of the term before
    std::size_t passed = 0;  // above 0: what begins with so many bytes of it is passed over
    while (cursor_.left() > 0) {
      const Text text = read_text(size);
      size = text.shared + text.suffix.size();
      pass_entry();
      if (passed > 0 && text.shared >= passed) continue;
      term_.resize(text.shared);
      term_ += text.suffix;
      passed = visit(term_);
    }
  }

  /// Moves from the group's start to the entry of `term`; false if the group has none. term() is
  /// not made.
  bool seek(std::string_view term) {
    std::size_t size = 0;     // of the term before
    std::size_t matched = 0;  // how many of its first bytes are those of `term`; it comes earlier
    while (cursor_.left() > 0) {
      const Text text = read_text(size);
      size = text.shared + text.suffix.size();
      if (text.shared < matched) return false;  // it goes past the term where the last one did not
      if (text.shared == matched) {             // else it differs where the term before does
        const std::string_view rest = term.substr(matched);
        const auto [end, wanted] = std::ranges::mismatch(text.suffix, rest);
        const bool is_prefix = end == text.suffix.end();
        if (is_prefix && wanted == rest.end()) {
          read_entry();
          return true;
        }
        if (wanted == rest.end() || (!is_prefix && is_after(*end, *wanted))) return false;
        matched += static_cast<std::size_t>(end - text.suffix.begin());
      }
      pass_entry();
    }
    return false;
  }

  const std::string& term() const { return term_; }
  const PostingsEntry& entry() const { return entry_; }

  /// The first term of a group; none in one without terms.
  static std::optional<std::string_view> first_term(const LexiconView& view, std::uint64_t group) {
    ByteCursor cursor = group_bytes(view, group);
    const PositionedTexts& positioned = *view.positioned_;
    const int offsets =
        kGroupOffsets + (positioned.any() ? kPositionOffsets : 0) + (positioned.differ() ? 1 : 0);
    for (int offset = 0; offset < offsets; ++offset) cursor.varint();
    if (cursor.left() == 0) return std::nullopt;
    return read_text(cursor, 0).suffix;
  }

 private:
  [[noreturn]] static void damaged(const char* what) {
    throw FormatError(std::string("the lexicon is damaged (") + what +
                      "); restore the index or build it again");
  }

  static constexpr int kGroupOffsets = 6;       ///< numbers before a group's first term
  static constexpr int kPositionOffsets = 4;    ///< and more, of an index with positions
  static constexpr std::size_t kMarkBytes = 2;  ///< of a term that say its text

  /// Where the next list of each form starts, and its positions.
  struct Places {
    std::uint64_t short_offset = 0;
    std::uint64_t docid_offset = 0;
    std::uint64_t frequency_offset = 0;
    std::uint64_t block = 0;
    std::uint64_t base = 0;
    std::uint64_t seed = 0;
    std::uint64_t short_positions = 0;
    std::uint64_t positions = 0;
    std::uint64_t position_block = 0;
    std::uint64_t position_base = 0;
    std::uint64_t position_start = 0;
  };

  static bool is_after(char letter, char other) {
    return static_cast<unsigned char>(letter) > static_cast<unsigned char>(other);
  }

  static std::uint64_t blocks_of(std::uint64_t values) {
    return (values + kBlockSize - 1) / kBlockSize;
  }

  /// A term: so many bytes of the term before, and a suffix.
  struct Text {
    std::size_t shared;
    std::string_view suffix;
  };

  static ByteCursor group_bytes(const LexiconView& view, std::uint64_t group) {
    const auto& index = view.sections_->lexicon_index;
    const auto& lexicon = view.sections_->lexicon;
    const std::uint64_t begin = index[group];
    const std::uint64_t end = group + 1 < index.size() ? index[group + 1] : lexicon.size();
    if (begin >= end || end > lexicon.size()) damaged("a group's place");
    return {lexicon.data() + begin, lexicon.data() + end};
  }

  std::uint32_t number(std::uint64_t max) {
    const std::uint64_t value = cursor_.varint();
    if (value > max) damaged("a number is out of range");
    return static_cast<std::uint32_t>(value);
  }

  /// `before` is the size of the term before.
  static Text read_text(ByteCursor& cursor, std::size_t before) {
    const std::uint8_t lengths = cursor.byte();
    std::uint64_t shared = lengths & 0xF;
    std::uint64_t suffix = lengths >> 4;
    if (lengths == 0xFF) {
      shared = cursor.varint();
      suffix = cursor.varint();
    }
    if (shared > before) damaged("a term's prefix");
    return {shared, {reinterpret_cast<const char*>(cursor.take(suffix)), suffix}};
  }

  Text read_text(std::size_t before) {
    const Text text = read_text(cursor_, before);
    if (view_.positioned_->differ() && text.shared < kMarkBytes) find_field(text);
    return text;
  }

  /// Whether the term's list has positions, as its first bytes say.
  void find_field(const Text& text) {
    mark_.resize(text.shared);
    mark_ += text.suffix.substr(0, kMarkBytes - text.shared);
    has_positions_ = view_.positioned_->has_term(mark_);
  }

  void read_entry() {
    entry_ = PostingsEntry{};
    entry_.term_number = static_cast<std::uint32_t>(number_++);
    read_header();
    if (has_positions_) read_positions();
  }

  void read_position_start() {
    next_.short_positions = cursor_.varint();
    next_.positions = cursor_.varint();
    next_.position_block = number(UINT32_MAX);
    next_.position_base = number(UINT32_MAX);
    if (view_.positioned_->differ()) next_.position_start = number(UINT32_MAX);
    check(next_.short_positions, view_.sections_->short_positions.size());
    check(next_.positions, view_.sections_->positions.size());
  }

  /// Where the positions of the entry's occurrences are.
  void read_positions() {
    entry_.first_position_block = static_cast<std::uint32_t>(next_.position_block);
    entry_.first_position_base = static_cast<std::uint32_t>(next_.position_base);
    entry_.first_position_start = static_cast<std::uint32_t>(next_.position_start);
    if (!entry_.is_short()) {
      next_.position_start += blocks_of(entry_.document_frequency);
      check(next_.position_start, view_.sections_->position_starts.size());
    }
    if (entry_.is_single() && entry_.single_frequency == 1) {
      entry_.single_position = number(kMaxPositions);
      return;
    }
    const std::uint64_t first = cursor_.varint();
    if (first >> 1 > UINT32_MAX) damaged("the size of positions");
    entry_.position_bytes = static_cast<std::uint32_t>(first >> 1);
    const bool has_blocks = (first & 1) != 0;
    std::uint64_t& next = has_blocks ? next_.positions : next_.short_positions;
    entry_.position_offset = next;
    next += entry_.position_bytes;
    if (has_blocks) {
      read_position_blocks();
    } else {
      if (!entry_.is_short() || entry_.position_bytes == 0) damaged("the size of positions");
      check(next, view_.sections_->short_positions.size());
    }
  }

  void read_position_blocks() {
    const std::uint64_t occurrences =
        entry_.is_single() || !entry_.is_short() ? entry_.collection_frequency : cursor_.varint();
    if (occurrences < kBlockSize || occurrences > UINT32_MAX) damaged("a number of occurrences");
    entry_.occurrences = static_cast<std::uint32_t>(occurrences);
    next_.position_block += blocks_of(occurrences);
    next_.position_base += (blocks_of(occurrences) - 1) / kBlocksPerBase;
    check(next_.position_block, view_.sections_->position_codes.size());
    check(next_.position_base, view_.sections_->position_bases.size());
    check(next_.positions, view_.sections_->positions.size());
  }

  /// Past an entry of which nothing is wanted but where the lists behind it start.
  void pass_entry() {
    ++number_;
    const std::uint64_t first = cursor_.varint();
    if (first & 1) {
      pass_single(1 + (first >> 1 & 3));
      return;
    }
    const std::uint64_t documents = first >> 1;
    if (documents > view_.documents_ || documents < 2) damaged("a document frequency");
    if (documents < kBlockSize) {
      next_.short_offset += number(UINT32_MAX);  // so sums of a group do not overflow
      if (has_positions_) pass_positions(0);
      return;
    }
    const std::uint64_t occurrences = documents + cursor_.varint();
    pass_long(static_cast<std::uint32_t>(documents));
    if (has_positions_) {
      next_.position_start += blocks_of(documents);
      pass_positions(occurrences);
    }
  }

  void pass_single(std::uint64_t frequency) {
    if (frequency > kSmallFrequency) frequency += cursor_.varint();
    if (!has_positions_) return;
    if (frequency == 1) {
      cursor_.varint();  // its position
    } else {
      pass_positions(frequency);
    }
  }

  /// Past what follows the number of occurrences.
  void pass_long(std::uint32_t documents) {
    cursor_.take(2);
    next_.docid_offset += number(UINT32_MAX);
    next_.frequency_offset += number(UINT32_MAX);
    if (view_.has_tails_) {
      cursor_.varint();
      cursor_.varint();
    }
    if (is_frequent(documents, view_.documents_)) cursor_.varint();
    next_.block += blocks_of(documents);
    next_.base += (blocks_of(documents) - 1) / kBlocksPerBase;
    next_.seed += seed_count(documents);
  }

  /// `occurrences` is 0 of a short list: it says them itself where it has blocks.
  void pass_positions(std::uint64_t occurrences) {
    const std::uint64_t first = cursor_.varint();
    if (first >> 1 > UINT32_MAX) damaged("the size of positions");
    const bool has_blocks = (first & 1) != 0;
    (has_blocks ? next_.positions : next_.short_positions) += first >> 1;
    if (!has_blocks) return;
    if (occurrences == 0) occurrences = cursor_.varint();
    if (occurrences == 0 || occurrences > UINT32_MAX) damaged("a number of occurrences");
    next_.position_block += blocks_of(occurrences);
    next_.position_base += (blocks_of(occurrences) - 1) / kBlocksPerBase;
  }

  void read_header() {
    const std::uint64_t first = cursor_.varint();
    if (first & 1) {
      read_single(first);
      return;
    }
    if (first >> 1 > view_.documents_ || first < 4) damaged("a document frequency");
    entry_.document_frequency = static_cast<std::uint32_t>(first >> 1);
    if (entry_.is_short()) {
      entry_.short_offset = next_.short_offset;
      entry_.short_bytes = number(UINT32_MAX);
      next_.short_offset += entry_.short_bytes;
      check(next_.short_offset, view_.sections_->short_lists.size());
    } else {
      read_long();
    }
  }

  void read_single(std::uint64_t first) {
    entry_.document_frequency = 1;
    if (first >> 3 >= view_.documents_) damaged("a docID");
    entry_.single_document = static_cast<std::uint32_t>(first >> 3);
    entry_.single_frequency = 1 + static_cast<std::uint32_t>(first >> 1 & 3);
    if (entry_.single_frequency > kSmallFrequency) {
      entry_.single_frequency += number(UINT32_MAX - 1 - kSmallFrequency);
    }
    entry_.collection_frequency = entry_.single_frequency;
  }

  void read_long() {
    entry_.collection_frequency = entry_.document_frequency + cursor_.varint();
    entry_.docid_parameter = cursor_.byte();
    entry_.frequency_parameter = cursor_.byte();
    entry_.docid_bytes = number(UINT32_MAX);
    entry_.frequency_bytes = number(UINT32_MAX);
    if (view_.has_tails_) {
      entry_.docid_tail_bytes = number(entry_.docid_bytes);
      entry_.frequency_tail_bytes = number(entry_.frequency_bytes);
    }
    read_skip_data();
    entry_.docid_offset = next_.docid_offset;
    entry_.frequency_offset = next_.frequency_offset;
    entry_.first_block = static_cast<std::uint32_t>(next_.block);
    entry_.first_base = static_cast<std::uint32_t>(next_.base);
    next_.docid_offset += entry_.docid_bytes;
    next_.frequency_offset += entry_.frequency_bytes;
    next_.block += blocks_of(entry_.document_frequency);
    next_.base += (blocks_of(entry_.document_frequency) - 1) / kBlocksPerBase;
    check(next_.block, view_.sections_->block_last_docids.size());
    check(next_.base, view_.sections_->docid_bases.size());
    check(next_.docid_offset, view_.sections_->docids.size());
    check(next_.frequency_offset, view_.sections_->frequencies.size());
  }

  /// Where the list's seeds and range bounds are.
  void read_skip_data() {
    entry_.first_seed = static_cast<std::uint32_t>(next_.seed);
    next_.seed += seed_count(entry_.document_frequency);
    check(next_.seed, view_.sections_->seeds.size());
    if (!is_frequent(entry_.document_frequency, view_.documents_)) return;
    entry_.frequent_list = number(UINT32_MAX - 1);
    check((std::uint64_t{entry_.frequent_list} + 1) * range_count(view_.documents_),
          view_.sections_->range_bounds.size());
  }

  static void check(std::uint64_t end, std::uint64_t size) {
    if (end > size) damaged("a list lies outside of its section");
  }

  const LexiconView& view_;
  ByteCursor cursor_;
  std::uint64_t number_;  ///< of the next term
  bool has_positions_;    ///< the term, where texts differ; else all
  std::string mark_;      ///< where texts differ: the first bytes of the term
  Places next_;
  PostingsEntry entry_;
  std::string term_;
};

}  // namespace warpdex
