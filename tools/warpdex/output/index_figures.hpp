// Counts and bytes of an index, by part and by purpose.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "output/list_classes.hpp"
#include "warpdex/indexer/format/index.hpp"
#include "warpdex/indexer/format/snapshot.hpp"

namespace warpdex::tools {

/// Bytes for one purpose.
struct Share {
  const char* name;
  std::uint64_t bytes;
};

struct ClassCounts {
  std::uint64_t lists = 0;
  std::uint64_t postings = 0;
};

struct IndexFigures {
  IndexCounts counts;                 ///< of all segments, removed documents included
  std::vector<SectionInfo> sections;  ///< with the bytes of all segments together
  std::vector<Share> shares;          ///< of what postings take, documents' own data left out
  std::uint64_t posting_bytes = 0;    ///< sum of shares
  std::array<ClassCounts, kListClasses.size()> classes;
  std::uint64_t dense_blocks = 0;
  std::uint64_t stored_text_bytes = 0;  ///< of stored documents, unpacked
  std::uint64_t shortest_document = 0;
  std::uint64_t longest_document = 0;
  std::uint64_t empty_documents = 0;
};

/// Reads the headers of all lists: takes time by the number of terms and of documents.
IndexFigures gather_figures(const Snapshot& index);

}  // namespace warpdex::tools
