// Finds terms by a binary search over the groups.
#include "format/lexicon.hpp"

#include <algorithm>

#include "format/lexicon_group.hpp"

namespace warpdex {

bool LexiconView::is_past(std::uint64_t group, std::string_view term, std::uint64_t key) const {
  const std::uint64_t known = keys_->of_group(group);
  if (known != 0 && known != key) return known > key;
  const std::optional<std::string_view> first = GroupReader::first_term(*this, group);
  if (!first) return true;
  keys_->put(group, GroupKeys::key(*first));
  return *first > term;
}

std::uint64_t LexiconView::group_of(std::string_view term, std::uint64_t from) const {
  const std::uint64_t groups = sections_->lexicon_index.size();
  const std::uint64_t key = GroupKeys::key(term);
  std::uint64_t low = from;                            // the wanted group is in [low, high)
  std::uint64_t high = from == 0 ? groups : from + 1;  // who goes on is mostly close to it
  for (std::uint64_t step = 1; high < groups && !is_past(high, term, key); step *= 2) {
    low = high;
    high = std::min(groups, low + step);
  }
  while (high - low > 1) {
    const std::uint64_t middle = low + (high - low) / 2;
    (is_past(middle, term, key) ? high : low) = middle;
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
