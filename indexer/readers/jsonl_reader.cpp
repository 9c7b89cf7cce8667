// JSONL collections: one JSON object a line, of which the id and the chosen members are kept.
#include <rapidjson/error/en.h>
#include <rapidjson/reader.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <set>
#include <span>

#include "warpdex/indexer/readers/input_files.hpp"
#include "warpdex/indexer/readers/readers.hpp"
#include "warpdex/indexer/readers/text_checks.hpp"

namespace warpdex {
namespace {

constexpr std::array<std::string_view, 3> kIdMembers{"id", "_id", "docno"};  // first found wins
constexpr std::string_view kExample =
    "each line must be one JSON object, as "
    "{\"id\": \"7\", \"contents\": \"some text\"}";

// Members that are null count as missing: dumps of databases write them so.
enum class Kind { kMissing, kString, kInteger, kNumber, kBoolean, kArray, kObject };

const char* kind_name(Kind kind) {
  switch (kind) {
    case Kind::kString: return "a string";
    case Kind::kInteger: return "an integer";
    case Kind::kNumber: return "a number with a fraction or exponent";
    case Kind::kBoolean: return "a boolean";
    case Kind::kArray: return "an array";
    case Kind::kObject: return "an object";
    case Kind::kMissing: break;
  }
  return "null";
}

// One member that is looked for, and what was found.
struct Member {
  std::string_view name;
  Kind kind = Kind::kMissing;
  std::string_view value{};  // of a string, unescaped; of a number, as written
  bool seen = false;
};

// RapidJSON's events of one line, of which it keeps the wanted members of the outermost object.
class MemberCollector : public rapidjson::BaseReaderHandler<rapidjson::UTF8<>, MemberCollector> {
 public:
  explicit MemberCollector(std::vector<Member>& members) : members_(members) {}

  bool Default() { return value(Kind::kMissing, {}); }
  bool Bool(bool) { return value(Kind::kBoolean, {}); }
  bool RawNumber(const char* text, rapidjson::SizeType size, bool) {
    const std::string_view digits(text, size);
    const bool integer = digits.find_first_of(".eE") == std::string_view::npos;
    return value(integer ? Kind::kInteger : Kind::kNumber, digits);
  }
  bool String(const char* text, rapidjson::SizeType size, bool) {
    return value(Kind::kString, {text, size});
  }
  bool StartObject() { return start(Kind::kObject); }
  bool StartArray() { return start(Kind::kArray); }
  bool EndObject(rapidjson::SizeType) { return --depth_, true; }
  bool EndArray(rapidjson::SizeType) { return --depth_, true; }

  bool Key(const char* text, rapidjson::SizeType size, bool) {
    if (depth_ != 1) return true;
    const std::string_view name(text, size);
    const auto found = std::find_if(members_.begin(), members_.end(),
                                    [&](const Member& member) { return member.name == name; });
    current_ = found == members_.end() ? nullptr : &*found;
    if (current_ == nullptr) return true;
    if (current_->seen) duplicate_ = current_;
    current_->seen = true;
    return true;
  }

  bool is_object() const { return is_object_; }
  const Member* duplicate() const { return duplicate_; }

 private:
  bool start(Kind kind) {
    value(kind, {});
    if (depth_ == 0) is_object_ = kind == Kind::kObject;
    ++depth_;
    return true;
  }

  bool value(Kind kind, std::string_view text) {
    if (depth_ == 1 && current_ != nullptr) {
      current_->kind = kind;
      current_->value = text;
      current_ = nullptr;
    }
    return true;
  }

  std::vector<Member>& members_;
  Member* current_ = nullptr;  // whose value comes next
  const Member* duplicate_ = nullptr;
  std::size_t depth_ = 0;  // of open objects and arrays
  bool is_object_ = false;
};

// The names of the outermost object's members, for messages.
class NameCollector : public rapidjson::BaseReaderHandler<rapidjson::UTF8<>, NameCollector> {
 public:
  bool StartObject() { return ++depth_, true; }
  bool StartArray() { return ++depth_, true; }
  bool EndObject(rapidjson::SizeType) { return --depth_, true; }
  bool EndArray(rapidjson::SizeType) { return --depth_, true; }
  bool Key(const char* text, rapidjson::SizeType size, bool) {
    if (depth_ == 1) names_.emplace(excerpt({text, size}));
    return true;
  }
  std::string list() const {
    constexpr std::size_t kMost = 20;
    std::string text;
    std::size_t count = 0;
    for (const std::string& name : names_) {
      if (++count > kMost) return text + " and more";
      text += (text.empty() ? "" : ", ") + name;
    }
    return text.empty() ? "none" : text;
  }

 private:
  std::set<std::string> names_;
  std::size_t depth_ = 0;
};

// In place, so that a string without escapes is not copied; iterative, so that no depth of nesting
// can exhaust the stack; numbers as text, so that ids of any length survive.
constexpr unsigned kParseFlags = rapidjson::kParseInsituFlag | rapidjson::kParseIterativeFlag |
                                 rapidjson::kParseNumbersAsStringsFlag;

template <class Handler>
rapidjson::ParseResult parse_in_place(std::string& line, Handler& handler) {
  rapidjson::InsituStringStream stream(line.data());
  rapidjson::Reader reader;
  return reader.Parse<kParseFlags>(stream, handler);
}

std::string names_in(std::string line) {
  NameCollector names;
  parse_in_place(line, names);
  return names.list();
}

class JsonlReader final : public DocumentReader {
 public:
  explicit JsonlReader(const ReaderOptions& options)
      : files_(options.inputs, options.on_read), fields_(options.fields) {
    check_fields();
    for (const std::string_view name : kIdMembers) wanted_.push_back({.name = name});
    for (const std::string& field : fields_) {
      const auto known = std::find_if(wanted_.begin(), wanted_.end(),
                                      [&](const Member& member) { return member.name == field; });
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
    return true;
  }

  Document parse(const RawRecord& record) const override {
    check_utf8(record.bytes, record.location);
    check_size(record);
    std::string line = record.bytes;  // unescaped in place
    std::vector<Member> members = wanted_;
    MemberCollector collector(members);
    const rapidjson::ParseResult result = parse_in_place(line, collector);
    if (result.IsError()) fail_syntax(record, result);
    if (!collector.is_object()) fail_root(record);
    if (const Member* member = collector.duplicate()) {
      fail_document(record.location, "the member '" + std::string(member->name) +
                                         "' occurs twice; keep one of the two");
    }
    Document document{id_of(members, record), text_of(members, record)};
    check_escapes(document, record);
    return document;
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

  // RapidJSON counts the characters of a string in 32 bits.
  static void check_size(const RawRecord& record) {
    if (record.bytes.size() <= std::numeric_limits<rapidjson::SizeType>::max()) return;
    fail_document(record.location, "the line is longer than 4 GiB; split the document");
  }

  static std::string id_of(const std::vector<Member>& members, const RawRecord& record) {
    const auto end = members.begin() + kIdMembers.size();
    const auto id = std::find_if(
        members.begin(), end, [](const Member& member) { return member.kind != Kind::kMissing; });
    if (id == end) {
      const std::string null = null_members({members.begin(), end});
      fail_document(record.location,
                    (null.empty() ? "there is no id" : "there is no id, and " + null + " null") +
                        "; give one as the member 'id', '_id' or 'docno' (members here: " +
                        names_in(record.bytes) + ")");
    }
    if (id->kind != Kind::kString && id->kind != Kind::kInteger) {
      fail_document(record.location, "the member '" + std::string(id->name) + "' is " +
                                         kind_name(id->kind) +
                                         "; an id must be a string or an integer");
    }
    check_id(id->value, record.location);
    return std::string(id->value);
  }

  std::string text_of(const std::vector<Member>& members, const RawRecord& record) const {
    std::string text;
    bool any = false;
    for (const std::size_t place : field_places_) {
      const Member& member = members[place];
      if (member.kind == Kind::kMissing) continue;
      if (member.kind != Kind::kString) {
        fail_document(record.location, "the member '" + std::string(member.name) + "' is " +
                                           kind_name(member.kind) +
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

  [[noreturn]] static void fail_syntax(const RawRecord& record, rapidjson::ParseResult result) {
    std::string reason = rapidjson::GetParseError_En(result.Code());
    if (reason.ends_with('.')) reason.pop_back();
    fail_document(record.location, "this is not valid JSON: " + reason + " (at byte " +
                                       std::to_string(result.Offset() + 1) + " of the line); " +
                                       std::string(kExample));
  }

  [[noreturn]] static void fail_root(const RawRecord& record) {
    const bool array = trimmed(record.bytes).starts_with('[');
    fail_document(record.location,
                  (array ? "this is a JSON array, not an object; split it, as with "
                           "jq -c '.[]', for "
                         : "this is not a JSON object; ") +
                      std::string(kExample));
  }

  [[noreturn]] void fail_fields(const std::vector<Member>& members, const RawRecord& record) const {
    std::vector<Member> fields;
    for (const std::size_t place : field_places_) fields.push_back(members[place]);
    if (const std::string null = null_members(fields); !null.empty()) {
      fail_document(record.location, null +
                                         " null, so there is nothing to index; give the document a "
                                         "text (it may be empty), or leave it out");
    }
    std::string wanted;
    for (const std::string& field : fields_) wanted += (wanted.empty() ? "'" : ", '") + field + "'";
    fail_document(record.location, "there is no member " + wanted + "; the members here are " +
                                       names_in(record.bytes) +
                                       ": name those to index with --fields");
  }

  // "the member 'a' is", or "the members 'a', 'b' are", of those that are there and null.
  static std::string null_members(std::span<const Member> members) {
    std::string names;
    std::size_t count = 0;
    for (const Member& member : members) {
      if (!member.seen || member.kind != Kind::kMissing) continue;
      names += (count++ == 0 ? "'" : ", '") + std::string(member.name) + "'";
    }
    if (count == 0) return {};
    return count == 1 ? "the member " + names + " is" : "the members " + names + " are";
  }

  InputFiles files_;
  std::vector<std::string> fields_;
  std::vector<Member> wanted_;             // the id's members, then fields that are not among them
  std::vector<std::size_t> field_places_;  // of fields_ in wanted_
};

}  // namespace

std::unique_ptr<DocumentReader> open_jsonl(const ReaderOptions& options) {
  return std::make_unique<JsonlReader>(options);
}

}  // namespace warpdex
