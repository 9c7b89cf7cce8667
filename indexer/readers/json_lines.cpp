// Ids and checks of JSON lines.
#include "readers/json_lines.hpp"

#include <algorithm>
#include <array>

#include "warpdex/indexer/analysis/utf8.hpp"
#include "warpdex/indexer/readers/text_checks.hpp"

namespace warpdex::json {
namespace {

constexpr std::array<std::string_view, 3> kIdMembers{"id", "_id", "docno"};  // first found wins

[[noreturn]] void fail_syntax(const RawRecord& record, const Collected& collected,
                              std::string_view example) {
  fail_document(record.location, "this is not valid JSON: " + collected.error + " (at byte " +
                                     std::to_string(collected.error_offset + 1) +
                                     " of the line); " + std::string(example));
}

[[noreturn]] void fail_root(const RawRecord& record, std::string_view example) {
  const bool array = trimmed(record.bytes).starts_with('[');
  fail_document(record.location, (array ? "this is a JSON array, not an object; split it, as with "
                                          "jq -c '.[]', for "
                                        : "this is not a JSON object; ") +
                                     std::string(example));
}

}  // namespace

std::vector<Member> id_members() {
  std::vector<Member> members;
  for (const std::string_view name : kIdMembers) members.push_back({.name = name});
  return members;
}

bool next_record(InputFiles& files, RawRecord& record) {
  do {
    while (!files.next_line(record.bytes)) {
      if (files.at_end()) return false;
    }
  } while (!files.is_long_line() && record.bytes.find_first_not_of(" \t\r") == std::string::npos);
  record.location = files.location();
  record.problem.clear();
  if (files.is_long_line()) set_too_long(record, files.max_line_bytes());
  return true;
}

void check_size(const RawRecord& record) {
  if (record.bytes.size() <= kMaxLineBytes) return;
  fail_document(record.location, "the line is longer than 4 GiB; split the document");
}

void check_record(const RawRecord& record, const Collected& collected, std::string_view example) {
  if (!collected.error.empty()) fail_syntax(record, collected, example);
  if (!collected.is_object) fail_root(record, example);
  if (const Member* member = collected.duplicate) {
    fail_document(record.location, "the member '" + std::string(member->name) +
                                       "' occurs twice; keep one of the two");
  }
}

std::string id_of(std::span<const Member> members, const RawRecord& record) {
  const auto ids = members.first(kIdMembers.size());
  const auto id = std::find_if(ids.begin(), ids.end(),
                               [](const Member& member) { return member.kind != Kind::kMissing; });
  if (id == ids.end()) {
    const std::string null = null_members(ids);
    fail_document(record.location,
                  (null.empty() ? "there is no id" : "there is no id, and " + null + " null") +
                      "; give one as the member 'id', '_id' or 'docno' (members here: " +
                      MemberNames(record.bytes).list() + ")");
  }
  if (id->kind != Kind::kString && id->kind != Kind::kInteger) {
    fail_document(record.location, "the member '" + std::string(id->name) + "' is " +
                                       kind_name(id->kind) +
                                       "; an id must be a string or an integer");
  }
  check_id(id->value, record.location);
  return std::string(id->value);
}

void check_escapes(const RawRecord& record, std::initializer_list<std::string_view> texts) {
  if (record.bytes.find("\\u") == std::string::npos) return;
  for (const std::string_view text : texts) {
    if (analysis::find_invalid_utf8(text) == text.size()) continue;
    fail_document(record.location,
                  "a \\u escape holds half of a surrogate pair, which is no character; escape "
                  "both halves or write the character itself in UTF-8");
  }
}

std::string null_members(std::span<const Member> members) {
  std::string names;
  std::size_t count = 0;
  for (const Member& member : members) {
    if (!member.seen || member.kind != Kind::kMissing) continue;
    names += (count++ == 0 ? "'" : ", '") + std::string(member.name) + "'";
  }
  if (count == 0) return {};
  return count == 1 ? "the member " + names + " is" : "the members " + names + " are";
}

}  // namespace warpdex::json
