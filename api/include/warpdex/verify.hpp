// What a stored index is an index of, and whether it is whole.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace warpdex {

/// What an index is an index of.
enum class IndexContent : std::uint8_t {
  kDocuments,  ///< Writer, Searcher
  kVectors,    ///< VectorIndex
  kObjects,    ///< of a metric space
};

/// By the manifest of the folder; kDocuments where there is none or a damaged one.
IndexContent content_of(const std::filesystem::path& folder);

/// What verify() found.
struct IndexCheck {
  IndexContent content = IndexContent::kDocuments;
  std::vector<std::string> problems{};  ///< a sentence each, naming the section; empty: it is whole
  bool is_of_other_version = false;     ///< which is the problem: nothing is damaged
  bool is_journal_alone = false;        ///< which is the problem: the last commit is whole
  std::uint64_t sections = 0;           ///< checked
  std::uint64_t terms = 0;              ///< of kDocuments
  std::uint64_t postings = 0;           ///< of kDocuments
  std::uint64_t journal_changes = 0;    ///< of kDocuments: what no commit has yet
  std::uint64_t vectors = 0;            ///< of kVectors
  std::uint64_t objects = 0;            ///< of kObjects
};

/// Reads all of an index: the checksum of every section; that lists decode, docIDs ascend and
/// bounds hold; the journal; that components are finite, and norms and codes the vectors'; that
/// permutations and objects are sound; and that all counts are the manifest's. O(index). `progress`
/// is called with the share done, 0 to 1; what it throws ends the call. Throws IoError if there is
/// no index.
IndexCheck verify(const std::filesystem::path& folder,
                  const std::function<void(double)>& progress = {});

}  // namespace warpdex
