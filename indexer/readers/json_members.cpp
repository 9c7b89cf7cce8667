// Members by RapidJSON's events, parsed in place.
#include "readers/json_members.hpp"

#include <rapidjson/error/en.h>
#include <rapidjson/reader.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <system_error>

#include "warpdex/indexer/readers/text_checks.hpp"

namespace warpdex::json {
namespace {

// RapidJSON counts the characters of a string in 32 bits.
static_assert(kMaxLineBytes <= std::numeric_limits<rapidjson::SizeType>::max());

// RapidJSON's events of one line, of which it keeps the wanted members of the outermost object.
class MemberCollector : public rapidjson::BaseReaderHandler<rapidjson::UTF8<>, MemberCollector> {
 public:
  explicit MemberCollector(std::vector<Member>& members, ObjectMember* inner = nullptr,
                           std::span<NumberArray> arrays = {})
      : members_(members), inner_(inner), arrays_(arrays) {}

  bool Default() { return value(Kind::kMissing, {}); }
  bool Bool(bool is_true) { return value(Kind::kBoolean, is_true ? "true" : "false"); }
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
  bool EndArray(rapidjson::SizeType) {
    if (--depth_ == 1) with_items_ = nullptr;
    return true;
  }

  bool Key(const char* text, rapidjson::SizeType size, bool) {
    const std::string_view name(text, size);
    if (depth_ == 2 && is_in_inner_) inner_->entries.push_back({.name = name, .seen = true});
    if (depth_ != 1) return true;
    is_in_inner_ = inner_ != nullptr && inner_->name == name;
    const auto array = std::ranges::find(arrays_, name, &NumberArray::name);
    array_ = array == arrays_.end() ? nullptr : &*array;
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
    const bool has_items = depth_ == 1 && kind == Kind::kArray && current_ != nullptr;
    if (has_items && current_->wants_items) with_items_ = current_;
    value(kind, {});
    if (depth_ == 0) is_object_ = kind == Kind::kObject;
    if (depth_ == 1 && array_ != nullptr && kind == Kind::kArray) {
      array_->has_others |= array_->is_array;  // a second one of that name
      array_->is_array = true;
    }
    ++depth_;
    return true;
  }

  bool value(Kind kind, std::string_view text) {
    if (depth_ == 1 && current_ != nullptr) {
      current_->kind = kind;
      current_->value = text;
      current_ = nullptr;
    }
    if (depth_ == 2 && is_in_inner_ && !inner_->entries.empty()) {
      inner_->entries.back().kind = kind;
      inner_->entries.back().value = text;
    }
    if (depth_ == 2 && array_ != nullptr) add_number(kind, text);
    if (depth_ == 2 && with_items_ != nullptr) with_items_->items.push_back({kind, text});
    return true;
  }

  void add_number(Kind kind, std::string_view text) {
    double number = 0;
    const bool is_number = kind == Kind::kInteger || kind == Kind::kNumber;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
    if (read.ec == std::errc::result_out_of_range) number = std::numeric_limits<double>::infinity();
    array_->has_others |= !is_number;
    array_->numbers.push_back(static_cast<float>(number));
  }

  std::vector<Member>& members_;
  ObjectMember* inner_;
  std::span<NumberArray> arrays_;
  bool is_in_inner_ = false;      // the outermost object's member of that name
  NumberArray* array_ = nullptr;  // whose member this is
  Member* current_ = nullptr;     // whose value comes next
  Member* with_items_ = nullptr;  // whose array this is
  const Member* duplicate_ = nullptr;
  std::size_t depth_ = 0;  // of open objects and arrays
  bool is_object_ = false;
};

// The names of the outermost object's members.
class NameCollector : public rapidjson::BaseReaderHandler<rapidjson::UTF8<>, NameCollector> {
 public:
  explicit NameCollector(std::set<std::string>& names) : names_(names) {}

  bool StartObject() { return ++depth_, true; }
  bool StartArray() { return ++depth_, true; }
  bool EndObject(rapidjson::SizeType) { return --depth_, true; }
  bool EndArray(rapidjson::SizeType) { return --depth_, true; }
  bool Key(const char* text, rapidjson::SizeType size, bool) {
    if (depth_ == 1) names_.emplace(excerpt({text, size}));
    return true;
  }

 private:
  std::set<std::string>& names_;
  std::size_t depth_ = 0;
};

// In place, so that a string without escapes is not copied; iterative, so that no depth of nesting
// can exhaust the stack; numbers as text, so that ids of any length survive.
constexpr unsigned kParseFlags = rapidjson::kParseInsituFlag | rapidjson::kParseIterativeFlag |
                                 rapidjson::kParseNumbersAsStringsFlag;

template <unsigned flags = kParseFlags, class Handler>
rapidjson::ParseResult parse_in_place(std::string& line, Handler& handler) {
  rapidjson::InsituStringStream stream(line.data());
  rapidjson::Reader reader;
  return reader.Parse<flags>(stream, handler);
}

Collected collected(const rapidjson::ParseResult& result, const MemberCollector& collector) {
  Collected found;
  if (result.IsError()) {
    found.error = rapidjson::GetParseError_En(result.Code());
    if (found.error.ends_with('.')) found.error.pop_back();
    found.error_offset = result.Offset();
  }
  found.is_object = collector.is_object();
  found.duplicate = collector.duplicate();
  return found;
}

}  // namespace

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

Collected collect_members(std::string& line, std::vector<Member>& members) {
  MemberCollector collector(members);
  return collected(parse_in_place(line, collector), collector);
}

Collected collect_members(std::string& line, std::vector<Member>& members, ObjectMember& inner) {
  MemberCollector collector(members, &inner);
  constexpr unsigned kFlags = kParseFlags | rapidjson::kParseNanAndInfFlag;
  return collected(parse_in_place<kFlags>(line, collector), collector);
}

Collected collect_members(std::string& line, std::vector<Member>& members,
                          std::span<NumberArray> arrays) {
  MemberCollector collector(members, nullptr, arrays);
  return collected(parse_in_place(line, collector), collector);
}

MemberNames::MemberNames(std::string_view lines) {
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    std::string line(lines.substr(0, end));
    NameCollector names(names_);
    parse_in_place(line, names);
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
}

std::string MemberNames::list() const {
  constexpr std::size_t kMax = 20;
  std::string text;
  std::size_t count = 0;
  for (const std::string& name : names_) {
    if (++count > kMax) return text + " and more";
    text += (text.empty() ? "" : ", ") + name;
  }
  return text.empty() ? "none" : text;
}

}  // namespace warpdex::json
