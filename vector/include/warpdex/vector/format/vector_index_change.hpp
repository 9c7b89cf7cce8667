// Changes a stored index of vectors: adds vectors, removes some, and puts its segments together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

#include "warpdex/vector/data/ids.hpp"
#include "warpdex/vector/format/vector_index.hpp"
#include "warpdex/vector/ivf/ivf_settings.hpp"

namespace warpdex::vector {

/// What becomes of an id that is added and that a vector of the index has.
enum class KnownIds : std::uint8_t {
  kRefuse,   ///< it is an error
  kReplace,  ///< that vector is removed in the same commit
};

/// One commit: vectors to add, in a segment of their own, and vectors to remove. Until commit() the
/// index is as it was; then it is changed in one step, as a build replaces one. Whoever has it open
/// reads on in what it was. Files of segments that stay are shared, so that a commit costs what is
/// new; a removal costs a bit for each vector of its segment.
class VectorIndexChange {
 public:
  /// Holds the lock of `target` until it goes. Throws as VectorIndex::open() does, UsageError where
  /// the folder holds more than an index, IoError where another change or build of it is under way.
  explicit VectorIndexChange(const std::filesystem::path& target);
  ~VectorIndexChange();
  VectorIndexChange(const VectorIndexChange&) = delete;
  VectorIndexChange& operator=(const VectorIndexChange&) = delete;

  /// As it is before the change.
  const VectorIndex& index() const;

  /// Removes the vectors that have those ids; where an index has no ids, row numbers are. Throws
  /// InputError for an id that no vector has, or that is removed already. O(rows + ids).
  void remove(const VectorIds& ids);

  /// The ids of the vectors that are added, one for each in their order. Throws UsageError where
  /// the index has no ids: rows are numbered on; InputError for texts where the index has numbers
  /// or the other way round, and, with kRefuse, for ids that vectors have which stay. O(rows +
  /// ids). Once.
  void set_ids(VectorIds ids, KnownIds known);

  /// Adds rows, as VectorIndexWriter::add(). They are numbered from index().rows() on.
  void add(std::span<const float> rows);

  std::size_t added() const;
  std::size_t removed() const;

  /// Makes the change, unless there is none. Nothing is trained: lists, codebooks and the rotation
  /// are those of the first build. Throws InputError where there are not as many ids as added rows,
  /// IoError, and what `progress` throws. Once.
  void commit(const BuildProgress& progress = {});

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Puts all segments together and leaves out what was removed, in one commit. Returns false, and
/// does nothing, where there is one segment that nothing was removed from. The answers of searches
/// stay what they are. In an index without ids rows keep their numbers; in one with ids they are
/// numbered anew, without gaps. Reads and writes the whole index; takes 4 bytes of memory a row.
/// Throws as VectorIndexChange does.
bool merge_vector_index(const std::filesystem::path& target, const BuildProgress& progress = {});

}  // namespace warpdex::vector
