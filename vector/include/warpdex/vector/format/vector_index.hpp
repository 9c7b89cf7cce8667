// An index of vectors as it is stored, opened for searching. docs/vector.md has the format.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "warpdex/core/storage/section_file.hpp"
#include "warpdex/vector/binary/binary_settings.hpp"
#include "warpdex/vector/codings/codings.hpp"
#include "warpdex/vector/data/ids.hpp"
#include "warpdex/vector/flat/flat_vectors.hpp"
#include "warpdex/vector/format/vector_segment.hpp"
#include "warpdex/vector/lists/ivf_settings.hpp"
#include "warpdex/vector/metric.hpp"
#include "warpdex/vector/rows/vector_view.hpp"

namespace warpdex::vector {

/// How vectors are found: all are compared, or those of the lists whose centroids are nearest; by
/// themselves or by codes.
struct VectorKind {
  bool in_lists = false;
  CodingKind coding = CodingKind::kRows;

  bool has_codes() const { return coding != CodingKind::kRows; }
  bool operator==(const VectorKind&) const = default;
};

/// "flat", "ivf-flat", "ivf-pq", "xfbq", "ivf-xfbq", "sq8" or "ivf-sq8". Throws UsageError for
/// codes without lists that must have some.
std::string_view vector_kind_name(const VectorKind& kind);
/// The kind of that name; throws UsageError, which lists the names, for another.
VectorKind vector_kind(std::string_view name);

struct VectorIndexSettings {
  Metric metric = Metric::kL2;
  Store store = Store::kFloat;
  std::size_t dimension = 0;  ///< 1 to kMaxDimension
  VectorKind index = {};
  IvfSettings ivf = {};  ///< for lists; of an index that is open, their number only
  PqSettings pq = {};    ///< for product codes; keeps_vectors for all codes
  /// For binary codes; of an index that is open, bits, is_rotated and is_corrected only.
  BinarySettings binary = {};
  /// Of an index that is open: whether codes have terms for products, too, where their coding has
  /// some (HasProductTerms). Not in indexes of version 2.
  bool has_product_terms = true;
};

/// Mapped, not read: opening costs a few system calls, and for an inverted file a pass over the row
/// numbers. Immutable: an open index does not change, whatever is committed to its folder. Any
/// number of threads may read it. Not copied; moving it keeps what it gave out valid.
class VectorIndex {
 public:
  /// Checks the manifest, and size, header and footer of each section, not its checksum. Throws
  /// IoError if there is no index, FormatError if it is damaged or one of another kind.
  static VectorIndex open(const std::filesystem::path& folder);
  ~VectorIndex();
  VectorIndex(VectorIndex&&) noexcept;
  VectorIndex& operator=(VectorIndex&&) noexcept;

  const VectorIndexSettings& settings() const;
  const std::filesystem::path& folder() const;
  /// How often it was changed since it was built.
  std::uint64_t commit() const;
  /// Row numbers are below this. Those of removed rows are never given again.
  std::size_t rows() const;
  /// Vectors that were not removed.
  std::size_t live_rows() const;
  /// Whether there is such a row and it was not removed.
  bool is_live(std::size_t row) const;
  /// One or more, in the order of their rows. All have the centroids, codebooks, rotation and
  /// centre of the first one.
  const std::vector<VectorSegment>& segments() const;

  /// What a search of all vectors reads. Throws UsageError if there are several segments or removed
  /// rows; then search segments(), or use search_index_on_cpu(). After a merge it works again,
  /// except in an index without ids from which rows were removed: its row numbers keep their gaps.
  const SearchedVectors& searched() const;
  /// Likewise what an exact search reads, also of lists. Throws UsageError, too, if the vectors
  /// were not kept.
  const FlatVectors& flat() const;

  IdKind id_kind() const;
  /// The id of a row as text, of a removed one too; for kRows its number. Throws UsageError for a
  /// row that is not stored, FormatError where the table of ids is damaged. O(log rows).
  std::string id(std::size_t row) const;

  /// The sections, in the order of the manifest; names of those of other segments than the first
  /// begin with their segment's.
  const std::vector<SectionInfo>& section_infos() const;
  /// Whether the section's bytes have their checksum. O(bytes).
  bool section_intact(std::size_t section) const;

 private:
  struct State;
  explicit VectorIndex(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace warpdex::vector
