// What a request asks for: the parameters of its address, or the members of its JSON body. Both are
// read by the same names and the same code, and what nobody reads is refused.
#pragma once

#include <rapidjson/document.h>

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/request.hpp"

namespace warpdex::server {

/// A JSON text as a tree. Throws HttpError (400) for what is no JSON, not UTF-8, or nested deeper
/// than 64. `what` names it in messages: "the body", "line 3".
class JsonText {
 public:
  JsonText(std::string_view text, const std::string& what);
  const rapidjson::Value& root() const { return document_; }

 private:
  rapidjson::Document document_;
};

/// All getters throw HttpError (400), which names the parameter, for a value of another kind or out
/// of its range; they return none for one that is not there. A parameter of the address is a text:
/// numbers are read from it, "true" and "false" are flags (nothing behind the name is true), and
/// lists have commas between their parts.
class Parameters {
 public:
  /// Of the address. The request must outlive this.
  explicit Parameters(const Request& request);
  /// Of an object; `what` names it in messages. Throws HttpError (400) for another value, and for a
  /// member that is there twice. The value must outlive this.
  Parameters(const rapidjson::Value& object, std::string what);

  bool has(std::string_view name) const { return find(name) != nullptr; }
  std::optional<std::string> text(std::string_view name);
  std::optional<bool> flag(std::string_view name);
  std::optional<std::uint64_t> whole(
      std::string_view name, std::uint64_t least = 0,
      std::uint64_t most = std::numeric_limits<std::uint64_t>::max());
  std::optional<float> real(std::string_view name);
  std::optional<std::vector<std::string>> texts(std::string_view name);
  /// The same; a list of a body may be a text with commas, too.
  std::optional<std::vector<std::string>> list(std::string_view name);
  /// That list as one text.
  std::optional<std::string> joined(std::string_view name);
  /// Texts or whole numbers, as texts.
  std::optional<std::vector<std::string>> ids(std::string_view name);
  std::optional<std::vector<float>> reals(std::string_view name);
  /// A value of a JSON body, for those who read it themselves; null if it is not there. An address
  /// has none.
  const rapidjson::Value* json(std::string_view name);

  /// Throws HttpError (400), which names them, if there are parameters that no getter asked for.
  void finish() const;

 private:
  struct Entry {
    std::string_view name;
    std::string_view text;                    ///< of an address
    const rapidjson::Value* value = nullptr;  ///< of a body
    bool is_read = false;
  };
  const Entry* find(std::string_view name) const;
  Entry* take(std::string_view name);
  std::vector<std::string> items(const Entry& entry, bool takes_numbers) const;
  [[noreturn]] void refuse(std::string_view name, const std::string& wanted) const;

  std::vector<Entry> entries_;
  std::string what_;
  std::vector<std::string_view> known_;  ///< names that were asked for, for messages
};

}  // namespace warpdex::server
