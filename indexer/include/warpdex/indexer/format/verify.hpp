// Reads a whole index and says what is wrong with it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace warpdex {

struct VerifyReport {
  std::vector<std::string> problems;  ///< a sentence each, naming the section; empty: none
  std::uint64_t sections = 0;         ///< checked
  std::uint64_t terms = 0;
  std::uint64_t postings = 0;
  bool ok() const { return problems.empty(); }
};

/// Opens the index at `folder` and checks every section's checksum, then that every list decodes,
/// that terms and docIDs ascend and docIDs stay below the number of documents, that bounds and
/// seeds hold, and that all counts are the manifest's. O(index). `progress` is called with the
/// share done (0 to 1). What Index::open refuses becomes a problem; throws IoError if there is no
/// index.
VerifyReport verify_index(const std::filesystem::path& folder,
                          const std::function<void(double)>& progress = {});

}  // namespace warpdex
