// Reads a whole index of vectors and says what is wrong with it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "warpdex/vector/format/vector_index.hpp"

namespace warpdex::vector {

struct VectorVerifyReport {
  std::vector<std::string> problems;  ///< a sentence each; empty: the index is whole
  std::uint64_t sections = 0;         ///< checked
  std::uint64_t rows = 0;
  bool ok() const { return problems.empty(); }
};

/// Opens the index at `folder` and checks every section's checksum, then that components are
/// finite, that norms and codes are the vectors' and that ids can be read. O(index); with codes,
/// all vectors are encoded again. `progress` is called with the share done (0 to 1). What
/// VectorIndex::open refuses becomes a problem; throws IoError if there is no index.
VectorVerifyReport verify_vectors(const std::filesystem::path& folder,
                                  const std::function<void(double)>& progress = {});

/// To be called before an index is uploaded to a GPU: checks all that searches read, which is all
/// but ids. Throws FormatError, which names a section, where one does not have its checksum.
/// O(index).
void check_before_upload(const VectorIndex& index);

/// To be called before vectors or codes are written anew from an index: checks every section.
/// `progress` is called with the share done. Throws FormatError as check_before_upload() does.
/// O(index).
void check_before_copy(const VectorIndex& index, const std::function<void(double)>& progress);

/// Whether the manifest of the index at `folder` says that it holds vectors. False where there is
/// no manifest or a damaged one.
bool is_vector_index(const std::filesystem::path& folder);

}  // namespace warpdex::vector
