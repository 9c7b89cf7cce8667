#include <algorithm>
#include <numeric>

#include "routes/route.hpp"

namespace warpdex::server {
namespace {

std::vector<std::string_view> segments_of(std::string_view pattern) {
  std::vector<std::string_view> segments;
  pattern.remove_prefix(1);
  while (!pattern.empty()) {
    const std::size_t end = std::min(pattern.find('/'), pattern.size());
    const std::string_view segment = pattern.substr(0, end);
    segments.push_back(segment.front() == '{' ? std::string_view() : segment);
    pattern.remove_prefix(std::min(end + 1, pattern.size()));
  }
  return segments;
}

/// Literal segments come before parameters.
bool is_before(const std::vector<std::string_view>& one,
               const std::vector<std::string_view>& other) {
  if (one.size() != other.size()) return one.size() < other.size();
  for (std::size_t i = 0; i < one.size(); ++i) {
    if (one[i].empty() != other[i].empty()) return other[i].empty();
    if (one[i] != other[i]) return one[i] < other[i];
  }
  return false;
}

}  // namespace

Response render_error(const Face& face, const HttpError& error, const Request& request) {
  return {
      .status = error.status(), .body = face.render(error, request), .headers = error.headers()};
}

Router::Router(std::vector<Route> routes) {
  std::vector<std::size_t> order(routes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<std::vector<std::string_view>> segments;
  for (const Route& route : routes) segments.push_back(segments_of(route.pattern));
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return is_before(segments[a], segments[b]);
  });
  for (const std::size_t i : order) {
    for (std::size_t k = 0; k < routes_.size(); ++k) {
      if (patterns_[k].segments == segments[i] && routes_[k].method == routes[i].method) {
        throw UsageError("the route " + std::string(method_name(routes[i].method)) + " " +
                         std::string(routes[i].pattern) + " is there twice; leave one out");
      }
    }
    routes_.push_back(routes[i]);
    patterns_.push_back({segments[i]});
  }
}

bool Router::matches(const Pattern& pattern, const Request& request) const {
  if (pattern.segments.size() != request.path.size()) return false;
  for (std::size_t i = 0; i < request.path.size(); ++i) {
    const std::string_view wanted = pattern.segments[i];
    if (wanted.empty() ? request.path[i].empty() : wanted != request.path[i]) return false;
  }
  return true;
}

Router::Match Router::find(Request& request) const {
  Match match;
  const Route* get = nullptr;
  const Pattern* first = nullptr;  // its methods are those of the path
  for (std::size_t i = 0; i < routes_.size() && match.route == nullptr; ++i) {
    if (!matches(patterns_[i], request)) continue;
    if (first == nullptr) first = &patterns_[i];
    if (first->segments != patterns_[i].segments) continue;
    const Route& route = routes_[i];
    if (route.method == request.method) match.route = &route;
    if (route.method == Method::kGet) get = &route;
    (match.allowed += match.allowed.empty() ? "" : ", ") += method_name(route.method);
  }
  if (match.route == nullptr && request.method == Method::kHead) match.route = get;
  if (match.route == nullptr) return match;
  match.allowed.clear();
  request.arguments.clear();
  for (std::size_t i = 0; i < request.path.size(); ++i) {
    if (first->segments[i].empty()) request.arguments.push_back(request.path[i]);
  }
  return match;
}

}  // namespace warpdex::server
