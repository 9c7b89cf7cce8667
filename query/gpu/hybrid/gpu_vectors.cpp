// Uploads the vectors that the snapshot before does not have.
#include "warpdex/query/gpu/gpu_vectors.hpp"

#include <algorithm>
#include <typeinfo>
#include <utility>

#include "gpu/hybrid/gpu_vectors_state.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/query/index_vectors.hpp"
#include "warpdex/vector/format/row_index.hpp"
#include "warpdex/vector/search/make_searcher.hpp"

namespace warpdex {

GpuVectors::State::Uploaded::Uploaded(std::shared_ptr<const Index> from, std::size_t set,
                                      Resources& resources)
    : index(std::move(from)),
      vectors(index->vectors(set), resources),
      is_resident(vectors.is_resident()) {
  if (!is_resident || index->vector_index(set) == nullptr) return;
  const std::size_t before = resources.memory().used();
  try {
    // Answers are refined by the vectors that are there already.
    by_lists = vector::search_on_gpu(index->vector_index(set)->vectors(), resources,
                                     {.keeps_vectors = false});
    list_memory = std::max(resources.memory().used(), before) - before;
  } catch (const Error& error) {
    if (typeid(error) != typeid(Error)) throw;  // an Error of no other type: too little memory
    is_resident = false;
  }
}

GpuVectors::State::State(const GpuSnapshot& uploaded, std::size_t of_set, const State* before)
    : snapshot(uploaded), set(of_set), settings(vector_settings(snapshot.snapshot(), set)) {
  const Snapshot& documents = snapshot.snapshot();
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
      uploaded_vectors = std::make_shared<const Uploaded>(from.index, set, resources);
      new_memory += uploaded_vectors->vectors.memory() + uploaded_vectors->list_memory;
    }
    memory += uploaded_vectors->vectors.memory() + uploaded_vectors->list_memory;
    is_resident = is_resident && uploaded_vectors->is_resident;
    const vector::RowFilter* filter = nullptr;
    if (!index.removed().none()) filter = &live.emplace_back(live_rows(index));
    if (uploaded_vectors->by_lists) {
      listed.push_back({uploaded_vectors, from.first_document, std::nullopt});
      if (filter != nullptr) listed.back().live = *filter;
    }
    numbers.push_back(i);
    searched.push_back(
        {{uploaded_vectors, &uploaded_vectors->vectors}, from.first_document, filter});
    segments.push_back(std::move(uploaded_vectors));
  }
  if (is_resident && !searched.empty()) is_resident = make_searchers(std::move(searched));
  if (searcher) return;
  segments.clear();
  listed.clear();
  memory = new_memory = 0;
}

/// False where memory does not suffice for what a searcher has beside the vectors.
bool GpuVectors::State::make_searchers(std::vector<vector::GpuSegment> searched) {
  try {
    if (!listed.empty() && listed.size() < searched.size()) {
      std::vector<vector::GpuSegment> others;
      for (std::size_t i = 0; i < searched.size(); ++i) {
        if (!segments[i]->by_lists) others.push_back(searched[i]);
      }
      unlisted.emplace(std::move(others), snapshot.state().resources);
    }
    searcher.emplace(std::move(searched), snapshot.state().resources);
    return true;
  } catch (const Error& error) {
    if (typeid(error) != typeid(Error)) throw;  // an Error of no other type: too little memory
    unlisted.reset();
    return false;
  }
}

/// The vectors of a segment that the snapshot before has, or null.
std::shared_ptr<const GpuVectors::State::Uploaded> GpuVectors::State::find(const Index& index,
                                                                           const State* before) {
  if (before == nullptr) return nullptr;
  for (const std::shared_ptr<const Uploaded>& known : before->segments) {
    if (are_same_segment(index, *known->index)) return known;
  }
  return nullptr;
}

GpuVectors::GpuVectors(const GpuSnapshot& snapshot, std::size_t set)
    : state_(std::make_shared<const State>(snapshot, set, nullptr)) {}
GpuVectors::GpuVectors(std::shared_ptr<const State> state) : state_(std::move(state)) {}

GpuVectors GpuVectors::next(const GpuSnapshot& later) const {
  return GpuVectors(std::make_shared<const State>(later, set(), state_.get()));
}

const GpuSnapshot& GpuVectors::snapshot() const { return state_->snapshot; }
std::size_t GpuVectors::set() const { return state_->set; }
bool GpuVectors::is_resident() const { return state_->is_resident; }
std::size_t GpuVectors::memory() const { return state_->memory; }
std::size_t GpuVectors::new_memory() const { return state_->new_memory; }

}  // namespace warpdex
