// The members of JSON lines that are values of columns.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "readers/json_members.hpp"
#include "warpdex/indexer/readers/document_reader.hpp"

namespace warpdex::json {

/// Safe to use from many threads.
class ColumnMembers {
 public:
  /// Adds the members of these names to `wanted`, unless they are there. `wanted` then refers to
  /// this object.
  ColumnMembers(std::vector<Field> columns, std::vector<Member>& wanted);
  ColumnMembers(const ColumnMembers&) = delete;
  ColumnMembers& operator=(const ColumnMembers&) = delete;

  /// The values of a line whose members, collected, are `members`. Throws BadDocument for one that
  /// its column does not take.
  FieldValues values(std::span<const Member> members, const RawRecord& record) const;

 private:
  std::vector<Field> columns_;
  std::vector<std::size_t> places_;  ///< of columns_ in `wanted`
};

}  // namespace warpdex::json
