// Writes groups of terms, and finds terms by a binary search over the groups.
#include "format/lexicon.hpp"

#include <algorithm>

#include "format/varint.hpp"

namespace warpdex {
namespace {

/// Both lengths below this share one byte.
constexpr std::size_t kSmallLength = 15;
/// A single posting's frequency up to this is held in the first number itself.
constexpr std::uint32_t kSmallFrequency = 3;

[[noreturn]] void damaged(const char* what) {
  throw FormatError(std::string("the lexicon is damaged (") + what +
                    "); restore the index or build it again");
}

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
  lexicon_.append(bytes_);
  last_term_ = term;
  ++terms_;
}

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
    std::size_t size = 0;  // of the term before
    std::size_t passed =
        0;  // what begins with so many bytes of the term before is passed over; or 0
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
    for (int offset = 0; offset < kGroupOffsets; ++offset) cursor.varint();
    if (cursor.left() == 0) return std::nullopt;
    return read_text(cursor, 0).suffix;
  }

 private:
  static constexpr int kGroupOffsets = 6;  ///< numbers before a group's first term

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
  }

  /// Past a header of which nothing is wanted.
  void skip_header() {
    const std::uint64_t first = cursor_.varint();
    if (first & 1) {
      if ((first >> 1 & 3) == kSmallFrequency) cursor_.varint();
      return;
    }
    const std::uint64_t documents = first >> 1;
    if (documents > view_.documents_ || first < 4) damaged("a document frequency");
    PostingsEntry entry;
    entry.document_frequency = static_cast<std::uint32_t>(documents);
    if (entry.is_short()) {
      cursor_.varint();
      return;
    }
    cursor_.varint();
    cursor_.take(2);
    int numbers = view_.has_tails_ ? 4 : 2;
    if (is_frequent(entry.document_frequency, view_.documents_)) ++numbers;
    for (; numbers > 0; --numbers) cursor_.varint();
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
  std::uint64_t number_;  ///< of the next term
  PostingsEntry next_;    ///< where the next list of each form starts
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
