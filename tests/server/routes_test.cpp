// The routes of the server, and whether openapi.json describes them.
#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <set>
#include <string>

#include "app/application.hpp"
#include "http/error.hpp"
#include "system/openapi.hpp"

namespace warpdex::server {
namespace {

std::set<std::string> described_routes() {
  rapidjson::Document json;
  json.Parse(kOpenApi.data(), kOpenApi.size());
  std::set<std::string> routes;
  for (const auto& path : json["paths"].GetObject()) {
    for (const auto& operation : path.value.GetObject()) {
      const std::string method = operation.name.GetString();
      if (method != "parameters") routes.insert(method + " " + path.name.GetString());
    }
  }
  return routes;
}

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

TEST(Routes, TheDescriptionNamesExactlyThoseOfTheServersOwnFace) {
  std::set<std::string> routes;
  for (const Route& route : all_routes()) {
    if (route.face->name != "v1") continue;
    routes.insert(lower(std::string(method_name(route.method))) + " " + std::string(route.pattern));
  }
  EXPECT_GT(routes.size(), 15U);
  EXPECT_EQ(routes, described_routes());
}

Request request_of(Method method, std::string target) {
  Request request;
  request.method = method;
  request.target = std::move(target);
  parse_target(request);
  return request;
}

constexpr Face kNoFace{"test", nullptr};

std::string found(const Router& router, Method method, const std::string& target) {
  Request request = request_of(method, target);
  const Router::Match match = router.find(request);
  if (match.route == nullptr) return "none" + match.allowed;
  std::string text(match.route->pattern);
  for (const std::string_view argument : request.arguments) (text += " ") += argument;
  return text;
}

TEST(Routes, LiteralSegmentsComeBeforeParameters) {
  const Router router({{.method = Method::kGet, .pattern = "/{a}/b", .face = &kNoFace},
                       {.method = Method::kGet, .pattern = "/a/{b}", .face = &kNoFace},
                       {.method = Method::kPut, .pattern = "/a/{b}", .face = &kNoFace},
                       {.method = Method::kGet, .pattern = "/", .face = &kNoFace},
                       {.method = Method::kGet, .pattern = "/{a}", .face = &kNoFace},
                       {.method = Method::kHead, .pattern = "/{a}", .face = &kNoFace}});
  EXPECT_EQ(found(router, Method::kGet, "/a/b"), "/a/{b} b");
  EXPECT_EQ(found(router, Method::kGet, "/x/b"), "/{a}/b x");
  EXPECT_EQ(found(router, Method::kGet, "/x/c"), "none");
  EXPECT_EQ(found(router, Method::kPut, "/a/c%2Fd"), "/a/{b} c/d");
  EXPECT_EQ(found(router, Method::kPost, "/a/c"), "noneGET, PUT");
  EXPECT_EQ(found(router, Method::kGet, "/"), "/");
  EXPECT_EQ(found(router, Method::kGet, "/a/"), "none");
  EXPECT_EQ(found(router, Method::kHead, "/x/b"), "/{a}/b x");
  EXPECT_EQ(found(router, Method::kHead, "/x"), "/{a} x");
}

TEST(Routes, TheSameRouteTwiceIsRefused) {
  EXPECT_THROW(Router({{.method = Method::kGet, .pattern = "/{a}/b", .face = &kNoFace},
                       {.method = Method::kGet, .pattern = "/{c}/b", .face = &kNoFace}}),
               UsageError);
}

TEST(Targets, AreDecodedSegmentBySegment) {
  const Request request = request_of(Method::kGet, "/a%20b/%C3%A9/c+d?x=1+2&y=%2B&z&=e&w=a=b");
  EXPECT_EQ(request.path, (std::vector<std::string>{"a b", "é", "c+d"}));
  const std::vector<std::pair<std::string, std::string>> wanted{
      {"x", "1 2"}, {"y", "+"}, {"z", ""}, {"", "e"}, {"w", "a=b"}};
  EXPECT_EQ(request.query, wanted);
  for (const char* bad :
       {"", "a", "*", "/%", "/%4", "/%g0", "/%00", "/%ff", "/?a=1&a=2", "/?%c3"}) {
    EXPECT_THROW(request_of(Method::kGet, bad), HttpError) << bad;
  }
}

}  // namespace
}  // namespace warpdex::server
