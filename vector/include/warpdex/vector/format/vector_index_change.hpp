// Changes a stored index of vectors: adds vectors, removes some, and puts its segments together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

#include "warpdex/core/storage/commit_report.hpp"
#include "warpdex/vector/data/ids.hpp"
#include "warpdex/vector/format/vector_index.hpp"
#include "warpdex/vector/lists/ivf_settings.hpp"

namespace warpdex::vector {

/// What is done about an added id that a vector of the index has already.
enum class KnownIds : std::uint8_t {
  kRefuse,   ///< it is an error
  kReplace,  ///< that vector is removed in the same commit
};

/// One commit: vectors to add, in a segment of their own, and vectors to remove. Until commit() the
/// index is as it was; then it is changed in one step, as a build replaces one. An index that is
/// open elsewhere does not change. Files of segments that stay are shared, so a commit writes only
/// what is new; a removal writes a bit for each vector of its segment.
class VectorIndexChange {
 public:
  /// Holds the lock of `target` until it is destroyed. Throws as VectorIndex::open() does,
  /// UsageError where the folder holds more than an index, IoError where another change or build of
  /// it is under way.
  explicit VectorIndexChange(const std::filesystem::path& target);
  ~VectorIndexChange();
  VectorIndexChange(const VectorIndexChange&) = delete;
  VectorIndexChange& operator=(const VectorIndexChange&) = delete;

  /// As it is before the change.
  const VectorIndex& index() const;

  /// Removes the vectors that have those ids, which are row numbers if the index has no ids. Throws
  /// InputError for an id that no vector has, or that is removed already. O(rows + ids).
  void remove(const VectorIds& ids);

  /// The ids of the vectors that are added, one for each in their order. Throws UsageError if the
  /// index has no ids, since new rows then get the next numbers; InputError for texts if the index
  /// has numbers or the other way round, and, with kRefuse, for ids of vectors that stay. O(rows +
  /// ids). Once.
  void set_ids(VectorIds ids, KnownIds known);

  /// Adds rows, as VectorIndexWriter::add(). They are numbered from index().rows() on.
  void add(std::span<const float> rows);

  std::size_t added() const;
  std::size_t removed() const;

  /// Makes the change, unless there is none. Nothing is trained: lists, codebooks and the rotation
  /// are those of the first build. Throws InputError where there are not as many ids as added rows,
  /// IoError, and what `progress` throws. Once: after it, or after an exception of remove(), add()
  /// or commit(), other calls than index(), added() and removed() throw UsageError.
  CommitReport commit(const BuildProgress& progress = {});

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// What merge_vector_index() did.
struct VectorMergeReport {
  bool is_changed = false;   ///< false: there was nothing to join
  std::size_t vectors = 0;   ///< that are live in the index
  CommitReport committed{};  ///< the last commit: this one, if it changed something
};

/// Joins all segments without removed vectors, in one commit. Does nothing if there is one segment
/// from which nothing was removed. Searches give the same answers afterwards. In an index without
/// ids rows keep their numbers; in one with ids they are numbered anew, without gaps. Checks every
/// section's checksum, then reads and writes the whole index; takes 4 bytes of memory a row. Throws
/// as VectorIndexChange does, and FormatError for a damaged index, which then stays as it is.
VectorMergeReport merge_vector_index(const std::filesystem::path& target,
                                     const BuildProgress& progress = {});

}  // namespace warpdex::vector
