// The members of an object of a query in JSON. Internal.
#pragma once

#include <rapidjson/document.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpdex {

/// Throws InputError: "bool.must[1].term: …".
[[noreturn]] void refuse_json(const std::string& place, const std::string& what);

/// The text of a string, number, true or false, as filters and terms have it; none of another.
std::optional<std::string> json_scalar(const rapidjson::Value& value);

/// Getters throw InputError, which names the place, for a value of another kind or out of range,
/// and return none for a member that is not there or null.
class JsonMembers {
 public:
  /// Throws InputError for a value that is no object, and for a member that is there twice. The
  /// value must outlive this.
  JsonMembers(const rapidjson::Value& object, std::string place);

  const std::string& place() const { return place_; }
  /// "bool.must"
  std::string place_of(std::string_view name) const { return place_ + "." + std::string(name); }

  const rapidjson::Value* json(std::string_view name);
  std::optional<std::string> text(std::string_view name);
  std::optional<std::vector<std::string>> texts(std::string_view name);
  std::optional<float> real(std::string_view name);
  /// Also as a text, as OpenSearch takes it.
  std::optional<std::uint32_t> whole(std::string_view name, std::uint32_t most);
  /// One of some words, without regard to case; its place among them.
  std::size_t choice(std::string_view name, const std::vector<std::string_view>& words);
  /// The member boost: 1 by default.
  float boost();
  /// The member tie_breaker: 0 by default.
  float tie_breaker();

  /// The one member that no getter asked for, as {"title": …}; refuses none and several.
  const rapidjson::Value::Member& only(std::string_view what);
  /// Refuses members that nobody asked for.
  void finish() const;

 private:
  const rapidjson::Value& object_;
  std::string place_;
  std::vector<std::string_view> known_;
};

}  // namespace warpdex
