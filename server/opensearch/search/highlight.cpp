#include "opensearch/search/highlight.hpp"

#include <algorithm>
#include <limits>
#include <optional>

namespace warpdex::server::opensearch {
namespace {

constexpr std::size_t kMaxTagBytes = 1000;

/// A text, or an array of one.
std::optional<std::string> read_tag(Parameters& members, std::string_view name) {
  const rapidjson::Value* const json = members.json(name);
  if (json == nullptr) return std::nullopt;
  const rapidjson::Value* tag = json;
  if (json->IsArray() && json->Size() == 1) tag = &(*json)[0];
  if (!tag->IsString() || tag->GetStringLength() > kMaxTagBytes) {
    throw illegal_argument("'" + std::string(name) +
                           "' of 'highlight' is one text, of 1000 bytes "
                           "at most");
  }
  return std::string(tag->GetString(), tag->GetStringLength());
}

/// What stands beside `fields`, or in one of these. Returns whether there was anything.
void read_snippet(Parameters& members, SnippetSettings& snippet) {
  if (const auto tag = read_tag(members, "pre_tags")) snippet.before = *tag;
  if (const auto tag = read_tag(members, "post_tags")) snippet.after = *tag;
  if (const auto bytes = members.whole("fragment_size", 1, 10'000)) {
    snippet.max_bytes = static_cast<std::size_t>(*bytes);
  }
  const auto fragments = members.whole("number_of_fragments", 0, kMaxFragments);
  if (fragments)
    snippet.fragments = static_cast<std::size_t>(std::max<std::uint64_t>(1, *fragments));
  if (fragments == 0) snippet.max_bytes = std::numeric_limits<std::size_t>::max();  // all of it
}

void read_highlighted(const std::string& name, const rapidjson::Value& json, bool is_alone,
                      const IndexFields& fields, SearchAsk& ask) {
  if (!fields.is_stored(name) || (fields.are_told && !fields.is_searched(name))) {
    throw illegal_argument("the field '" + name + "' cannot be highlighted: it is not " +
                           (fields.is_stored(name) ? "searched" : "stored"));
  }
  if (std::ranges::find(ask.highlighted, name) != ask.highlighted.end()) {
    throw illegal_argument("'highlight' names '" + name + "' twice");
  }
  ask.highlighted.push_back(name);
  Parameters members(json, "'highlight' of '" + name + "'");
  if (is_alone) read_snippet(members, ask.snippet);
  members.finish();
}

}  // namespace

void read_highlight(const rapidjson::Value& json, const IndexFields& fields, SearchAsk& ask) {
  Parameters members(json, "'highlight'");
  ask.snippet.max_bytes = 100;  // as OpenSearch has it
  ask.snippet.fragments = 5;
  read_snippet(members, ask.snippet);
  const std::string encoder = members.text("encoder").value_or("html");
  if (encoder != "html" && encoder != "default") {
    throw illegal_argument("'encoder' of 'highlight' is html or default, not '" + encoder + "'");
  }
  ask.snippet.is_html = encoder == "html";
  const rapidjson::Value* const named = members.json("fields");
  members.finish();
  if (named == nullptr) throw parsing_error("'highlight' has no 'fields'");
  const auto read_all = [&](const rapidjson::Value& object, bool is_alone) {
    if (!object.IsObject()) throw parsing_error("'fields' of 'highlight' are no object");
    for (const auto& field : object.GetObject()) {
      read_highlighted({field.name.GetString(), field.name.GetStringLength()}, field.value,
                       is_alone, fields, ask);
    }
  };
  if (!named->IsArray()) return read_all(*named, named->IsObject() && named->MemberCount() == 1);
  for (const auto& object : named->GetArray()) read_all(object, named->Size() == 1);
}

}  // namespace warpdex::server::opensearch
