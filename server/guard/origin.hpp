// Which names of this server, and which pages, a browser may ask from.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "http/request.hpp"

namespace warpdex::server {

/// A page that a browser has open could send requests to this server, with what the network lets
/// through. So a Host is refused that is neither an IP address, nor localhost, nor a name that was
/// allowed: a page's own name may lead to this server's address. And an Origin is refused that is
/// neither the Host itself nor allowed.
class OriginGuard {
 public:
  OriginGuard(std::vector<std::string> hosts, std::vector<std::string> origins)
      : hosts_(std::move(hosts)), origins_(std::move(origins)) {}

  /// Throws HttpError: 400 where a Host lacks or is there twice, 403 where one is not allowed.
  void check(const Request& request) const;
  /// Whether the request comes from a page of another server that may ask.
  bool is_allowed_page(const Request& request) const;

 private:
  bool is_allowed_host(std::string_view host) const;

  std::vector<std::string> hosts_;
  std::vector<std::string> origins_;
};

}  // namespace warpdex::server
