#include "http/request.hpp"

#include <algorithm>

#include "http/error.hpp"
#include "warpdex/indexer/analysis/utf8.hpp"

namespace warpdex::server {
namespace {

/// Each is compared with all before it.
constexpr std::size_t kMaxParameters = 256;

char lower(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

int hex_value(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  const char small = lower(digit);
  return small >= 'a' && small <= 'f' ? small - 'a' + 10 : -1;
}

void parse_query(std::string_view text, Request& request) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('&'), text.size());
    const std::string_view part = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (part.empty()) continue;
    const std::size_t equals = std::min(part.find('='), part.size());
    std::string name = percent_decoded(part.substr(0, equals), true);
    std::string value = percent_decoded(part.substr(std::min(equals + 1, part.size())), true);
    for (const auto& known : request.query) {
      if (known.first == name) {
        throw bad_request("the parameter '" + name + "' is there twice; give it once");
      }
    }
    if (request.query.size() == kMaxParameters) {
      throw bad_request("the address has more than " + std::to_string(kMaxParameters) +
                        " parameters");
    }
    request.query.emplace_back(std::move(name), std::move(value));
  }
}

}  // namespace

std::string_view method_name(Method method) {
  switch (method) {
    case Method::kGet: return "GET";
    case Method::kHead: return "HEAD";
    case Method::kPost: return "POST";
    case Method::kPut: return "PUT";
    case Method::kDelete: return "DELETE";
    case Method::kOptions: return "OPTIONS";
    case Method::kOther: break;
  }
  return "other";
}

bool same_without_case(std::string_view one, std::string_view other) {
  return std::ranges::equal(one, other, [](char a, char b) { return lower(a) == lower(b); });
}

void Headers::add(std::string_view name, std::string_view value) {
  places_.push_back({static_cast<std::uint32_t>(text_.size()),
                     static_cast<std::uint32_t>(name.size()),
                     static_cast<std::uint32_t>(value.size())});
  text_ += name;
  text_ += value;
}

bool Headers::is_called(const Place& place, std::string_view name) const {
  return place.name_size == name.size() &&
         same_without_case(std::string_view(text_).substr(place.name, place.name_size), name);
}

const Headers::Place* Headers::find(std::string_view name) const {
  for (const Place& place : places_) {
    if (is_called(place, name)) return &place;
  }
  return nullptr;
}

std::string_view Headers::get(std::string_view name) const {
  const Place* const place = find(name);
  if (place == nullptr) return {};
  return std::string_view(text_).substr(place->name + place->name_size, place->value_size);
}

std::size_t Headers::count(std::string_view name) const {
  return static_cast<std::size_t>(
      std::ranges::count_if(places_, [&](const Place& place) { return is_called(place, name); }));
}

std::string percent_decoded(std::string_view text, bool plus_is_space) {
  std::string decoded;
  decoded.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && plus_is_space) {
      decoded += ' ';
    } else if (text[i] != '%') {
      decoded += text[i];
    } else {
      const bool has_two = text.size() - i > 2;
      const int high = has_two ? hex_value(text[i + 1]) : -1;
      const int low = has_two ? hex_value(text[i + 2]) : -1;
      if (high < 0 || low < 0) {
        throw bad_request("the address has a % without two hexadecimal digits; write it as %25");
      }
      decoded += static_cast<char>(high * 16 + low);
      i += 2;
    }
  }
  if (decoded.find('\0') != std::string::npos ||
      analysis::find_invalid_utf8(decoded) != decoded.size()) {
    throw bad_request("the address is not UTF-8, or holds a NUL, once its escapes are decoded");
  }
  return decoded;
}

void parse_target(Request& request) {
  std::string_view target = request.target;
  if (target.empty() || target.front() != '/') {
    throw bad_request("the address must be a path that begins with /");
  }
  const std::size_t mark = std::min(target.find('?'), target.size());
  std::string_view path = target.substr(1, mark - 1);
  request.path.clear();
  request.query.clear();
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/'), path.size());
    request.path.push_back(percent_decoded(path.substr(0, end), false));
    if (end == path.size()) break;
    path.remove_prefix(end + 1);
    if (path.empty()) request.path.emplace_back();  // "/a/" is not "/a"
  }
  if (mark < target.size()) parse_query(target.substr(mark + 1), request);
}

}  // namespace warpdex::server
