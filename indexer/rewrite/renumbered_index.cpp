// Reads terms group by group; where new docIDs do not ascend, lists are sorted again.
#include "rewrite/renumbered_index.hpp"

#include <algorithm>
#include <limits>

#include "warpdex/core/error.hpp"
#include "warpdex/indexer/format/impacts.hpp"
#include "warpdex/indexer/format/positions.hpp"

namespace warpdex::rewrite {

void damaged(const Index& index, const std::string& what) {
  throw FormatError("the index '" + index.folder().string() + "' is damaged (" + what +
                    "); restore it or build it again");
}

RenumberedIndex::RenumberedIndex(const Index& index, RemovedRows removed)
    : index_(index), positioned_(index.settings()), removed_(removed) {
  if (!index_.settings().stored_fields.empty()) stored_ = std::make_unique<StoredBlocks>(index_);
}

const std::string* RenumberedIndex::next_name() {
  while (pending_.empty() && next_group_ < index_.term_groups()) {
    index_.for_each_term_of_group(next_group_++,
                                  [this](std::string_view name, const PostingsEntry& entry) {
                                    pending_.emplace_back(name, entry);
                                  });
  }
  return pending_.empty() ? nullptr : &pending_.front().first;
}

PostingsEntry RenumberedIndex::take() {
  const PostingsEntry entry = pending_.front().second;
  pending_.pop_front();
  return entry;
}

void RenumberedIndex::read(const PostingsEntry& entry, Postings& to) const {
  Postings list = read_postings(index_, entry);
  const bool has_positions = positioned_.has(entry.field);
  if (has_positions) list.steps = read_steps(index_, entry, list.frequencies);
  const std::uint32_t max =
      index_.settings().impacts ? kMaxImpact : std::numeric_limits<std::uint32_t>::max();
  for (std::size_t i = 0; i < list.docids.size(); ++i) {
    if (i > 0 && list.docids[i] <= list.docids[i - 1]) damaged(index_, "docIDs do not ascend");
    if (list.frequencies[i] < 1 || list.frequencies[i] > max) {
      damaged(index_, "a frequency is out of range");
    }
  }
  if (!ascend_) {
    append_sorted(list, to);
    return;
  }
  auto next = list.steps.cbegin();
  for (std::size_t i = 0; i < list.docids.size(); ++i) {
    const auto begin = next;
    if (has_positions) next += list.frequencies[i];
    const std::uint32_t docid =
        new_docids_.empty() ? first_ + list.docids[i] : new_docids_[list.docids[i]];
    if (docid == kGone) continue;
    to.docids.push_back(docid);
    to.frequencies.push_back(list.frequencies[i]);
    to.steps.insert(to.steps.end(), begin, next);
  }
}

void RenumberedIndex::append_sorted(const Postings& list, Postings& to) const {
  std::vector<std::uint64_t> pairs(list.docids.size());  // of the new docID and the place
  std::vector<std::uint64_t> begins(list.steps.empty() ? 0 : pairs.size());
  std::uint64_t begin = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    pairs[i] = std::uint64_t{new_docids_[list.docids[i]]} << 32 | i;
    if (!begins.empty()) begins[i] = begin;
    begin += list.frequencies[i];
  }
  std::sort(pairs.begin(), pairs.end());
  for (const std::uint64_t pair : pairs) {
    const auto place = static_cast<std::uint32_t>(pair);
    to.docids.push_back(static_cast<std::uint32_t>(pair >> 32));
    to.frequencies.push_back(list.frequencies[place]);
    if (begins.empty()) continue;
    const auto first = list.steps.cbegin() + static_cast<std::ptrdiff_t>(begins[place]);
    to.steps.insert(to.steps.end(), first, first + list.frequencies[place]);
  }
}

}  // namespace warpdex::rewrite
