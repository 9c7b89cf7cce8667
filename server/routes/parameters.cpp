#include "routes/parameters.hpp"

#include <rapidjson/error/en.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "http/error.hpp"

namespace warpdex::server {
namespace {

constexpr std::size_t kMaxDepth = 64;

/// Throws HttpError (400) for a text that is nested deeper than kMaxDepth. Looks at brackets
/// outside of strings only, before anything is built of the text.
void check_depth(std::string_view text, const std::string& what) {
  std::size_t depth = 0;
  bool is_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char letter = text[i];
    if (is_string) {
      if (letter == '\\') ++i;
      if (letter == '"') is_string = false;
    } else if (letter == '"') {
      is_string = true;
    } else if (letter == '{' || letter == '[') {
      if (++depth > kMaxDepth) {
        throw bad_request(what + " is nested deeper than " + std::to_string(kMaxDepth) +
                          " levels; make it flatter");
      }
    } else if ((letter == '}' || letter == ']') && depth > 0) {
      --depth;
    }
  }
}

/// Of JSON: throws where an escape is the second half of a surrogate pair alone, which is no
/// character. RapidJSON checks what follows a first half, but takes a second one.
void check_escapes(std::string_view text, const std::string& what) {
  for (std::size_t i = text.find('\\'); i != std::string_view::npos; i = text.find('\\', i)) {
    const bool may_be_half = text[i + 1] == 'u' && (text[i + 2] == 'd' || text[i + 2] == 'D');
    const char third = may_be_half ? text[i + 3] : '0';
    if (std::string_view("cdefCDEF").find(third) != std::string_view::npos) {
      throw bad_request(what + " has half of a surrogate pair at byte " + std::to_string(i) +
                        ", which is no character");
    }
    const bool is_pair = std::string_view("89abAB").find(third) != std::string_view::npos;
    i += is_pair ? 12 : 2;
  }
}

std::string_view view_of(const rapidjson::Value& value) {
  return {value.GetString(), value.GetStringLength()};
}

template <class Number>
std::optional<Number> number_of(std::string_view text) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return number;
}

std::vector<std::string_view> parts_of(std::string_view text) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(','), text.size());
    if (end > 0) parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

std::vector<std::string> strings_of(std::string_view text) {
  const std::vector<std::string_view> parts = parts_of(text);
  return {parts.begin(), parts.end()};
}

/// A finite float, or none.
std::optional<float> float_of(const rapidjson::Value& value) {
  if (!value.IsNumber()) return std::nullopt;
  const float number = static_cast<float>(value.GetDouble());
  return std::isfinite(number) ? std::optional(number) : std::nullopt;
}

std::optional<float> float_of(std::string_view text) {
  const std::optional<double> number = number_of<double>(text);
  if (!number || !std::isfinite(static_cast<float>(*number))) return std::nullopt;
  return static_cast<float>(*number);
}

}  // namespace

JsonText::JsonText(std::string_view text, const std::string& what) {
  check_depth(text, what);
  // RapidJSON takes a zero byte for the end, and passes over what is behind it.
  if (const std::size_t zero = text.find('\0'); zero != std::string_view::npos) {
    throw bad_request(what + " is no JSON: at byte " + std::to_string(zero) + ": a zero byte");
  }
  // Not in RapidJSON's full precision, which makes any number of a zero with an exponent (0E88).
  // The double may be off by some units in the last place, a float that is made of it is right.
  constexpr unsigned kFlags =
      rapidjson::kParseValidateEncodingFlag | rapidjson::kParseIterativeFlag;
  document_.Parse<kFlags>(text.data(), text.size());
  if (document_.HasParseError()) {
    throw bad_request(what + " is no JSON: at byte " + std::to_string(document_.GetErrorOffset()) +
                      ": " + rapidjson::GetParseError_En(document_.GetParseError()));
  }
  check_escapes(text, what);
}

Parameters::Parameters(const Request& request) : what_("the address") {
  entries_.reserve(request.query.size());
  for (const auto& [name, text] : request.query) entries_.push_back({name, text});
}

Parameters::Parameters(const rapidjson::Value& object, std::string what) : what_(std::move(what)) {
  if (!object.IsObject()) throw bad_request(what_ + " must be a JSON object");
  entries_.reserve(object.MemberCount());
  for (const auto& member : object.GetObject()) {
    const std::string_view name = view_of(member.name);
    if (find(name) != nullptr) {
      throw bad_request(what_ + " has the member '" + std::string(name) + "' twice; give it once");
    }
    entries_.push_back({name, {}, &member.value});
    if (entries_.size() > 256) throw bad_request(what_ + " has more than 256 members");
  }
}

const Parameters::Entry* Parameters::find(std::string_view name) const {
  for (const Entry& entry : entries_) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

Parameters::Entry* Parameters::take(std::string_view name) {
  if (std::ranges::find(known_, name) == known_.end()) known_.push_back(name);
  for (Entry& entry : entries_) {
    if (entry.name != name) continue;
    entry.is_read = true;
    return &entry;
  }
  return nullptr;
}

void Parameters::refuse(std::string_view name, const std::string& wanted) const {
  throw bad_request(what_ + " has a '" + std::string(name) + "' that is no " + wanted);
}

std::optional<std::string> Parameters::text(std::string_view name) {
  const Entry* const entry = take(name);
  if (entry == nullptr) return std::nullopt;
  if (entry->value == nullptr) return std::string(entry->text);
  if (!entry->value->IsString()) refuse(name, "text");
  return std::string(view_of(*entry->value));
}

std::optional<bool> Parameters::flag(std::string_view name) {
  const Entry* const entry = take(name);
  if (entry == nullptr) return std::nullopt;
  if (entry->value != nullptr) {
    if (!entry->value->IsBool()) refuse(name, "true or false");
    return entry->value->GetBool();
  }
  if (entry->text.empty() || entry->text == "true") return true;
  if (entry->text != "false") refuse(name, "true or false");
  return false;
}

std::optional<std::uint64_t> Parameters::whole(std::string_view name, std::uint64_t least,
                                               std::uint64_t most) {
  const Entry* const entry = take(name);
  if (entry == nullptr) return std::nullopt;
  std::optional<std::uint64_t> number;
  if (entry->value == nullptr) {
    number = number_of<std::uint64_t>(entry->text);
  } else if (entry->value->IsUint64()) {
    number = entry->value->GetUint64();
  }
  if (!number || *number < least || *number > most) {
    refuse(name, "whole number " +
                     (most == std::numeric_limits<std::uint64_t>::max()
                          ? "of " + std::to_string(least) + " or more"
                          : "from " + std::to_string(least) + " to " + std::to_string(most)));
  }
  return number;
}

std::optional<float> Parameters::real(std::string_view name) {
  const Entry* const entry = take(name);
  if (entry == nullptr) return std::nullopt;
  const auto number = entry->value != nullptr ? float_of(*entry->value) : float_of(entry->text);
  if (!number) refuse(name, "finite number");
  return number;
}

std::optional<std::vector<std::string>> Parameters::texts(std::string_view name) {
  const Entry* const entry = take(name);
  return entry == nullptr ? std::nullopt : std::optional(items(*entry, false));
}

std::optional<std::vector<std::string>> Parameters::list(std::string_view name) {
  const Entry* const entry = take(name);
  if (entry == nullptr) return std::nullopt;
  if (entry->value == nullptr || !entry->value->IsString()) return items(*entry, false);
  return strings_of(view_of(*entry->value));
}

std::optional<std::string> Parameters::joined(std::string_view name) {
  const Entry* const entry = take(name);
  if (entry == nullptr || entry->value == nullptr || !entry->value->IsArray()) return text(name);
  std::string joined;
  for (const std::string& item : items(*entry, false)) joined += (joined.empty() ? "" : ",") + item;
  return joined;
}

std::optional<std::vector<std::string>> Parameters::ids(std::string_view name) {
  const Entry* const entry = take(name);
  return entry == nullptr ? std::nullopt : std::optional(items(*entry, true));
}

/// Of a list of the address, or an array.
std::vector<std::string> Parameters::items(const Entry& entry, bool takes_numbers) const {
  if (entry.value == nullptr) return strings_of(entry.text);
  const auto fail = [&] {
    refuse(entry.name, takes_numbers ? "array of texts or whole numbers" : "array of texts");
  };
  if (!entry.value->IsArray()) fail();
  std::vector<std::string> items;
  for (const auto& each : entry.value->GetArray()) {
    if (each.IsString()) {
      items.emplace_back(view_of(each));
    } else if (takes_numbers && each.IsInt64()) {
      items.push_back(std::to_string(each.GetInt64()));
    } else {
      fail();
    }
  }
  return items;
}

std::optional<std::vector<float>> Parameters::reals(std::string_view name) {
  const Entry* const entry = take(name);
  if (entry == nullptr) return std::nullopt;
  std::vector<float> numbers;
  const auto add = [&](std::optional<float> number) {
    if (!number) refuse(name, "array of finite numbers");
    numbers.push_back(*number);
  };
  if (entry->value == nullptr) {
    for (const std::string_view part : parts_of(entry->text)) add(float_of(part));
    return numbers;
  }
  if (!entry->value->IsArray()) refuse(name, "array of finite numbers");
  numbers.reserve(entry->value->Size());
  for (const auto& each : entry->value->GetArray()) add(float_of(each));
  return numbers;
}

const rapidjson::Value* Parameters::json(std::string_view name) {
  const Entry* const entry = take(name);
  return entry == nullptr ? nullptr : entry->value;
}

void Parameters::finish() const {
  std::string unknown;
  for (const Entry& entry : entries_) {
    if (entry.is_read) continue;
    unknown += (unknown.empty() ? "'" : ", '") + std::string(entry.name) + "'";
  }
  if (unknown.empty()) return;
  std::string names;
  for (const std::string_view name : known_) {
    (names += names.empty() ? "" : ", ") += name;
  }
  throw bad_request(what_ + " has " + unknown + ", which " +
                    (names.empty() ? "nothing here takes; leave it out"
                                   : "is not known here; there are " + names));
}

}  // namespace warpdex::server
