// A scan over the terms of like lengths: first bit patterns of letters, then edit distances.
#include "warpdex/query/spelling.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "warpdex/indexer/format/index.hpp"
#include "warpdex/indexer/format/text_fields.hpp"
#include "warpdex/vector/metric/levenshtein.hpp"

namespace warpdex {
namespace {

using metric::LevenshteinFrom;
using metric::TextUnit;
using Units = std::vector<char32_t>;

constexpr std::uint32_t kMaxEdits = 2;
/// Terms shorter than this are corrected by one edit only.
constexpr std::size_t kShortLength = 5;
/// Longer terms count as of this length.
constexpr std::size_t kMaxLength = 255;
/// Terms whose bit patterns are compared at a time.
constexpr std::size_t kBlock = 64;

/// A bit for each letter; the 26 of ASCII have bits of their own.
std::uint32_t letter_bits(const Units& units) {
  std::uint32_t bits = 0;
  for (const char32_t unit : units) bits |= 1U << (unit & 31U);
  return bits;
}

/// What terms are chosen by before they are compared.
struct Shape {
  std::size_t length;
  std::uint32_t letters;
};

Shape shape_of(std::string_view term) {
  Shape shape{term.size(), 0};
  unsigned char all = 0;
  for (const char c : term) {
    all |= static_cast<unsigned char>(c);
    shape.letters |= 1U << (static_cast<unsigned char>(c) & 31U);
  }
  if (all < 0x80) return shape;
  const Units units = metric::text_units(term, TextUnit::kCodePoints);
  return {units.size(), letter_bits(units)};
}

bool has_letter(const Units& units) {
  return std::any_of(units.begin(), units.end(), [](char32_t unit) {
    return unit >= 0x80 || (unit >= 'a' && unit <= 'z') || (unit >= 'A' && unit <= 'Z');
  });
}

std::uint32_t max_edits(std::size_t length) { return length < kShortLength ? 1 : kMaxEdits; }

/// Whether exchanging two neighbours makes one of the other.
bool are_exchanged(const Units& a, const Units& b) {
  if (a.size() != b.size()) return false;
  const auto [left, right] = std::mismatch(a.begin(), a.end(), b.begin());
  if (a.end() - left < 2) return false;
  return left[0] == right[1] && left[1] == right[0] &&
         std::equal(left + 2, a.end(), right + 2, b.end());
}

/// `bits` without its lowest ones.
template <std::uint32_t kCount>
std::uint32_t without_lowest(std::uint32_t bits) {
  for (std::uint32_t i = 0; i < kCount; ++i) bits &= bits - 1;
  return bits;
}

/// Calls visit(i) for each i of [first, last) whose letters could be `letters` after kEdits edits:
/// an edit brings at most one new letter and takes at most one away.
template <std::uint32_t kEdits, class Visit>
void for_each_alike(const std::vector<std::uint32_t>& all, std::size_t first, std::size_t last,
                    std::uint32_t letters, const Visit& visit) {
  for (; first < last; first += kBlock) {
    const std::size_t count = std::min(kBlock, last - first);
    std::uint32_t apart[kBlock];
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint32_t own = all[first + i];
      apart[i] = without_lowest<kEdits>(own & ~letters) | without_lowest<kEdits>(letters & ~own);
    }
    for (std::size_t i = 0; i < count; ++i) {
      if (apart[i] == 0) visit(first + i);
    }
  }
}

}  // namespace

/// Terms as they come, before they are sorted by length.
struct SpellingCorrector::Unsorted {
  struct Term {
    std::uint64_t begin;  ///< in the text
    std::uint64_t end;
    std::uint64_t documents;
  };
  std::string text;
  std::vector<Term> terms;

  void add(std::string_view term, std::uint64_t documents) {
    terms.push_back({text.size(), text.size() + term.size(), documents});
    text += term;
  }
  std::string_view text_of(const Term& term) const {
    return std::string_view(text).substr(term.begin, term.end - term.begin);
  }
  /// Makes one of terms that several segments have.
  void unite() {
    std::sort(terms.begin(), terms.end(),
              [&](const Term& a, const Term& b) { return text_of(a) < text_of(b); });
    std::size_t kept = 0;
    for (std::size_t i = 0; i < terms.size(); ++i) {
      if (kept > 0 && text_of(terms[i]) == text_of(terms[kept - 1])) {
        terms[kept - 1].documents += terms[i].documents;
      } else {
        terms[kept++] = terms[i];
      }
    }
    terms.resize(kept);
  }
};

SpellingCorrector::SpellingCorrector(const std::vector<Word>& words) {
  Unsorted unsorted;
  for (const Word& word : words) unsorted.add(word.term, word.documents);
  sort(std::move(unsorted));
}

SpellingCorrector::SpellingCorrector(const Snapshot& index) {
  Unsorted unsorted;
  std::size_t terms = 0;
  for (const Snapshot::Segment& segment : index.segments()) terms += segment.index->counts().terms;
  unsorted.terms.reserve(terms);
  const bool several = text_count(index.settings().schema) > 1;
  for (const Snapshot::Segment& segment : index.segments()) {
    const Index& part = *segment.index;
    const bool is_whole = part.removed_documents() == 0;
    part.for_each_term([&](std::string_view term, const PostingsEntry& entry) {
      const std::uint32_t gone = is_whole ? 0 : part.frequency_change(entry.term_number).documents;
      unsorted.add(several ? without_mark(term) : term, entry.document_frequency - gone);
    });
  }
  if (several || index.segments().size() > 1) unsorted.unite();
  sort(std::move(unsorted));
}

void SpellingCorrector::sort(Unsorted unsorted) {
  const std::vector<Unsorted::Term>& terms = unsorted.terms;
  std::vector<std::uint8_t> lengths(terms.size());
  std::vector<std::uint32_t> letters(terms.size());
  length_begins_.assign(kMaxLength + 2, 0);
  for (std::size_t i = 0; i < terms.size(); ++i) {
    if (terms[i].documents == 0) continue;
    const Shape shape = shape_of(unsorted.text_of(terms[i]));
    lengths[i] = static_cast<std::uint8_t>(std::min(shape.length, kMaxLength));
    letters[i] = shape.letters;
    ++length_begins_[lengths[i] + 1];
  }
  std::partial_sum(length_begins_.begin(), length_begins_.end(), length_begins_.begin());
  std::vector<std::size_t> next(length_begins_.begin(), length_begins_.end() - 1);
  letters_.resize(length_begins_.back());
  terms_.resize(length_begins_.back());
  for (std::size_t i = 0; i < terms.size(); ++i) {
    if (terms[i].documents == 0) continue;
    const std::size_t place = next[lengths[i]]++;
    letters_[place] = letters[i];
    terms_[place] = {
        terms[i].begin, static_cast<std::uint32_t>(terms[i].end - terms[i].begin),
        static_cast<std::uint32_t>(std::min<std::uint64_t>(terms[i].documents, kMaxDocuments))};
  }
  text_ = std::move(unsorted.text);
}

std::string_view SpellingCorrector::text_of(const Term& term) const {
  return std::string_view(text_).substr(term.begin, term.size);
}

std::vector<Correction> SpellingCorrector::corrections(std::string_view term,
                                                       std::size_t count) const {
  const Units units = metric::text_units(term, TextUnit::kCodePoints);
  if (!has_letter(units)) return {};
  const std::uint32_t limit = max_edits(units.size());
  const std::size_t length = std::min(units.size(), kMaxLength);
  const std::size_t first = length_begins_[length - std::min<std::size_t>(length, limit)];
  const std::size_t last = length_begins_[std::min(length + limit, kMaxLength) + 1];
  LevenshteinFrom distances(term, TextUnit::kCodePoints);
  std::vector<Correction> found;
  const auto compare = [&](std::size_t place) {
    const std::string_view other = text_of(terms_[place]);
    // Exchanged neighbours are two edits of Levenshtein's.
    std::uint32_t edits = distances.to(other, kMaxEdits);
    if (edits == 0 || edits > kMaxEdits) return;
    if (edits == 2 && are_exchanged(units, metric::text_units(other, TextUnit::kCodePoints))) {
      edits = 1;
    }
    if (edits <= limit) found.push_back({other, terms_[place].documents, edits});
  };
  if (limit == 1) {
    for_each_alike<1>(letters_, first, last, letter_bits(units), compare);
  } else {
    for_each_alike<2>(letters_, first, last, letter_bits(units), compare);
  }
  const std::size_t kept = std::min(count, found.size());
  std::partial_sort(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(kept), found.end(),
                    [](const Correction& a, const Correction& b) {
                      return std::tuple(a.edits, b.documents, a.term) <
                             std::tuple(b.edits, a.documents, b.term);
                    });
  found.resize(kept);
  return found;
}

}  // namespace warpdex
