#include "guard/keys.hpp"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <utility>

#include "warpdex/core/error.hpp"

namespace warpdex::server {
namespace {

constexpr std::size_t kMinKeyBytes = 16;
constexpr std::size_t kMaxKeyBytes = 256;

/// The next word of a line, which is taken off it.
std::string_view take_word(std::string_view& line) {
  const std::size_t begin = std::min(line.find_first_not_of(" \t\r"), line.size());
  line.remove_prefix(begin);
  const std::size_t end = std::min(line.find_first_of(" \t\r"), line.size());
  const std::string_view word = line.substr(0, end);
  line.remove_prefix(end);
  return word;
}

bool may_be_key(std::string_view text) {
  return text.size() >= kMinKeyBytes && text.size() <= kMaxKeyBytes &&
         std::ranges::all_of(text, [](char c) { return c > ' ' && c < '\x7F'; });
}

/// The key that a request has, or none.
std::string_view key_of(const Request& request) {
  constexpr std::string_view kBearer = "Bearer ";
  const std::string_view authorization = request.headers.get("Authorization");
  if (authorization.size() > kBearer.size() &&
      same_without_case(authorization.substr(0, kBearer.size()), kBearer)) {
    return authorization.substr(kBearer.size());
  }
  return request.headers.get("X-API-Key");
}

}  // namespace

bool equal_in_constant_time(std::string_view given, std::string_view secret) {
  // As many steps as `given` has bytes, whatever the secret is.
  unsigned difference = given.size() == secret.size() ? 0U : 1U;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const char against = secret[secret.empty() ? 0 : i % secret.size()];
    difference |= static_cast<unsigned char>(given[i]) ^ static_cast<unsigned char>(against);
  }
  const volatile unsigned result = difference;
  return result == 0;
}

Keys::Keys(std::filesystem::path file) : file_(std::move(file)) {
  if (are_needed()) keys_ = read();
}

std::shared_ptr<const Keys::List> Keys::read() const {
  std::ifstream in(file_);
  if (!in) {
    throw IoError("the file of keys '" + file_.string() +
                  "' cannot be read: " + errno_message(errno));
  }
  auto keys = std::make_shared<List>();
  std::string line;
  for (std::size_t number = 1; std::getline(in, line); ++number) {
    std::string_view rest = line;
    const std::string_view role = take_word(rest);
    if (role.empty() || role.starts_with('#')) continue;
    const std::string_view key = take_word(rest);
    const std::optional<Role> known = role_from_name(role);
    if (!known || !may_be_key(key) || !take_word(rest).empty()) {
      throw InputError("line " + std::to_string(number) + " of '" + file_.string() +
                       "' must be a role (read, write or admin), a space, and a key of 16 to 256 "
                       "visible ASCII characters");
    }
    keys->push_back({*known, std::string(key)});
  }
  if (keys->empty()) throw InputError("there is no key in '" + file_.string() + "'; add one");
  return keys;
}

void Keys::reload() {
  if (!are_needed()) return;
  auto keys = read();
  const std::lock_guard lock(mutex_);
  keys_ = std::move(keys);
}

std::shared_ptr<const Keys::List> Keys::current() const {
  const std::lock_guard lock(mutex_);
  return keys_;
}

std::optional<Role> Keys::role_of(const Request& request) const {
  if (!are_needed()) return Role::kAdmin;
  const std::string_view given = key_of(request);
  if (given.empty()) return Role::kNone;
  const std::shared_ptr<const List> keys = current();  // which a reload may replace meanwhile
  std::optional<Role> role;
  for (const Key& key : *keys) {  // all of them: the time must not tell which one it is
    if (equal_in_constant_time(given, key.text)) role = std::max(role.value_or(key.role), key.role);
  }
  return role;
}

}  // namespace warpdex::server
