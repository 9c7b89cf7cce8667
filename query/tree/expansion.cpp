#include "tree/expansion.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "warpdex/vector/metric/levenshtein.hpp"

namespace warpdex {
namespace {

using FoundTerms = std::vector<std::pair<std::string, PostingsEntry>>;

std::string first_of_group(const Index& index, std::uint64_t group) {
  std::string first;
  bool is_first = true;
  index.for_each_term_of_group(group, [&](std::string_view term, const PostingsEntry&) {
    if (is_first) first = term;
    is_first = false;
  });
  return first;
}

/// Calls visit(term, entry) for the terms from `from` on, in the order of their bytes, until it
/// returns false. O(log terms), and what is visited.
template <class Visit>
void visit_terms_from(const Index& index, std::string_view from, const Visit& visit) {
  std::uint64_t low = 0;  // its first term is not above `from`, or it is 0
  std::uint64_t high = index.term_groups();
  while (high - low > 1) {
    const std::uint64_t middle = low + (high - low) / 2;
    (first_of_group(index, middle) <= from ? low : high) = middle;
  }
  bool goes_on = true;
  for (std::uint64_t group = low; goes_on && group < index.term_groups(); ++group) {
    index.for_each_term_of_group(group, [&](std::string_view term, const PostingsEntry& entry) {
      if (goes_on && term >= from) goes_on = visit(term, entry);
    });
  }
}

/// What stands before the first * or ?.
std::string beginning_of(std::string_view pattern) {
  std::string beginning;
  for (std::size_t i = 0; i < pattern.size() && pattern[i] != '*' && pattern[i] != '?'; ++i) {
    if (pattern[i] == '\\' && i + 1 < pattern.size()) ++i;
    beginning += pattern[i];
  }
  return beginning;
}

bool is_in_range(const QueryNode& node, std::string_view term) {
  if (!node.includes_lower && term == node.text) return false;
  return node.upper.empty() || term < node.upper || (node.includes_upper && term == node.upper);
}

/// At most kMaxExpandedTerms + 1.
FoundTerms terms_of(const Index& index, const QueryNode& node) {
  FoundTerms found;
  if (node.kind == QueryNode::Kind::kAny) {
    for (const std::string& text : node.texts) {
      if (const auto entry = index.find(text)) found.emplace_back(text, *entry);
    }
    return found;
  }
  const bool is_pattern = node.kind == QueryNode::Kind::kWildcard;
  const std::string beginning = is_pattern ? beginning_of(node.text) : node.text;
  visit_terms_from(index, beginning, [&](std::string_view term, const PostingsEntry& entry) {
    if (node.kind == QueryNode::Kind::kRange) {
      if (!node.upper.empty() && term > node.upper) return false;
      if (is_in_range(node, term)) found.emplace_back(term, entry);
    } else {
      if (!term.starts_with(beginning)) return false;
      if (!is_pattern || fits_pattern(node.text, term)) found.emplace_back(term, entry);
    }
    return found.size() <= kMaxExpandedTerms;
  });
  return found;
}

/// Bytes of the character that begins there.
std::size_t character_size(std::string_view text, std::size_t at) {
  std::size_t size = 1;
  while (at + size < text.size() && (static_cast<unsigned char>(text[at + size]) & 0xC0) == 0x80) {
    ++size;
  }
  return size;
}

std::u32string characters(std::string_view text) {
  const auto units = metric::text_units(text, metric::TextUnit::kCodePoints);
  return {units.begin(), units.end()};
}

std::uint32_t letters_of(std::u32string_view text) {
  std::uint32_t letters = 0;
  for (const char32_t unit : text) letters |= 1U << (unit & 31U);
  return letters;
}

/// The same of ASCII; none where the text is not of it.
std::optional<std::uint32_t> letters_of_ascii(std::string_view text) {
  std::uint32_t letters = 0;
  unsigned char all = 0;
  for (const char c : text) {
    all |= static_cast<unsigned char>(c);
    letters |= 1U << (static_cast<unsigned char>(c) & 31U);
  }
  return all < 0x80 ? std::optional(letters) : std::nullopt;
}

}  // namespace

bool fits_pattern(std::string_view pattern, std::string_view term) {
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = pattern.npos;  // behind the last * so far
  std::size_t retry = 0;            // where what it stands for may end next
  while (t < term.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = ++p;
      retry = t;
      continue;
    }
    if (p < pattern.size() && pattern[p] == '?') {
      ++p;
      t += character_size(term, t);
      continue;
    }
    const bool is_escaped = p + 1 < pattern.size() && pattern[p] == '\\';
    const std::size_t literal = is_escaped ? p + 1 : p;
    if (literal < pattern.size() && pattern[literal] == term[t]) {
      p = literal + 1;
      ++t;
    } else if (star != pattern.npos) {
      p = star;
      retry += character_size(term, retry);
      t = retry;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

ExpandedTerms expand(const Snapshot& snapshot, const QueryNode& node) {
  ExpandedTerms expanded;
  std::vector<FoundTerms> found;
  std::vector<std::string_view> all;
  for (const Snapshot::Segment& segment : snapshot.segments()) {
    found.push_back(terms_of(*segment.index, node));
  }
  for (const FoundTerms& of_segment : found) {
    for (const auto& [term, entry] : of_segment) all.push_back(term);
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  expanded.was_cut = all.size() > kMaxExpandedTerms;
  for (const FoundTerms& of_segment : found) {
    std::vector<PostingsEntry>& entries = expanded.segments.emplace_back();
    for (const auto& [term, entry] : of_segment) {
      if (!expanded.was_cut || term < all[kMaxExpandedTerms]) entries.push_back(entry);
    }
  }
  return expanded;
}

/// Optimal string alignment, by rows of the table of prefixes.
std::size_t edits_between(std::u32string_view a, std::u32string_view b, std::size_t most) {
  const std::size_t difference = std::max(a.size(), b.size()) - std::min(a.size(), b.size());
  if (difference > most) return most + 1;
  std::vector<std::size_t> before_last(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    std::size_t least = row[0];
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({change, last[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before_last[j - 2] + 1);
      }
      least = std::min(least, row[j]);
    }
    if (least > most) return most + 1;
    std::swap(before_last, last);
    std::swap(last, row);
  }
  return std::min(last[b.size()], most + 1);
}

std::vector<NearTerm> near_terms(const Snapshot& snapshot, const QueryNode& node, bool& was_cut) {
  const std::u32string wanted = characters(node.text);
  const std::uint32_t letters = letters_of(wanted);
  const auto few = static_cast<int>(node.edits);
  std::map<std::string, float> found;
  // An edit brings one new letter at most, and takes one away.
  const auto may_be_near = [&](std::size_t length, std::uint32_t own_letters) {
    return length + node.edits >= wanted.size() && length <= wanted.size() + node.edits &&
           std::popcount(letters & ~own_letters) <= few &&
           std::popcount(own_letters & ~letters) <= few;
  };
  const auto visit = [&](const Index& index, std::string_view term, const PostingsEntry& entry) {
    if (term.size() > 4 * (wanted.size() + node.edits)) return;
    const std::optional<std::uint32_t> of_ascii = letters_of_ascii(term);
    if (of_ascii && !may_be_near(term.size(), *of_ascii)) return;
    const std::u32string own = characters(term);
    if (!of_ascii && !may_be_near(own.size(), letters_of(own))) return;
    const std::size_t edits = edits_between(wanted, own, node.edits);
    if (edits > node.edits) return;
    const std::size_t shorter = std::min(wanted.size(), own.size());
    const float boost =
        edits == 0 ? 1 : 1 - static_cast<float>(edits) / static_cast<float>(shorter);
    if (boost <= 0) return;
    // All of its documents may have been removed.
    const std::uint64_t removed = index.frequency_change(entry.term_number).documents;
    if (removed < entry.document_frequency) found.emplace(term, boost);
  };
  for (const Snapshot::Segment& segment : snapshot.segments()) {
    segment.index->for_each_term([&](std::string_view term, const PostingsEntry& entry) {
      visit(*segment.index, term, entry);
    });
  }
  std::vector<NearTerm> terms;
  for (const auto& [term, boost] : found) terms.push_back({term, boost});
  std::stable_sort(terms.begin(), terms.end(),
                   [](const NearTerm& a, const NearTerm& b) { return a.boost > b.boost; });
  was_cut = was_cut || terms.size() > kMaxFuzzyTerms;
  if (terms.size() > kMaxFuzzyTerms) terms.resize(kMaxFuzzyTerms);
  return terms;
}

}  // namespace warpdex
