#include "warpdex/query/plan/query_planner.hpp"

#include "plan/find_term.hpp"

namespace warpdex {
namespace {

constexpr std::size_t kMaxKnown = 16'384;

}  // namespace

QueryPlanner::QueryPlanner(const Snapshot& snapshot)
    : snapshot_(snapshot), known_(snapshot.segments().size()) {}

QueryPlanner::QueryPlanner(const Snapshot& snapshot, const WholeStatistics& whole)
    : snapshot_(snapshot), whole_(&whole), known_(snapshot.segments().size()) {}

std::optional<PostingsEntry> QueryPlanner::find(std::size_t segment, const Index& index,
                                                std::string_view term) {
  const auto found = known_[segment].find(term);
  if (found != known_[segment].end()) return found->second;
  const std::optional<PostingsEntry> entry = index.find(term);
  if (size_ == kMaxKnown) {  // what is asked for now is worth more than what was
    for (Entries& entries : known_) entries.clear();
    size_ = 0;
  }
  known_[segment].emplace(term, entry);
  ++size_;
  return entry;
}

std::vector<CollectionStatistics> QueryPlanner::text_statistics() const {
  std::vector<CollectionStatistics> texts =
      whole_ != nullptr ? whole_->texts : snapshot_.text_statistics();
  if (texts.empty()) {
    texts.push_back(whole_ != nullptr ? whole_->collection : snapshot_.statistics());
  }
  return texts;
}

PlannedQuery QueryPlanner::plan(const Query& query) {
  return plan_query(
      snapshot_, query,
      [this](std::size_t segment, const Index& index, std::string_view term) {
        return find(segment, index, term);
      },
      whole_);
}

}  // namespace warpdex
