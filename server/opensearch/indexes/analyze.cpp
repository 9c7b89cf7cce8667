// The terms of a text.
#include <optional>

#include "opensearch/indexes/index_fields.hpp"
#include "warpdex/indexer/analysis/term_locator.hpp"

namespace warpdex::server::opensearch {
namespace {

/// UTF-16 units before a byte of a text, in which OpenSearch counts; on from the last place that
/// was asked for.
class Utf16Units {
 public:
  explicit Utf16Units(std::string_view text) : text_(text) {}
  std::size_t before(std::size_t offset) {
    for (; at_ < offset; ++at_) {
      const auto byte = static_cast<unsigned char>(text_[at_]);
      count_ += (byte & 0xC0U) != 0x80 ? 1 : 0;
      count_ += byte >= 0xF0 ? 1 : 0;
    }
    return count_;
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t count_ = 0;
};

std::vector<std::string> read_texts(Parameters& members) {
  const rapidjson::Value* const json = members.json("text");
  if (json != nullptr && json->IsString()) return {*members.text("text")};
  const auto texts = members.texts("text");
  if (!texts) throw illegal_argument("the body has no 'text'");
  return *texts;
}

/// That of the index, or the one that the body names.
AnalyzerSettings read_analyzer_of(const Services& services, const Request& request,
                                  Parameters& members) {
  const std::optional<std::string> name = members.text("analyzer");
  const std::optional<std::string> field = members.text("field");
  const bool has_index = !request.arguments.empty();
  if (!has_index && field) throw illegal_argument("'field' is one of an index; name it");
  if (!has_index) return AnalyzerSettings(name.value_or("standard"));
  const std::shared_ptr<const IndexReader> reader = find_index(services, request)->reader();
  if (field && !fields_of(reader->settings()).is_searched(*field)) {
    throw illegal_argument("the field '" + *field + "' is not searched");
  }
  return name ? AnalyzerSettings(*name) : reader->settings().analyzer;
}

void write_terms(const std::string& text, TermLocator& locator, std::size_t before,
                 std::size_t& position, JsonWriter& json) {
  Utf16Units units(text);
  for (const LocatedTerm& term : locator.locate(text)) {
    json.begin_object();
    json.member("token", term.term);
    json.member("start_offset", before + units.before(term.offset));
    json.member("end_offset", before + units.before(term.offset + term.size));
    json.member("type", "word");
    json.member("position", position++);
    json.end_object();
  }
}

}  // namespace

void analyze(Services& services, const ExchangePtr& exchange) {
  Parameters address(exchange->request);
  finish(address);
  const JsonText body(body_or_none(exchange->request), "the body");
  Parameters members(body.root(), "the body");
  TermLocator locator(read_analyzer_of(services, exchange->request, members));
  const std::vector<std::string> texts = read_texts(members);
  members.finish();
  JsonWriter json;
  json.begin_object();
  json.begin_array("tokens");
  std::size_t before = 0;
  std::size_t position = 0;
  for (const std::string& text : texts) {
    if (text.size() > services.options.limits.query_bytes) {
      throw illegal_argument("'text' has more bytes than are allowed: " +
                             std::to_string(services.options.limits.query_bytes));
    }
    write_terms(text, locator, before, position, json);
    before += Utf16Units(text).before(text.size()) + 1;
  }
  json.end_array();
  json.end_object();
  respond(*exchange, json);
}

}  // namespace warpdex::server::opensearch
