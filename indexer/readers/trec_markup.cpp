// Scans tags, decodes entities, and takes a <DOC> apart.
#include "readers/trec_markup.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>

#include "readers/html_entities.hpp"
#include "warpdex/indexer/readers/html_text.hpp"
#include "warpdex/indexer/readers/text_checks.hpp"

namespace warpdex {
namespace {

constexpr auto kNone = std::string_view::npos;

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }
bool is_letter(char c) { return lower(c) >= 'a' && lower(c) <= 'z'; }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

bool starts_with_name(std::string_view text, std::string_view name) {
  return text.size() > name.size() && (text[name.size()] == '>' || is_blank(text[name.size()])) &&
         std::equal(name.begin(), name.end(), text.begin(),
                    [](char wanted, char c) { return wanted == lower(c); });
}

// Past the '>' of the markup that `text` starts with; kNone where its '<' is only a character:
// not followed by a name, or by another '<' before any '>'.
std::size_t markup_end(std::string_view text) {
  if (text.size() < 2) return kNone;
  if (!is_letter(text[1]) && text[1] != '/' && text[1] != '!' && text[1] != '?') return kNone;
  const std::size_t limit = std::min(text.find('<', 1), text.size());
  const std::size_t close = text.substr(0, limit).find('>');
  return close == kNone ? kNone : close + 1;
}

// The code point of "NN" or "xNN"; nothing where that is no character.
std::optional<char32_t> numeric_entity(std::string_view number) {
  const bool hexadecimal = number.starts_with('x') || number.starts_with('X');
  if (hexadecimal) number.remove_prefix(1);
  std::uint32_t value = 0;
  const char* end = number.data() + number.size();
  const auto result = std::from_chars(number.data(), end, value, hexadecimal ? 16 : 10);
  const bool valid = result.ec == std::errc() && result.ptr == end && !number.empty() &&
                     value > 0 && value <= 0x10FFFF && (value < 0xD800 || value > 0xDFFF);
  return valid ? std::optional<char32_t>(value) : std::nullopt;
}

// Appends what an entity, without & and ;, stands for; false where that is not known.
bool append_entity(std::string& out, std::string_view name) {
  if (name.starts_with('#')) {
    const std::optional<char32_t> value = numeric_entity(name.substr(1));
    if (value) append_utf8(out, *value);
    return value.has_value();
  }
  const std::string* const text = html_entity(name);
  if (text != nullptr) out += *text;
  return text != nullptr;
}

// Takes the text out of what stands between <DOC> and </DOC>.
class TextExtractor {
 public:
  TextExtractor(std::string_view content, const Location& location)
      : rest_(content), location_(location) {}

  Document run() {
    document_.text.reserve(rest_.size());
    while (!rest_.empty()) {
      const std::size_t markup = std::min(rest_.find('<'), rest_.size());
      append_decoded(document_.text, rest_.substr(0, markup));
      rest_.remove_prefix(markup);
      if (!rest_.empty()) take_markup();
    }
    if (!has_id_) {
      fail_document(location_, "this <DOC> has no <DOCNO>; give every document one");
    }
    check_id(document_.id, location_);
    document_.text = std::string(trimmed(document_.text));
    return std::move(document_);
  }

 private:
  void take_markup() {
    const std::size_t end = rest_.starts_with("<!--") ? comment_end() : markup_end(rest_);
    if (end == kNone) {
      document_.text += '<';
      rest_.remove_prefix(1);
      return;
    }
    const std::string_view tag = rest_.substr(1, end - 1);
    const bool is_id = starts_with_name(tag, "docno");
    const bool is_header = starts_with_name(tag, "dochdr");
    rest_.remove_prefix(end);
    document_.text += ' ';
    if (is_id) take_id();
    if (is_header) take_element("dochdr");
  }

  void take_id() {
    if (has_id_) fail_document(location_, "this <DOC> has two <DOCNO>; keep one of them");
    has_id_ = true;
    append_decoded(document_.id, trimmed(take_element("docno")));
  }

  // The content of an element whose start tag is already gone, up to its end tag.
  std::string_view take_element(const std::string& name) {
    const std::optional<TagPlace> end = find_tag(rest_, "/" + name, 0);
    if (!end) {
      fail_document(location_, "this <DOC> has a <" + name +
                                   "> that never closes; close it with </" + name + ">");
    }
    const std::string_view content = rest_.substr(0, end->begin);
    rest_.remove_prefix(end->end);
    return content;
  }

  std::size_t comment_end() {
    if (comments_end_) return kNone;
    const std::size_t end = rest_.find("-->");
    comments_end_ = end == kNone;
    return end == kNone ? kNone : end + 3;
  }

  std::string_view rest_;
  const Location& location_;
  Document document_;
  bool has_id_ = false;
  bool comments_end_ = false;  // no "-->" follows: looked for once, so that all stays linear
};

}  // namespace

void append_decoded(std::string& out, std::string_view text) {
  for (;;) {
    const std::size_t ampersand = std::min(text.find('&'), text.size());
    out.append(text.substr(0, ampersand));
    if (ampersand == text.size()) return;
    text.remove_prefix(ampersand);
    const std::size_t end = text.substr(0, kLongestHtmlEntity + 2).find(';');
    const bool known = end != kNone && append_entity(out, text.substr(1, end - 1));
    if (!known) out += '&';
    text.remove_prefix(known ? end + 1 : 1);
  }
}

std::optional<TagPlace> find_tag(std::string_view text, std::string_view name, std::size_t from) {
  for (std::size_t at = text.find('<', from); at != kNone; at = text.find('<', at + 1)) {
    if (!starts_with_name(text.substr(at + 1), name)) continue;
    const std::size_t end = markup_end(text.substr(at));
    if (end != kNone) return TagPlace{at, at + end};
  }
  return std::nullopt;
}

Document parse_trec(std::string_view record, const Location& location) {
  check_utf8(record, location);
  const std::optional<TagPlace> start = find_tag(record, "doc", 0);
  if (!start || start->begin != 0) {
    fail_document(location, "there is text outside of <DOC> ... </DOC>, from '" +
                                excerpt(trimmed(record)) +
                                "' up to the next <DOC>; remove it or put it into a document");
  }
  const std::optional<TagPlace> end = find_tag(record, "/doc", start->end);
  if (!end) {
    fail_document(location,
                  "this <DOC> is not closed by </DOC> before the next one or the end of the file; "
                  "close it, or fetch the file again if it was cut short");
  }
  return TextExtractor(record.substr(start->end, end->begin - start->end), location).run();
}

}  // namespace warpdex
