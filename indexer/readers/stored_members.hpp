// The members of JSON lines that are to be stored.
#pragma once

#include <atomic>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "readers/json_members.hpp"
#include "warpdex/indexer/readers/document_reader.hpp"

namespace warpdex::json {

/// Safe to use from many threads.
class StoredMembers {
 public:
  /// Adds the members of these names to `wanted`, unless they are there. `wanted` then refers to
  /// this object. Throws UsageError for a name that is empty or given twice.
  StoredMembers(std::vector<std::string> names, std::vector<Member>& wanted);
  StoredMembers(const StoredMembers&) = delete;
  StoredMembers& operator=(const StoredMembers&) = delete;

  /// What is stored of a line whose members, collected, are `members`. Throws BadDocument for a
  /// member that is neither a string nor a number.
  std::vector<std::optional<std::string>> values(std::span<const Member> members,
                                                 const RawRecord& record) const;

  /// How many lines had each of them.
  std::vector<FieldCount> counts() const;

 private:
  std::vector<std::string> names_;
  std::vector<std::size_t> places_;                            ///< of names_ in `wanted`
  mutable std::vector<std::atomic<std::uint64_t>> documents_;  ///< one each of names_
};

}  // namespace warpdex::json
