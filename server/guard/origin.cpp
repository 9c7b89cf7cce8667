#include "guard/origin.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <array>

#include "http/error.hpp"

namespace warpdex::server {
namespace {

/// Without the port; of [::1]:80, ::1.
std::string_view name_of_host(std::string_view host) {
  if (host.starts_with('[')) {
    const std::size_t end = host.find(']');
    return end == std::string_view::npos ? std::string_view() : host.substr(1, end - 1);
  }
  return host.substr(0, std::min(host.find(':'), host.size()));
}

bool is_address(std::string_view name) {
  std::array<unsigned char, 16> bytes{};
  const std::string text(name);
  return ::inet_pton(AF_INET, text.c_str(), bytes.data()) == 1 ||
         ::inet_pton(AF_INET6, text.c_str(), bytes.data()) == 1;
}

/// "http://a.example:80" to "a.example:80"; empty for what has no such form, as "null".
std::string_view host_of_origin(std::string_view origin) {
  const std::size_t at = origin.find("://");
  return at == std::string_view::npos ? std::string_view() : origin.substr(at + 3);
}

}  // namespace

bool OriginGuard::is_allowed_host(std::string_view host) const {
  const std::string_view name = name_of_host(host);
  return is_address(name) || same_without_case(name, "localhost") ||
         std::ranges::any_of(
             hosts_, [&](const std::string& allowed) { return same_without_case(name, allowed); });
}

bool OriginGuard::is_allowed_page(const Request& request) const {
  const std::string_view origin = request.headers.get("Origin");
  return std::ranges::any_of(
      origins_, [&](const std::string& allowed) { return same_without_case(origin, allowed); });
}

void OriginGuard::check(const Request& request) const {
  const std::size_t hosts = request.headers.count("Host");
  if (hosts > 1 || (hosts == 0 && !request.is_http_1_0)) {
    throw bad_request("a request has one Host");
  }
  const std::string_view host = request.headers.get("Host");
  if (hosts == 1 && !is_allowed_host(host)) {
    throw HttpError(403, "host_not_allowed",
                    "this server is not called by that Host; ask for its address, or allow the "
                    "name with --host");
  }
  if (!request.headers.has("Origin") || is_allowed_page(request)) return;
  const std::string_view page = host_of_origin(request.headers.get("Origin"));
  if (!page.empty() && same_without_case(page, host)) return;
  throw HttpError(403, "origin_not_allowed",
                  "pages of that Origin may not ask this server; allow it with --origin");
}

}  // namespace warpdex::server
