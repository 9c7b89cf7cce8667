// JSONL collections: one JSON object a line, of which the id and the chosen members are kept.
#include <algorithm>
#include <array>
#include <atomic>
#include <set>
#include <span>

#include "readers/input_files.hpp"
#include "readers/json_members.hpp"
#include "readers/readers.hpp"
#include "warpdex/indexer/readers/text_checks.hpp"

namespace warpdex {
namespace {

constexpr std::array<std::string_view, 3> kIdMembers{"id", "_id", "docno"};  // first found wins
constexpr std::size_t kFirstLinesBytes = std::size_t{256} << 10;
constexpr std::string_view kExample =
    "each line must be one JSON object, as "
    "{\"id\": \"7\", \"contents\": \"some text\"}";

class JsonlReader final : public DocumentReader {
 public:
  explicit JsonlReader(const ReaderOptions& options)
      : files_(options.inputs, options.on_read),
        fields_(options.fields),
        documents_with_field_(options.fields.size()) {
    check_fields();
    for (const std::string_view name : kIdMembers) wanted_.push_back({.name = name});
    for (const std::string& field : fields_) {
      const auto known =
          std::find_if(wanted_.begin(), wanted_.end(),
                       [&](const json::Member& member) { return member.name == field; });
      field_places_.push_back(static_cast<std::size_t>(known - wanted_.begin()));
      if (known == wanted_.end()) wanted_.push_back({.name = field});
    }
  }

  bool next(RawRecord& record) override {
    do {
      while (!files_.next_line(record.bytes)) {
        if (files_.at_end()) return false;
      }
    } while (record.bytes.find_first_not_of(" \t\r") == std::string::npos);
    record.location = files_.location();
    if (first_lines_.size() + record.bytes.size() < kFirstLinesBytes) {
      first_lines_ += record.bytes + '\n';
    }
    return true;
  }

  Document parse(const RawRecord& record) const override {
    check_utf8(record.bytes, record.location);
    check_size(record);
    std::string line = record.bytes;  // unescaped in place
    std::vector<json::Member> members = wanted_;
    const json::Collected collected = json::collect_members(line, members);
    if (!collected.error.empty()) fail_syntax(record, collected);
    if (!collected.is_object) fail_root(record);
    if (const json::Member* member = collected.duplicate) {
      fail_document(record.location, "the member '" + std::string(member->name) +
                                         "' occurs twice; keep one of the two");
    }
    Document document{id_of(members, record), text_of(members, record)};
    check_escapes(document, record);
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      if (members[field_places_[i]].kind == json::Kind::kMissing) continue;
      documents_with_field_[i].fetch_add(1, std::memory_order_relaxed);
    }
    return document;
  }

  FieldUse field_use() const override {
    FieldUse use;
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      use.fields.push_back({fields_[i], documents_with_field_[i].load()});
    }
    use.known = json::MemberNames(first_lines_).list();
    return use;
  }

  std::uint64_t bytes_consumed() const override { return files_.bytes_consumed(); }
  std::uint64_t bytes_total() const override { return files_.bytes_total(); }

 private:
  void check_fields() const {
    if (fields_.empty()) throw UsageError("there are no fields; name the JSON members to index");
    std::set<std::string_view> names;
    for (const std::string& field : fields_) {
      if (field.empty()) throw UsageError("a field has no name; give the names of JSON members");
      if (!names.insert(field).second) {
        throw UsageError("the field '" + field + "' is named twice; name each field once");
      }
    }
  }

  static void check_size(const RawRecord& record) {
    if (record.bytes.size() <= json::kMaxLineBytes) return;
    fail_document(record.location, "the line is longer than 4 GiB; split the document");
  }

  static std::string id_of(const std::vector<json::Member>& members, const RawRecord& record) {
    const auto end = members.begin() + kIdMembers.size();
    const auto id = std::find_if(members.begin(), end, [](const json::Member& member) {
      return member.kind != json::Kind::kMissing;
    });
    if (id == end) {
      const std::string null = null_members({members.begin(), end});
      fail_document(record.location,
                    (null.empty() ? "there is no id" : "there is no id, and " + null + " null") +
                        "; give one as the member 'id', '_id' or 'docno' (members here: " +
                        json::MemberNames(record.bytes).list() + ")");
    }
    if (id->kind != json::Kind::kString && id->kind != json::Kind::kInteger) {
      fail_document(record.location, "the member '" + std::string(id->name) + "' is " +
                                         json::kind_name(id->kind) +
                                         "; an id must be a string or an integer");
    }
    check_id(id->value, record.location);
    return std::string(id->value);
  }

  std::string text_of(const std::vector<json::Member>& members, const RawRecord& record) const {
    std::string text;
    bool any = false;
    for (const std::size_t place : field_places_) {
      const json::Member& member = members[place];
      if (member.kind == json::Kind::kMissing) continue;
      if (member.kind != json::Kind::kString) {
        fail_document(record.location, "the member '" + std::string(member.name) + "' is " +
                                           json::kind_name(member.kind) +
                                           "; only strings can be indexed");
      }
      if (any) text += '\n';
      any = true;
      text += member.value;
    }
    if (!any) fail_fields(members, record);
    return text;
  }

  // RapidJSON checks the first half of a surrogate pair only.
  static void check_escapes(const Document& document, const RawRecord& record) {
    if (record.bytes.find("\\u") == std::string::npos) return;
    if (find_invalid_utf8(document.id) == document.id.size() &&
        find_invalid_utf8(document.text) == document.text.size()) {
      return;
    }
    fail_document(record.location,
                  "a \\u escape holds half of a surrogate pair, which is no character; escape "
                  "both halves or write the character itself in UTF-8");
  }

  [[noreturn]] static void fail_syntax(const RawRecord& record, const json::Collected& collected) {
    fail_document(record.location, "this is not valid JSON: " + collected.error + " (at byte " +
                                       std::to_string(collected.error_offset + 1) +
                                       " of the line); " + std::string(kExample));
  }

  [[noreturn]] static void fail_root(const RawRecord& record) {
    const bool array = trimmed(record.bytes).starts_with('[');
    fail_document(record.location,
                  (array ? "this is a JSON array, not an object; split it, as with "
                           "jq -c '.[]', for "
                         : "this is not a JSON object; ") +
                      std::string(kExample));
  }

  [[noreturn]] void fail_fields(const std::vector<json::Member>& members,
                                const RawRecord& record) const {
    std::vector<json::Member> fields;
    for (const std::size_t place : field_places_) fields.push_back(members[place]);
    if (const std::string null = null_members(fields); !null.empty()) {
      fail_document(record.location, null +
                                         " null, so there is nothing to index; give the document a "
                                         "text (it may be empty), or leave it out");
    }
    std::string wanted;
    for (const std::string& field : fields_) wanted += (wanted.empty() ? "'" : ", '") + field + "'";
    fail_document(record.location, "there is no member " + wanted + "; the members here are " +
                                       json::MemberNames(record.bytes).list() +
                                       ": name those to index with --fields");
  }

  // "the member 'a' is", or "the members 'a', 'b' are", of those that are there and null.
  static std::string null_members(std::span<const json::Member> members) {
    std::string names;
    std::size_t count = 0;
    for (const json::Member& member : members) {
      if (!member.seen || member.kind != json::Kind::kMissing) continue;
      names += (count++ == 0 ? "'" : ", '") + std::string(member.name) + "'";
    }
    if (count == 0) return {};
    return count == 1 ? "the member " + names + " is" : "the members " + names + " are";
  }

  InputFiles files_;
  std::vector<std::string> fields_;
  std::vector<json::Member> wanted_;       // the id's members, then fields that are not among them
  std::vector<std::size_t> field_places_;  // of fields_ in wanted_
  mutable std::vector<std::atomic<std::uint64_t>> documents_with_field_;  // one each of fields_
  std::string first_lines_;                                               // for messages
};

}  // namespace

std::unique_ptr<DocumentReader> open_jsonl(const ReaderOptions& options) {
  return std::make_unique<JsonlReader>(options);
}

}  // namespace warpdex
