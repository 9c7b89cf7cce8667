#include "syntax/json_members.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "warpdex/core/error.hpp"
#include "warpdex/core/number_text.hpp"
#include "warpdex/query/query.hpp"

namespace warpdex {
namespace {

std::string_view name_of_member(const rapidjson::Value::Member& member) {
  return {member.name.GetString(), member.name.GetStringLength()};
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return lower;
}

}  // namespace

void refuse_json(const std::string& place, const std::string& what) {
  throw InputError(place + ": " + what);
}

std::optional<std::string> json_scalar(const rapidjson::Value& value) {
  if (value.IsString()) return std::string(value.GetString(), value.GetStringLength());
  if (value.IsBool()) return value.GetBool() ? "true" : "false";
  if (value.IsInt64()) return std::to_string(value.GetInt64());
  if (value.IsUint64()) return std::to_string(value.GetUint64());
  if (!value.IsDouble()) return std::nullopt;
  char digits[32];
  const auto end = std::to_chars(std::begin(digits), std::end(digits), value.GetDouble());
  return std::string(digits, end.ptr);
}

JsonMembers::JsonMembers(const rapidjson::Value& object, std::string place)
    : object_(object), place_(std::move(place)) {
  if (!object.IsObject()) refuse_json(place_, "an object stands here, {…}");
  std::vector<std::string_view> names;
  names.reserve(object.MemberCount());
  for (const auto& member : object.GetObject()) names.push_back(name_of_member(member));
  std::ranges::sort(names);
  const auto twice = std::ranges::adjacent_find(names);
  if (twice != names.end()) refuse_json(place_, "'" + std::string(*twice) + "' is there twice");
}

const rapidjson::Value* JsonMembers::json(std::string_view name) {
  known_.push_back(name);
  for (const auto& member : object_.GetObject()) {
    if (name_of_member(member) == name && !member.value.IsNull()) return &member.value;
  }
  return nullptr;
}

std::optional<std::string> JsonMembers::text(std::string_view name) {
  const rapidjson::Value* const value = json(name);
  if (value == nullptr) return std::nullopt;
  std::optional<std::string> text = json_scalar(*value);
  if (!text) refuse_json(place_of(name), "a text stands here");
  return text;
}

std::optional<std::vector<std::string>> JsonMembers::texts(std::string_view name) {
  const rapidjson::Value* const value = json(name);
  if (value == nullptr) return std::nullopt;
  std::vector<std::string> found;
  if (!value->IsArray()) refuse_json(place_of(name), "an array of texts stands here, […]");
  for (const auto& each : value->GetArray()) {
    std::optional<std::string> text = json_scalar(each);
    if (!text) {
      refuse_json(place_of(name) + "[" + std::to_string(found.size()) + "]", "a text stands here");
    }
    found.push_back(std::move(*text));
  }
  return found;
}

std::optional<float> JsonMembers::real(std::string_view name) {
  const rapidjson::Value* const value = json(name);
  if (value == nullptr) return std::nullopt;
  if (!value->IsNumber()) refuse_json(place_of(name), "a number stands here");
  return static_cast<float>(value->GetDouble());
}

std::optional<std::uint32_t> JsonMembers::whole(std::string_view name, std::uint32_t most) {
  const rapidjson::Value* const value = json(name);
  if (value == nullptr) return std::nullopt;
  const std::string text = json_scalar(*value).value_or("");
  std::uint32_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec == std::errc() && read.ptr == text.data() + text.size() && number <= most) {
    return number;
  }
  refuse_json(place_of(name), "a whole number from 0 to " + std::to_string(most) + " stands here");
}

std::size_t JsonMembers::choice(std::string_view name, const std::vector<std::string_view>& words) {
  const std::optional<std::string> given = text(name);
  if (!given) return 0;
  const auto found = std::ranges::find(words, lower_case(*given));
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  std::string all;
  for (const std::string_view word : words) all += (all.empty() ? "" : " or ") + std::string(word);
  refuse_json(place_of(name), all + " stands here, not '" + *given + "'");
}

float JsonMembers::boost() {
  const float boost = real("boost").value_or(1);
  if (boost == 0 || (boost >= kMinQueryWeight && boost <= kMaxQueryWeight)) return boost;
  refuse_json(place_of("boost"), "0, or a number from 1e-9 to 1e9 stands here");
}

float JsonMembers::tie_breaker() {
  const float given = real("tie_breaker").value_or(0);
  if (given >= 0 && given <= 1) return given;
  refuse_json(place_of("tie_breaker"), "a number from 0 to 1 stands here");
}

const rapidjson::Value::Member& JsonMembers::only(std::string_view what) {
  const rapidjson::Value::Member* found = nullptr;
  for (const auto& member : object_.GetObject()) {
    if (std::ranges::find(known_, name_of_member(member)) != known_.end()) continue;
    if (found != nullptr) {
      refuse_json(place_, "one " + std::string(what) + " stands here, not '" +
                              std::string(name_of_member(*found)) + "' and '" +
                              std::string(name_of_member(member)) + "'");
    }
    found = &member;
  }
  if (found == nullptr) refuse_json(place_, "there is no " + std::string(what));
  known_.push_back(name_of_member(*found));
  return *found;
}

void JsonMembers::finish() const {
  for (const auto& member : object_.GetObject()) {
    if (std::ranges::find(known_, name_of_member(member)) != known_.end()) continue;
    std::string names;
    for (const std::string_view name : known_) {
      names += (names.empty() ? "" : ", ") + std::string(name);
    }
    refuse_json(place_,
                "there is no '" + std::string(name_of_member(member)) + "'; there are " + names);
  }
}

}  // namespace warpdex
