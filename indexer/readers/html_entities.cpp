// A table of names, made when it is first asked.
#include "readers/html_entities.hpp"

#include <unicode/utf8.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <unordered_map>

#include "readers/html_entity_names.hpp"

namespace warpdex {
namespace {

using EntityTable = std::unordered_map<std::string_view, std::string>;

/// Of code points as "66+6a".
std::string utf8_of(std::string_view code_points) {
  std::string text;
  for (const char* at = code_points.data(); at < code_points.data() + code_points.size(); ++at) {
    std::uint32_t code_point = 0;
    at = std::from_chars(at, code_points.data() + code_points.size(), code_point, 16).ptr;
    append_utf8(text, code_point);
  }
  return text;
}

EntityTable make_entity_table() {
  EntityTable table;
  auto take_word = [rest = kHtmlEntityNames]() mutable {
    const std::string_view word = rest.substr(0, rest.find_first_of(" \n"));
    rest.remove_prefix(std::min(word.size() + 1, rest.size()));
    return word;
  };
  for (std::string_view name = take_word(); !name.empty(); name = take_word()) {
    table.emplace(name, utf8_of(take_word()));
  }
  return table;
}

}  // namespace

const std::string* html_entity(std::string_view name) {
  static const EntityTable table = make_entity_table();
  const auto found = table.find(name);
  return found == table.end() ? nullptr : &found->second;
}

void append_utf8(std::string& out, char32_t code_point) {
  std::array<std::uint8_t, U8_MAX_LENGTH> bytes{};
  std::size_t size = 0;
  U8_APPEND_UNSAFE(bytes, size, code_point);
  out.append(reinterpret_cast<const char*>(bytes.data()), size);
}

}  // namespace warpdex
