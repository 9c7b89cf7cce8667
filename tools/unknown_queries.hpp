// Notes that no query of a file has a term of the index: most often, the file is not for it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "warpdex/indexer/format/snapshot.hpp"
#include "warpdex/query/query.hpp"

namespace warpdex::tools {

/// Looks at queries as they are answered, until one has a term that a live document has.
class UnknownQueries {
 public:
  /// `index` must outlive this.
  explicit UnknownQueries(const Snapshot& index) : index_(index) {}

  /// Throws FormatError for a damaged index.
  void look_at(std::span<const Query> queries);
  /// What to say once all were seen; none if there is nothing to say.
  std::optional<std::string> note() const;

 private:
  const Snapshot& index_;
  std::uint64_t queries_ = 0;
  bool is_any_known_ = false;
};

}  // namespace warpdex::tools
