#include "opensearch/search/matching.hpp"

#include <algorithm>

namespace warpdex::server::opensearch {
std::vector<std::uint32_t> matching(const IndexReader& reader, const AskedQuery& query) {
  std::vector<std::uint32_t> documents;
  if (query.kind == QueryKind::kWords) return reader.matching(query.words, query.filter);
  if (query.kind == QueryKind::kAll) {
    for (std::uint32_t i = 0; i < reader.document_end(); ++i) {
      if (reader.is_live(i)) documents.push_back(i);
    }
    return documents;
  }
  for (const std::string& id : query.ids) {
    if (const auto document = reader.find(id)) documents.push_back(*document);
  }
  std::ranges::sort(documents);
  documents.erase(std::unique(documents.begin(), documents.end()), documents.end());
  return documents;
}

}  // namespace warpdex::server::opensearch
