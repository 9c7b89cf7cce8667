// The parts of a whole as they described themselves. Internal.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "warpdex/indexer/format/bm25.hpp"
#include "warpdex/query/scorer.hpp"
#include "warpdex/query/shards/messages.hpp"

namespace warpdex::shards {

/// Immutable.
class Whole {
 public:
  /// Throws UsageError, which names the part, where they are not parts of one whole.
  explicit Whole(std::vector<PartDescription> parts);

  const std::vector<PartDescription>& parts() const { return parts_; }
  std::uint64_t documents() const { return documents_; }
  const CollectionStatistics& collection() const { return collection_; }
  const std::vector<CollectionStatistics>& texts() const { return texts_; }
  /// Of all parts.
  const std::vector<Field>& columns() const { return columns_; }
  /// The part's share of all documents, 0 to 1.
  double share(std::uint32_t part) const;
  /// As effective_scorer() of each part's index.
  ScorerSettings scorer(const ScorerSettings& wanted) const;

 private:
  std::vector<PartDescription> parts_;
  std::uint64_t documents_ = 0;
  CollectionStatistics collection_;
  std::vector<CollectionStatistics> texts_;
  std::vector<Field> columns_;
};

}  // namespace warpdex::shards
