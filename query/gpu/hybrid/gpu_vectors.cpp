// Uploads the vectors that the snapshot before does not have.
#include "warpdex/query/gpu/gpu_vectors.hpp"

#include <typeinfo>
#include <utility>

#include "gpu/hybrid/gpu_vectors_state.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/query/index_vectors.hpp"

namespace warpdex {
GpuVectors::State::State(const GpuSnapshot& uploaded, const State* before) : snapshot(uploaded) {
  const Snapshot& documents = snapshot.snapshot();
  vector_settings(documents);  // throws if there are none
  Resources& resources = snapshot.state().resources;
  std::vector<vector::GpuSegment> searched;
  std::vector<vector::RowFilter> live;  // which `searched` refers to
  live.reserve(documents.segments().size());
  for (std::size_t i = 0; i < documents.segments().size(); ++i) {
    const Snapshot::Segment& from = documents.segments()[i];
    const Index& index = *from.index;
    if (index.counts().documents == 0) continue;
    std::shared_ptr<const Uploaded> uploaded_vectors = find(index, before);
    if (uploaded_vectors == nullptr) {
      uploaded_vectors = std::make_shared<const Uploaded>(from.index, resources);
      new_memory += uploaded_vectors->vectors.memory();
    }
    memory += uploaded_vectors->vectors.memory();
    is_resident = is_resident && uploaded_vectors->vectors.is_resident();
    const vector::RowFilter* filter = nullptr;
    if (!index.removed().none()) filter = &live.emplace_back(live_rows(index));
    numbers.push_back(i);
    searched.push_back(
        {{uploaded_vectors, &uploaded_vectors->vectors}, from.first_document, filter});
    segments.push_back(std::move(uploaded_vectors));
  }
  if (is_resident && !searched.empty()) is_resident = make_searcher(std::move(searched));
  if (searcher) return;
  segments.clear();
  memory = new_memory = 0;
}

/// False where memory does not suffice for what a searcher has beside the vectors.
bool GpuVectors::State::make_searcher(std::vector<vector::GpuSegment> searched) {
  try {
    searcher.emplace(std::move(searched), snapshot.state().resources);
    return true;
  } catch (const Error& error) {
    if (typeid(error) != typeid(Error)) throw;  // an Error of no other type: too little memory
    return false;
  }
}

/// The vectors of a segment that the snapshot before has, or null.
std::shared_ptr<const GpuVectors::State::Uploaded> GpuVectors::State::find(const Index& index,
                                                                           const State* before) {
  if (before == nullptr) return nullptr;
  for (const std::shared_ptr<const Uploaded>& known : before->segments) {
    if (gpu::are_same_segment(index, *known->index)) return known;
  }
  return nullptr;
}

GpuVectors::GpuVectors(const GpuSnapshot& snapshot)
    : state_(std::make_shared<const State>(snapshot, nullptr)) {}
GpuVectors::GpuVectors(std::shared_ptr<const State> state) : state_(std::move(state)) {}

GpuVectors GpuVectors::next(const GpuSnapshot& later) const {
  return GpuVectors(std::make_shared<const State>(later, state_.get()));
}

const GpuSnapshot& GpuVectors::snapshot() const { return state_->snapshot; }
bool GpuVectors::is_resident() const { return state_->is_resident; }
std::size_t GpuVectors::memory() const { return state_->memory; }
std::size_t GpuVectors::new_memory() const { return state_->new_memory; }

}  // namespace warpdex
