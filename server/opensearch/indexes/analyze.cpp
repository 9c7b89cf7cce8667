// The terms of a text.
#include <optional>

#include "opensearch/indexes/index_fields.hpp"
#include "warpdex/indexer/analysis/analyzer.hpp"

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
  if (name) return *name;
  const Schema& schema = reader->settings().schema;
  const auto place = field ? schema.find(*field) : std::nullopt;
  const std::string own = place ? schema.fields[*place].analyzer : "";
  return own.empty() ? reader->settings().analyzer : AnalyzerSettings(own);
}

/// Returns how many positions the text takes.
std::size_t write_terms(const std::string& text, Analyzer& analyzer, std::size_t before,
                        std::size_t position, JsonWriter& json) {
  std::vector<Token> tokens;
  const std::size_t positions = analyzer.locate(text, tokens).positions;
  Utf16Units begins(text);
  Utf16Units ends(text);
  for (const Token& token : tokens) {
    json.begin_object();
    json.member("token", token.term);
    json.member("start_offset", before + begins.before(token.begin));
    json.member("end_offset", before + ends.before(token.end));
    json.member("type", "word");
    json.member("position", position + token.position);
    json.end_object();
  }
  return positions;
}

}  // namespace

void analyze(Services& services, const ExchangePtr& exchange) {
  Parameters address(exchange->request);
  finish(address);
  const JsonText body(body_or_none(exchange->request), "the body");
  Parameters members(body.root(), "the body");
  const auto analyzer = make_analyzer(read_analyzer_of(services, exchange->request, members));
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
    position += write_terms(text, *analyzer, before, position, json);
    before += Utf16Units(text).before(text.size()) + 1;
  }
  json.end_array();
  json.end_object();
  respond(*exchange, json);
}

}  // namespace warpdex::server::opensearch
