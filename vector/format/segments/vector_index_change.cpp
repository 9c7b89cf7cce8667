// A new segment and new files of removals, beside links to all that stays.
#include "warpdex/vector/format/vector_index_change.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "format/manifest.hpp"
#include "format/segments/added_segment.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/storage/packed_file.hpp"
#include "warpdex/core/storage/removed_rows.hpp"
#include "warpdex/core/storage/replacement_folder.hpp"
#include "warpdex/vector/format/id_rows.hpp"

namespace warpdex::vector {

struct VectorIndexChange::State {
  explicit State(const std::filesystem::path& target)
      : replacement(target),
        index(VectorIndex::open(target)),
        manifest(read_manifest(target)),
        removals(index.segments().size()) {}

  /// Whether the row was live until now.
  bool remove(std::size_t row);
  bool is_removed(std::size_t row) const;
  std::size_t segment_of(std::size_t row) const;
  RemovedRowsBuilder& removals_of(std::size_t number);
  void write_removals(std::size_t number);

  ReplacementFolder replacement;
  VectorIndex index;
  Manifest manifest;
  std::vector<std::optional<RemovedRowsBuilder>> removals;  ///< of the segments that lose rows
  std::size_t removed = 0;
  VectorIds ids;
  std::optional<AddedSegment> segment;
  bool is_over = false;  ///< committed, or broken off in the middle

  void check_open() const {
    if (is_over) throw UsageError("a change of an index is made once; begin another one");
  }
};

namespace {

/// "'a'", or "'a' and 2 more".
std::string name_some(const VectorIds& ids, const std::vector<std::size_t>& which) {
  std::string text = "'" + ids.written(which.front()) + "'";
  if (which.size() > 1) text += " and " + std::to_string(which.size() - 1) + " more";
  return text;
}

}  // namespace

std::size_t VectorIndexChange::State::segment_of(std::size_t row) const {
  std::size_t number = index.segments().size() - 1;
  while (row < index.segments()[number].first_row) --number;
  return number;
}

RemovedRowsBuilder& VectorIndexChange::State::removals_of(std::size_t number) {
  std::optional<RemovedRowsBuilder>& builder = removals[number];
  if (builder) return *builder;
  const VectorSegment& own = index.segments()[number];
  builder.emplace(own.rows, RemovedRows());
  if (own.live == nullptr) return *builder;
  for (std::size_t place = own.live->next_refused(0); place < own.rows;
       place = own.live->next_refused(place + 1)) {
    builder->add(place);
  }
  return *builder;
}

bool VectorIndexChange::State::remove(std::size_t row) {
  const std::size_t number = segment_of(row);
  if (!removals_of(number).add(*index.segments()[number].place(row))) return false;
  ++removed;
  return true;
}

bool VectorIndexChange::State::is_removed(std::size_t row) const {
  const std::size_t number = segment_of(row);
  return removals[number] && removals[number]->contains(*index.segments()[number].place(row));
}

void VectorIndexChange::State::write_removals(std::size_t number) {
  SegmentInfo& info = manifest.stored.segments[number];
  const RemovedRowsBuilder& builder = *removals[number];
  const std::string file = removals_file(info.number, manifest.stored.commit);
  const std::span<const std::uint64_t> words = builder.words();
  const NamedBytes section{
      std::string(kRemovedRows),
      {reinterpret_cast<const std::uint8_t*>(words.data()), words.size_bytes()}};
  PackedFile packed = pack_sections(file, {&section, 1});
  replacement.write(file, packed.bytes);
  info.removals = {file, std::move(packed.sections), {{"rows", builder.count()}}};
}

VectorIndexChange::VectorIndexChange(const std::filesystem::path& target) {
  VectorIndex::open(target);  // before anything is made beside it
  state_ = std::make_unique<State>(target);
}
VectorIndexChange::~VectorIndexChange() = default;

const VectorIndex& VectorIndexChange::index() const { return state_->index; }
std::size_t VectorIndexChange::added() const {
  return state_->segment ? state_->segment->rows() : 0;
}
std::size_t VectorIndexChange::removed() const { return state_->removed; }

void VectorIndexChange::remove(const VectorIds& ids) {
  state_->check_open();
  const std::vector<std::int64_t> rows = rows_of_ids(state_->index, ids);
  std::vector<std::size_t> unknown;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] < 0) unknown.push_back(i);
  }
  if (!unknown.empty()) {
    throw InputError("the index has no vector with the id " + name_some(ids, unknown) +
                     "; nothing was removed");
  }
  state_->is_over = true;  // if only some are removed
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (state_->remove(static_cast<std::size_t>(rows[i]))) continue;
    throw InputError("the id '" + ids.written(i) + "' is to be removed twice; give it once");
  }
  state_->is_over = false;
}

void VectorIndexChange::set_ids(VectorIds ids, KnownIds known) {
  State& state = *state_;
  state.check_open();
  const IdKind kind = state.index.id_kind();
  if (kind == IdKind::kRows) {
    throw UsageError(
        "the index has no ids: vectors that are added get the next row numbers; leave the ids out, "
        "or build the index with ids");
  }
  if (ids.are_texts() != (kind == IdKind::kTexts)) {
    throw InputError(std::string("the ids of the index are ") +
                     (kind == IdKind::kTexts
                          ? "texts, the new ones are numbers; give a text file"
                          : "numbers, the new ones are texts; give a .npy file"));
  }
  const std::vector<std::int64_t> rows = rows_of_ids(state.index, ids);
  std::vector<std::size_t> taken;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] < 0 || state.is_removed(static_cast<std::size_t>(rows[i]))) continue;
    if (known == KnownIds::kRefuse) {
      taken.push_back(i);
    } else {
      state.remove(static_cast<std::size_t>(rows[i]));
    }
  }
  if (!taken.empty()) {
    throw InputError("the index has vectors with the id " + name_some(ids, taken) +
                     " already; update them, or give new ids");
  }
  state.ids = std::move(ids);
}

void VectorIndexChange::add(std::span<const float> rows) {
  State& state = *state_;
  state.check_open();
  if (rows.empty()) return;
  const std::size_t count = rows.size() / state.index.settings().dimension;
  if (state.index.rows() + added() + count > kMaxRows) {
    throw InputError("an index gives at most " + std::to_string(kMaxRows) +
                     " rows; build a new one of the vectors that it has");
  }
  state.is_over = true;  // if only some come in
  if (!state.segment) {
    state.segment.emplace(state.index, state.replacement, state.manifest.stored.next_segment);
  }
  state.segment->add(rows);
  state.is_over = false;
}

CommitReport VectorIndexChange::commit(const BuildProgress& progress) {
  State& state = *state_;
  state.check_open();
  const bool has_ids = state.index.id_kind() != IdKind::kRows;
  if (has_ids && state.ids.size() != added()) {
    throw InputError("there are " + std::to_string(state.ids.size()) + " ids for " +
                     std::to_string(added()) + " vectors; give as many");
  }
  state.is_over = true;
  StoredSegments& stored = state.manifest.stored;
  if (added() == 0 && removed() == 0) return {stored.commit};
  ++stored.commit;
  for (std::size_t i = 0; i < stored.segments.size(); ++i) {
    if (state.removals[i]) stored.segments[i].removals.reset();
    state.replacement.keep(stored.segments[i]);
    if (state.removals[i]) state.write_removals(i);
  }
  if (state.segment) {
    stored.segments.push_back(state.segment->finish(state.ids, progress));
    ++stored.next_segment;
    state.manifest.rows_of.push_back({added(), state.index.rows(), added()});
    state.manifest.rows += added();
  }
  std::vector<std::string> notes = state.replacement.commit(manifest_to_json(state.manifest));
  return {stored.commit, std::move(notes)};
}

}  // namespace warpdex::vector
