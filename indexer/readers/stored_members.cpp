// Finds stored members among those that are collected.
#include "readers/stored_members.hpp"

#include <algorithm>
#include <utility>

#include "readers/json_lines.hpp"
#include "warpdex/indexer/readers/text_checks.hpp"

namespace warpdex::json {

StoredMembers::StoredMembers(std::vector<std::string> names, std::vector<Member>& wanted)
    : names_(std::move(names)), documents_(names_.size()) {
  for (std::size_t i = 0; i < names_.size(); ++i) {
    const std::string& name = names_[i];
    if (name.empty()) throw UsageError("a field to store has no name; give names of JSON members");
    if (std::find(names_.begin(), names_.begin() + static_cast<std::ptrdiff_t>(i), name) !=
        names_.begin() + static_cast<std::ptrdiff_t>(i)) {
      throw UsageError("the field '" + name + "' is to be stored twice; name each field once");
    }
    const auto known = std::find_if(wanted.begin(), wanted.end(),
                                    [&](const Member& member) { return member.name == name; });
    places_.push_back(static_cast<std::size_t>(known - wanted.begin()));
    if (known == wanted.end()) wanted.push_back({.name = name});
  }
}

std::vector<std::optional<std::string>> StoredMembers::values(std::span<const Member> members,
                                                              const RawRecord& record) const {
  std::vector<std::optional<std::string>> values(names_.size());
  for (std::size_t i = 0; i < names_.size(); ++i) {
    const Member& member = members[places_[i]];
    if (member.kind == Kind::kMissing) continue;
    if (member.kind != Kind::kString && member.kind != Kind::kInteger &&
        member.kind != Kind::kNumber) {
      fail_document(record.location, "the member '" + names_[i] + "' is " + kind_name(member.kind) +
                                         "; only strings and numbers can be stored");
    }
    check_escapes(record, {member.value});
    values[i].emplace(member.value);
    documents_[i].fetch_add(1, std::memory_order_relaxed);
  }
  return values;
}

std::vector<FieldCount> StoredMembers::counts() const {
  std::vector<FieldCount> counts;
  for (std::size_t i = 0; i < names_.size(); ++i) counts.push_back({names_[i], documents_[i]});
  return counts;
}

}  // namespace warpdex::json
