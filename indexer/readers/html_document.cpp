// Takes what libxml2's parser of HTML meets, without making a tree of it.
#include "readers/html_document.hpp"

#include <libxml/HTMLparser.h>
#include <libxml/parserInternals.h>

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <new>

#include "warpdex/core/error.hpp"

namespace warpdex {
namespace {

// Elements whose borders part no word.
constexpr auto kInline = std::to_array<std::string_view>(
    {"a",     "abbr", "acronym", "b",      "bdi", "bdo", "big",  "cite", "code", "data", "del",
     "dfn",   "em",   "font",    "i",      "ins", "kbd", "mark", "q",    "ruby", "s",    "samp",
     "small", "span", "strike",  "strong", "sub", "sup", "time", "tt",   "u",    "var",  "wbr"});
static_assert(std::ranges::is_sorted(kInline));

/// The parser's time for an end tag grows with the number of open elements.
constexpr int kMaxDepth = 1000;

constexpr auto kUnseen = std::to_array<std::string_view>({"script", "style", "template"});

/// Text whose white space is that which a browser shows.
class ShownText {
 public:
  void add(std::string_view text) {
    for (const char c : text) {
      if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f') {
        has_space_ = true;
        continue;
      }
      if (!text_.empty() && has_break_) text_ += '\n';
      if (!text_.empty() && has_space_ && !has_break_) text_ += ' ';
      has_space_ = has_break_ = false;
      text_ += c;
    }
  }
  void end_block() { has_break_ = true; }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
  bool has_space_ = false;  // before what comes next
  bool has_break_ = false;
};

class PageHandler {
 public:
  explicit PageHandler(htmlParserCtxt& parser) : parser_(parser) {}

  void start(std::string_view element) {
    if (parser_.nameNr > kMaxDepth) {
      is_too_deep_ = true;
      xmlStopParser(&parser_);
    }
    if (std::ranges::find(kUnseen, element) != kUnseen.end()) ++unseen_;
    if (element == "title" && !has_title_) in_title_ = has_title_ = true;
    end_word(element);
  }
  void end(std::string_view element) {
    if (std::ranges::find(kUnseen, element) != kUnseen.end() && unseen_ > 0) --unseen_;
    if (element == "title") in_title_ = false;
    end_word(element);
  }
  void add(std::string_view text) {
    if (unseen_ == 0) (in_title_ ? title_ : text_).add(text);
  }
  bool is_too_deep() const { return is_too_deep_; }
  HtmlPage take() { return {title_.take(), text_.take()}; }

 private:
  void end_word(std::string_view element) {
    if (!std::ranges::binary_search(kInline, element)) text_.end_block();
  }

  htmlParserCtxt& parser_;
  bool is_too_deep_ = false;
  ShownText title_;
  ShownText text_;
  bool has_title_ = false;
  bool in_title_ = false;
  std::size_t unseen_ = 0;  // elements that are open whose text nobody sees
};

std::string_view view_of(const xmlChar* text) { return reinterpret_cast<const char*>(text); }
PageHandler& handler_of(void* context) { return *static_cast<PageHandler*>(context); }

void on_start(void* context, const xmlChar* name, const xmlChar** /*attributes*/) {
  handler_of(context).start(view_of(name));
}
void on_end(void* context, const xmlChar* name) { handler_of(context).end(view_of(name)); }
void on_text(void* context, const xmlChar* text, int size) {
  handler_of(context).add(view_of(text).substr(0, static_cast<std::size_t>(size)));
}

struct FreeParser {
  void operator()(htmlParserCtxt* parser) const { htmlFreeParserCtxt(parser); }
};

}  // namespace

HtmlPage read_html(std::string_view html) {
  if (html.empty()) return {};
  if (html.size() > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
    throw InputError("a page of HTML may have up to 2 GiB; split it");
  }
  const std::unique_ptr<htmlParserCtxt, FreeParser> parser(
      htmlCreateMemoryParserCtxt(html.data(), static_cast<int>(html.size())));
  if (!parser) throw std::bad_alloc();
  PageHandler handler(*parser);
  htmlSAXHandler events{};
  events.startElement = on_start;
  events.endElement = on_end;
  events.characters = events.ignorableWhitespace = events.cdataBlock = on_text;
  *parser->sax = events;
  parser->userData = &handler;
  htmlCtxtUseOptions(parser.get(), HTML_PARSE_NOERROR | HTML_PARSE_NOWARNING | HTML_PARSE_NONET |
                                       HTML_PARSE_IGNORE_ENC);
  xmlSwitchEncoding(parser.get(), XML_CHAR_ENCODING_UTF8);
  htmlParseDocument(parser.get());
  if (handler.is_too_deep()) {
    throw InputError("elements of the page are nested deeper than " + std::to_string(kMaxDepth) +
                     "; leave it out");
  }
  if (parser->lastError.code == XML_ERR_NO_MEMORY) throw std::bad_alloc();
  return handler.take();
}

}  // namespace warpdex
