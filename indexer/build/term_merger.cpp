// Merges terms, and the pieces of a term's postings, by heaps.
#include "build/term_merger.hpp"

#include <algorithm>
#include <utility>

namespace warpdex::build {
namespace {

std::uint64_t eight_bytes_of(std::string_view term) {
  std::uint64_t prefix = 0;
  for (std::size_t i = 0; i < sizeof prefix; ++i) {
    prefix = prefix << 8 | (i < term.size() ? static_cast<unsigned char>(term[i]) : 0U);
  }
  return prefix;
}

bool starts_later(const PostingCursor& a, const PostingCursor& b) {
  return a.document > b.document;
}

}  // namespace

struct TermMerger::ComesLater {
  const std::vector<std::unique_ptr<TermSource>>& sources;

  bool operator()(const Head& a, const Head& b) const {
    if (a.prefix != b.prefix) return a.prefix > b.prefix;
    const int order = sources[a.source]->term().compare(sources[b.source]->term());
    return order != 0 ? order > 0 : a.source > b.source;
  }
};

TermMerger::TermMerger(std::vector<std::unique_ptr<TermSource>> sources)
    : sources_(std::move(sources)) {
  for (std::uint32_t source = 0; source < sources_.size(); ++source) current_.push_back(source);
}

void TermMerger::push(std::uint32_t source) {
  if (!sources_[source]->next()) return;
  heap_.push_back({eight_bytes_of(sources_[source]->term()), source});
  std::push_heap(heap_.begin(), heap_.end(), ComesLater{sources_});
}

bool TermMerger::next() {
  for (const std::uint32_t source : current_) push(source);
  current_.clear();
  bytes_ = 0;
  if (heap_.empty()) return false;
  do {
    std::pop_heap(heap_.begin(), heap_.end(), ComesLater{sources_});
    current_.push_back(heap_.back().source);
    bytes_ += sources_[current_.back()]->bytes();
    heap_.pop_back();
  } while (!heap_.empty() && sources_[heap_.front().source]->term() == term());
  return true;
}

void TermMerger::take(std::vector<std::uint8_t>& bytes, PieceSizes& pieces) {
  for (const std::uint32_t source : current_) {
    sources_[source]->take(bytes);
    pieces.push_back(sources_[source]->bytes());
  }
}

void PostingMerger::start(const std::uint8_t* bytes, std::span<const std::uint64_t> sizes,
                          bool have_positions) {
  heap_.clear();
  for (const std::uint64_t size : sizes) {
    PostingCursor cursor{bytes, bytes + size, have_positions};
    bytes += size;
    if (cursor.advance()) heap_.push_back(cursor);
  }
  std::make_heap(heap_.begin(), heap_.end(), starts_later);
}

void PostingMerger::pop_first() { std::pop_heap(heap_.begin(), heap_.end(), starts_later); }

void PostingMerger::push_last() { std::push_heap(heap_.begin(), heap_.end(), starts_later); }

}  // namespace warpdex::build
