// A request as it was read: decoded path and parameters, headers, body.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/role.hpp"

namespace warpdex::server {

enum class Method : std::uint8_t { kGet, kHead, kPost, kPut, kDelete, kOptions, kOther };

std::string_view method_name(Method method);

/// Names and values of a request's header, in one string.
class Headers {
 public:
  void add(std::string_view name, std::string_view value);
  /// Of the first header of that name, in any case; empty if there is none.
  std::string_view get(std::string_view name) const;
  bool has(std::string_view name) const { return find(name) != nullptr; }
  /// How often the name is there.
  std::size_t count(std::string_view name) const;

 private:
  struct Place {
    std::uint32_t name = 0;  ///< offset of the name; the value stands behind it
    std::uint32_t name_size = 0;
    std::uint32_t value_size = 0;
  };
  const Place* find(std::string_view name) const;
  bool is_called(const Place& place, std::string_view name) const;

  std::string text_;
  std::vector<Place> places_;
};

/// Whether both are the same but for the case of ASCII letters.
bool same_without_case(std::string_view one, std::string_view other);

struct Request {
  using Clock = std::chrono::steady_clock;

  Method method = Method::kOther;
  std::string target{};  ///< as it was sent
  Headers headers{};
  std::string body{};
  bool is_http_1_0 = false;

  // By parse_target().
  std::vector<std::string> path{};                           ///< decoded segments; of "/", none
  std::vector<std::pair<std::string, std::string>> query{};  ///< decoded; each name once

  // By the router and the guards.
  std::vector<std::string_view> arguments{};  ///< the segments that stand for {…} of the pattern
  Role role = Role::kAdmin;                   ///< of who asks
  std::string id{};                           ///< X-Request-ID
  std::string allowed_origin{};               ///< of another server's page that may read the answer
  std::string client{};                       ///< its address
  Clock::time_point arrival{};                ///< of its last byte
};

/// Fills path and query from the target, which must begin with "/". Each segment is decoded by
/// itself, so that %2F is a part of one. Throws HttpError (400) for escapes that are none, for NUL,
/// for what is not UTF-8, for a name that is there twice, and for more than 256 parameters.
void parse_target(Request& request);

/// `text` with %XX decoded, and + as a space if `plus_is_space`. Throws HttpError (400).
std::string percent_decoded(std::string_view text, bool plus_is_space);

}  // namespace warpdex::server
