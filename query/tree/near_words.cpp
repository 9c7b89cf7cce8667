#include "tree/near_words.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "warpdex/indexer/format/index.hpp"
#include "warpdex/indexer/format/text_fields.hpp"
#include "warpdex/vector/metric/levenshtein.hpp"

namespace warpdex {
namespace {

std::u32string characters(std::string_view text) {
  const auto units = metric::text_units(text, metric::TextUnit::kCodePoints);
  return {units.begin(), units.end()};
}

/// The edits between a word and terms that come in the order of their bytes. Keeps the rows of the
/// table of edits for the term before, so that a term costs what it does not share with that one.
class EditRows {
 public:
  EditRows(std::u32string_view wanted, std::size_t most)
      : wanted_(wanted), most_(most), columns_(wanted.size() + 1), rows_(columns_) {
    for (std::size_t j = 0; j < columns_; ++j) rows_[j] = j;
  }

  /// The edits if they are at most `most`. Else dead_end() says how many bytes of the term no near
  /// term begins with; 0: it is only this term that is too far away.
  std::optional<std::size_t> edits(std::string_view term) {
    keep_shared(term);
    dead_end_ = 0;
    std::size_t at = ends_.empty() ? 0 : ends_.back();
    while (at < term.size()) {
      const std::size_t size = character_size(term, at);
      at += size;
      if (!add_row(character(term.substr(at - size, size)))) {
        dead_end_ = at;
        return std::nullopt;
      }
      ends_.push_back(at);
    }
    const std::size_t found = row(ends_.size())[wanted_.size()];
    return found <= most_ ? std::optional(found) : std::nullopt;
  }

  std::size_t dead_end() const { return dead_end_; }
  /// Characters of the last term whose edits were found.
  std::size_t length() const { return ends_.size(); }

 private:
  /// Bytes of the character that begins there.
  static std::size_t character_size(std::string_view text, std::size_t at) {
    std::size_t size = 1;
    while (at + size < text.size() &&
           (static_cast<unsigned char>(text[at + size]) & 0xC0) == 0x80) {
      ++size;
    }
    return size;
  }

  static char32_t character(std::string_view bytes) {
    const auto first = static_cast<unsigned char>(bytes[0]);
    return bytes.size() == 1 && first < 0x80 ? first : characters(bytes)[0];
  }

  std::size_t* row(std::size_t i) { return rows_.data() + i * columns_; }

  void keep_shared(std::string_view term) {
    const auto [end, unused] = std::ranges::mismatch(last_, term);
    const auto shared = static_cast<std::size_t>(end - last_.begin());
    while (!ends_.empty() && ends_.back() > shared) ends_.pop_back();
    read_.resize(ends_.size());
    last_ = term;
  }

  /// False if no term that begins so is near: a row's values, by which no later one is smaller, are
  /// all too large.
  bool add_row(char32_t character) {
    const std::size_t i = ends_.size() + 1;
    read_.resize(i - 1);
    read_.push_back(character);
    if (rows_.size() < (i + 1) * columns_) rows_.resize((i + 1) * columns_);
    std::size_t* const own = row(i);
    const std::size_t* const above = row(i - 1);
    own[0] = i;
    std::size_t least = i;
    for (std::size_t j = 1; j < columns_; ++j) {
      const std::size_t change = above[j - 1] + (wanted_[j - 1] == character ? 0 : 1);
      own[j] = std::min({change, above[j] + 1, own[j - 1] + 1});
      if (i > 1 && j > 1 && character == wanted_[j - 2] && read_[i - 2] == wanted_[j - 1]) {
        own[j] = std::min(own[j], row(i - 2)[j - 2] + 1);
      }
      least = std::min(least, own[j]);
    }
    return least <= most_;
  }

  std::u32string_view wanted_;
  std::size_t most_;
  std::size_t columns_;
  std::vector<std::size_t> rows_;  // of the beginnings of the term before, the empty one first
  std::vector<std::size_t> ends_;  // by row but the first: where its character ends
  std::u32string read_;            // the characters of the rows, and maybe one more
  std::string last_;
  std::size_t dead_end_ = 0;
};

/// The first bytes that are past all that begin with `beginning`; empty: there are none.
std::string past(std::string_view beginning) {
  std::string next(beginning);
  while (!next.empty() && static_cast<unsigned char>(next.back()) == 0xFF) next.pop_back();
  if (!next.empty()) next.back() = static_cast<char>(next.back() + 1);
  return next;
}

/// The mark of the field that an analysed clause names.
std::string mark_of(const Snapshot& snapshot, const QueryNode& node) {
  const std::vector<std::string> fields = text_names_of(snapshot.settings().schema);
  const auto found = std::ranges::find(fields, node.field);
  return found == fields.end() ? "" : field_mark(static_cast<std::size_t>(found - fields.begin()));
}

/// Short words may have as many edits as characters: they match without a score.
float boost_of(std::size_t edits, std::size_t shorter) {
  const float share = static_cast<float>(edits) / static_cast<float>(shorter);
  return edits == 0 ? 1 : std::max(0.0F, 1 - share);
}

/// Calls visit(term, edits) for the terms with a mark that are near without it.
template <class Visit>
void visit_near(const Index& index, const std::string& mark, EditRows& rows, const Visit& visit) {
  const bool is_of_first = mark.empty() && index.texts() > 1;
  std::string from = mark;  // what comes before it is too far away
  bool is_done = false;
  for (std::uint64_t group = 0; !is_done && group < index.term_groups(); ++group) {
    if (!from.empty()) group = index.term_group_of(from, group);
    index.pass_terms_of_group(group, [&](std::string_view term) -> std::size_t {
      if (is_done || term < from) return 0;
      is_done = !term.starts_with(mark) || (is_of_first && field_of_term(term) != 0);
      if (is_done) return 0;
      const std::optional<std::size_t> edits = rows.edits(term.substr(mark.size()));
      if (edits) visit(term, *edits);
      if (edits || rows.dead_end() == 0) return 0;
      const std::size_t dead_end = mark.size() + rows.dead_end();
      from = past(term.substr(0, dead_end));
      is_done = from.empty();
      return dead_end;
    });
  }
}

}  // namespace

std::vector<NearTerm> near_terms(const Snapshot& snapshot, const QueryNode& node, bool& was_cut) {
  const std::u32string wanted = characters(node.text);
  std::map<std::string, float> found;
  for (const Snapshot::Segment& segment : snapshot.segments()) {
    const Index& index = *segment.index;
    EditRows rows(wanted, node.edits);
    visit_near(index, mark_of(snapshot, node), rows, [&](std::string_view term, std::size_t edits) {
      // All of its documents may have been removed.
      const std::optional<PostingsEntry> entry = index.find(term);
      if (!entry) return;
      const std::uint64_t removed = index.frequency_change(entry->term_number).documents;
      if (removed < entry->document_frequency)
        found.emplace(term, boost_of(edits, std::min(wanted.size(), rows.length())));
    });
  }
  std::vector<NearTerm> terms;
  for (const auto& [term, boost] : found) terms.push_back({term, boost});
  was_cut = keep_nearest(terms) || was_cut;
  return terms;
}

bool keep_nearest(std::vector<NearTerm>& terms) {
  std::ranges::sort(terms, [](const NearTerm& a, const NearTerm& b) {
    return a.boost != b.boost ? a.boost > b.boost : a.term < b.term;
  });
  if (terms.size() <= kMaxFuzzyTerms) return false;
  terms.resize(kMaxFuzzyTerms);
  return true;
}

std::vector<NearTerm> chosen_terms(const Snapshot& snapshot, const QueryNode& node) {
  const std::u32string wanted = characters(node.text);
  const std::string mark = mark_of(snapshot, node);
  EditRows rows(wanted, node.edits);
  std::vector<NearTerm> terms;
  for (const std::string& term : node.texts) {
    if (!term.starts_with(mark)) continue;
    const std::optional<std::size_t> edits = rows.edits(std::string_view(term).substr(mark.size()));
    if (!edits) continue;
    terms.push_back({term, boost_of(*edits, std::min(wanted.size(), rows.length()))});
  }
  return terms;
}

}  // namespace warpdex
