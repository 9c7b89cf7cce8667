// Finds terms by a binary search over the groups.
#include "format/lexicon.hpp"

#include <algorithm>

#include "format/varint.hpp"

namespace warpdex {
namespace {

[[noreturn]] void damaged(const char* what) {
  throw FormatError(std::string("the lexicon is damaged (") + what +
                    "); restore the index or build it again");
}

}  // namespace

/// Walks one group: terms in order, each with its entry.
class LexiconView::GroupReader {
 public:
  GroupReader(const LexiconView& view, std::uint64_t group)
      : view_(view), cursor_(group_bytes(view, group)), number_(group * kLexiconGroup) {
    next_.short_offset = cursor_.varint();
    next_.docid_offset = cursor_.varint();
    next_.frequency_offset = cursor_.varint();
    next_.first_block = number(UINT32_MAX);
    next_.first_base = number(UINT32_MAX);
    next_.first_seed = number(UINT32_MAX);
    check(next_.short_offset, view.sections_->short_lists.size());
    check(next_.docid_offset, view.sections_->docids.size());
    check(next_.frequency_offset, view.sections_->frequencies.size());
    if (view.has_positions_) read_position_start();
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
      skip_header();
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
      read_entry();
      if (text.shared > matched) continue;  // it differs where the term before does
      const std::string_view rest = term.substr(text.shared);
      const int order = text.suffix.compare(rest);
      if (order == 0) return true;
      if (order > 0) return false;
      const auto [end, unused] = std::ranges::mismatch(text.suffix, rest);
      matched = text.shared + static_cast<std::size_t>(end - text.suffix.begin());
    }
    return false;
  }

  const std::string& term() const { return term_; }
  const PostingsEntry& entry() const { return entry_; }

  /// The first term of a group; none in one without terms.
  static std::optional<std::string_view> first_term(const LexiconView& view, std::uint64_t group) {
    ByteCursor cursor = group_bytes(view, group);
    const int offsets = kGroupOffsets + (view.has_positions_ ? kPositionOffsets : 0);
    for (int offset = 0; offset < offsets; ++offset) cursor.varint();
    if (cursor.left() == 0) return std::nullopt;
    return read_text(cursor, 0).suffix;
  }

 private:
  static constexpr int kGroupOffsets = 6;     ///< numbers before a group's first term
  static constexpr int kPositionOffsets = 4;  ///< and more, of an index with positions

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

  Text read_text(std::size_t before) { return read_text(cursor_, before); }

  void read_entry() {
    entry_ = PostingsEntry{};
    entry_.term_number = static_cast<std::uint32_t>(number_++);
    read_header();
    if (view_.has_positions_) read_positions();
  }

  void read_position_start() {
    short_positions_ = cursor_.varint();
    positions_ = cursor_.varint();
    next_.first_position_block = number(UINT32_MAX);
    next_.first_position_base = number(UINT32_MAX);
    check(short_positions_, view_.sections_->short_positions.size());
    check(positions_, view_.sections_->positions.size());
  }

  /// Where the positions of the entry's occurrences are.
  void read_positions() {
    entry_.first_position_block = next_.first_position_block;
    entry_.first_position_base = next_.first_position_base;
    if (entry_.is_single() && entry_.single_frequency == 1) {
      entry_.single_position = number(kMaxPositions);
      return;
    }
    const std::uint64_t first = cursor_.varint();
    if (first >> 1 > UINT32_MAX) damaged("the size of positions");
    entry_.position_bytes = static_cast<std::uint32_t>(first >> 1);
    const bool has_blocks = (first & 1) != 0;
    std::uint64_t& next = has_blocks ? positions_ : short_positions_;
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
    const std::uint64_t blocks = (occurrences + kBlockSize - 1) / kBlockSize;
    const std::uint64_t bases = (blocks - 1) / kBlocksPerBase;
    check(next_.first_position_block + blocks, view_.sections_->position_codes.size());
    check(next_.first_position_base + bases, view_.sections_->position_bases.size());
    check(positions_, view_.sections_->positions.size());
    next_.first_position_block += static_cast<std::uint32_t>(blocks);
    next_.first_position_base += static_cast<std::uint32_t>(bases);
  }

  /// Past a header of which nothing is wanted.
  void skip_header() {
    const std::uint64_t first = cursor_.varint();
    if (first & 1) {
      const std::uint64_t occurrences = first >> 1 & 3;  // less one
      if (occurrences == kSmallFrequency) cursor_.varint();
      if (view_.has_positions_) skip_positions(occurrences == 0, false);
      return;
    }
    if (first >> 1 > view_.documents_ || first < 4) damaged("a document frequency");
    PostingsEntry entry;
    entry.document_frequency = static_cast<std::uint32_t>(first >> 1);
    cursor_.varint();
    if (!entry.is_short()) {
      cursor_.take(2);
      int numbers = view_.has_tails_ ? 4 : 2;
      if (is_frequent(entry.document_frequency, view_.documents_)) ++numbers;
      for (; numbers > 0; --numbers) cursor_.varint();
    }
    if (view_.has_positions_) skip_positions(false, entry.is_short());
  }

  /// `is_short`: several documents, but fewer than a block.
  void skip_positions(bool is_one_position, bool is_short) {
    const std::uint64_t first = cursor_.varint();
    const bool has_blocks = !is_one_position && (first & 1) != 0;
    if (has_blocks && is_short) cursor_.varint();
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
    entry_.first_block = next_.first_block;
    entry_.first_base = next_.first_base;
    const std::uint64_t blocks =
        (std::uint64_t{entry_.document_frequency} + kBlockSize - 1) / kBlockSize;
    const std::uint64_t bases = (blocks - 1) / kBlocksPerBase;
    check(entry_.first_block + blocks, view_.sections_->block_last_docids.size());
    check(entry_.first_base + bases, view_.sections_->docid_bases.size());
    next_.docid_offset += entry_.docid_bytes;
    next_.frequency_offset += entry_.frequency_bytes;
    next_.first_block += static_cast<std::uint32_t>(blocks);
    next_.first_base += static_cast<std::uint32_t>(bases);
    check(next_.docid_offset, view_.sections_->docids.size());
    check(next_.frequency_offset, view_.sections_->frequencies.size());
  }

  /// Where the list's seeds and range bounds are.
  void read_skip_data() {
    const std::uint32_t seeds = seed_count(entry_.document_frequency);
    entry_.first_seed = next_.first_seed;
    check(std::uint64_t{entry_.first_seed} + seeds, view_.sections_->seeds.size());
    next_.first_seed += seeds;
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
  std::uint64_t number_;               ///< of the next term
  PostingsEntry next_;                 ///< where the next list of each form starts
  std::uint64_t short_positions_ = 0;  ///< where the next positions of each form start
  std::uint64_t positions_ = 0;
  PostingsEntry entry_;
  std::string term_;
};

std::uint64_t LexiconView::group_of(std::string_view term, std::uint64_t from) const {
  const std::uint64_t groups = sections_->lexicon_index.size();
  const auto is_past = [&](std::uint64_t group) {
    const std::optional<std::string_view> first = GroupReader::first_term(*this, group);
    return !first || *first > term;
  };
  std::uint64_t low = from;                            // the wanted group is in [low, high)
  std::uint64_t high = from == 0 ? groups : from + 1;  // who goes on is mostly close to it
  for (std::uint64_t step = 1; high < groups && !is_past(high); step *= 2) {
    low = high;
    high = std::min(groups, low + step);
  }
  while (high - low > 1) {
    const std::uint64_t middle = low + (high - low) / 2;
    (is_past(middle) ? high : low) = middle;
  }
  return low;
}

std::optional<PostingsEntry> LexiconView::find(std::string_view term) const {
  if (sections_->lexicon_index.size() == 0) return std::nullopt;
  GroupReader reader(*this, group_of(term, 0));
  if (!reader.seek(term)) return std::nullopt;
  return reader.entry();
}

void LexiconView::for_each(
    const std::function<void(std::string_view, const PostingsEntry&)>& visit) const {
  for (std::uint64_t group = 0; group < sections_->lexicon_index.size(); ++group) {
    for_each_of_group(group, visit);
  }
}

void LexiconView::for_each_of_group(
    std::uint64_t group,
    const std::function<void(std::string_view, const PostingsEntry&)>& visit) const {
  GroupReader reader(*this, group);
  while (reader.next()) visit(reader.term(), reader.entry());
}

void LexiconView::pass_group(std::uint64_t group,
                             const std::function<std::size_t(std::string_view)>& visit) const {
  GroupReader(*this, group).pass(visit);
}

}  // namespace warpdex
