#include "tree/expansion.hpp"

#include <algorithm>
#include <utility>

#include "plan/live_entry.hpp"
#include "tree/near_words.hpp"
#include "warpdex/indexer/format/text_fields.hpp"
#include "warpdex/query/tree/found_terms.hpp"

namespace warpdex {
namespace {

using FoundTerms = std::vector<std::pair<std::string, PostingsEntry>>;

/// Calls visit(term, entry) for the terms from `from` on, in the order of their bytes, until it
/// returns false. O(log terms), and what is visited.
template <class Visit>
void visit_terms_from(const Index& index, std::string_view from, const Visit& visit) {
  bool goes_on = true;
  for (std::uint64_t group = index.term_group_of(from); goes_on && group < index.term_groups();
       ++group) {
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

/// At most kMaxExpandedTerms + 1. Adds to `looked_at`.
FoundTerms terms_of(const Index& index, const QueryNode& node, std::uint64_t& looked_at) {
  FoundTerms found;
  if (node.kind == QueryNode::Kind::kAny) {
    for (const std::string& text : node.texts) {
      if (const auto entry = index.find(text)) found.emplace_back(text, *entry);
    }
    looked_at += node.texts.size();
    return found;
  }
  // Terms of the first text field have no mark.
  const bool ends_at_mark = index.texts() > 1 && field_of_term(node.text) == 0;
  const bool is_pattern = node.kind == QueryNode::Kind::kWildcard;
  const std::string beginning = is_pattern ? beginning_of(node.text) : node.text;
  visit_terms_from(index, beginning, [&](std::string_view term, const PostingsEntry& entry) {
    ++looked_at;
    if (node.kind == QueryNode::Kind::kRange) {
      if (!node.upper.empty() && term > node.upper) return false;
      if (is_in_range(node, term)) found.emplace_back(term, entry);
    } else {
      if (!term.starts_with(beginning) || (ends_at_mark && field_of_term(term) != 0)) {
        return false;
      }
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

std::vector<FoundTerms> found_in_segments(const Snapshot& snapshot, const QueryNode& node,
                                          std::uint64_t& looked_at) {
  std::vector<FoundTerms> found;
  for (const Snapshot::Segment& segment : snapshot.segments()) {
    found.push_back(terms_of(*segment.index, node, looked_at));
  }
  return found;
}

/// Leaves those of live documents.
void keep_live(const Snapshot& snapshot, std::vector<FoundTerms>& found) {
  for (std::size_t i = 0; i < found.size(); ++i) {
    const Index& index = *snapshot.segments()[i].index;
    std::erase_if(found[i], [&](const auto& term) { return !live_entry(index, term.second); });
  }
}

/// In the order of their bytes.
std::vector<std::string_view> different(const std::vector<FoundTerms>& found) {
  std::vector<std::string_view> all;
  for (const FoundTerms& of_segment : found) {
    for (const auto& [term, entry] : of_segment) all.push_back(term);
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
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
  const std::vector<FoundTerms> found = found_in_segments(snapshot, node, expanded.looked_at);
  const std::vector<std::string_view> all = different(found);
  expanded.terms = all.size();
  expanded.was_cut = all.size() > kMaxExpandedTerms;
  for (const FoundTerms& of_segment : found) {
    std::vector<PostingsEntry>& entries = expanded.segments.emplace_back();
    for (const auto& [term, entry] : of_segment) {
      if (!expanded.was_cut || term < all[kMaxExpandedTerms]) entries.push_back(entry);
    }
  }
  return expanded;
}

QueryNode with_found_terms(const Snapshot& snapshot, const QueryNode& analyzed) {
  QueryNode node = analyzed;
  for (auto* part : {&node.must, &node.filter, &node.should}) {
    for (QueryNode& clause : *part) clause = with_found_terms(snapshot, clause);
  }
  const bool is_near = node.kind == QueryNode::Kind::kFuzzy;
  if (!is_near && node.kind != QueryNode::Kind::kPrefix &&
      node.kind != QueryNode::Kind::kWildcard && node.kind != QueryNode::Kind::kRange) {
    return node;
  }
  QueryNode terms{.kind = QueryNode::Kind::kAny, .boost = node.boost, .place = node.place};
  if (is_near && !node.texts.empty()) {
    terms.texts = node.texts;
    return terms;
  }
  if (is_near) {
    bool was_cut = false;
    for (NearTerm& one : near_terms(snapshot, node, was_cut)) {
      terms.texts.push_back(std::move(one.term));
    }
    return terms;
  }
  std::uint64_t looked_at = 0;
  std::vector<FoundTerms> found = found_in_segments(snapshot, node, looked_at);
  keep_live(snapshot, found);
  const std::vector<std::string_view> all = different(found);
  const std::size_t taken = std::min(all.size(), kMaxExpandedTerms);
  terms.texts.assign(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(taken));
  return terms;
}

}  // namespace warpdex
