// Changes a stored index of vectors, and searches it as it then is.
#include <utility>

#include "vectors/read_rows.hpp"
#include "vectors/vector_index_state.hpp"
#include "warpdex/vector/format/vector_index_change.hpp"

namespace warpdex {
namespace {

void set_ids(vector::VectorIds ids, bool replace, vector::VectorIndexChange& change) {
  if (!ids.are_given()) return;
  change.set_ids(std::move(ids), replace ? vector::KnownIds::kReplace : vector::KnownIds::kRefuse);
}

VectorChangeReport report_of(const vector::VectorIndexChange& change, CommitReport committed) {
  VectorChangeReport report{std::move(committed)};
  report.added = change.added();
  report.removed = change.removed();
  report.vectors = change.index().live_rows() + report.added - report.removed;
  report.is_changed = report.added + report.removed > 0;
  return report;
}

}  // namespace

VectorChangeReport VectorIndex::add(std::span<const float> rows, vector::VectorIds ids,
                                    bool replace, const VectorWork& work) {
  const std::lock_guard one_at_a_time(state_->changing);
  vector::VectorIndexChange change(state_->folder);
  set_ids(std::move(ids), replace, change);
  change.add(rows);
  VectorChangeReport report = report_of(change, change.commit(progress_of(work)));
  state_->take_after(report);
  return report;
}

VectorChangeReport VectorIndex::add(vector::VectorReader& rows, vector::VectorIds ids, bool replace,
                                    const VectorWork& work) {
  const std::lock_guard one_at_a_time(state_->changing);
  vector::VectorIndexChange change(state_->folder);
  set_ids(std::move(ids), replace, change);
  const vector::BuildProgress progress = progress_of(work);
  read_rows(rows, change.index().settings().dimension, progress,
            [&](std::span<const float> some) { change.add(some); });
  VectorChangeReport report = report_of(change, change.commit(progress));
  state_->take_after(report);
  return report;
}

VectorChangeReport VectorIndex::remove(const vector::VectorIds& ids, const VectorWork& work) {
  const std::lock_guard one_at_a_time(state_->changing);
  vector::VectorIndexChange change(state_->folder);
  change.remove(ids);
  const vector::BuildProgress progress = progress_of(work);
  progress("removing", ids.size(), ids.size());
  VectorChangeReport report = report_of(change, change.commit(progress));
  state_->take_after(report);
  return report;
}

VectorChangeReport VectorIndex::merge(const VectorWork& work) {
  const std::lock_guard one_at_a_time(state_->changing);
  vector::VectorMergeReport merged = vector::merge_vector_index(state_->folder, progress_of(work));
  VectorChangeReport report{std::move(merged.committed)};
  report.vectors = merged.vectors;
  report.is_changed = merged.is_changed;
  if (report.is_changed || report.number != commit()) state_->take_after(report);
  return report;
}

}  // namespace warpdex
