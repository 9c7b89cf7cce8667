#include "opensearch/face.hpp"

#include <rapidjson/prettywriter.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace warpdex::server::opensearch {
namespace {

struct TypeName {
  std::string_view own;
  std::string_view theirs;
};

/// What the server's types of errors are called by OpenSearch.
constexpr TypeName kTypes[] = {
    {"bad_request", "illegal_argument_exception"},
    {"index_not_found", "index_not_found_exception"},
    {"index_exists", "resource_already_exists_exception"},
    {"not_found", "resource_not_found_exception"},
    {"method_not_allowed", "method_not_allowed_exception"},
    {"unauthorized", "security_exception"},
    {"forbidden", "security_exception"},
    {"read_only", "cluster_block_exception"},
    {"locked", "cluster_block_exception"},
    {"no_folder", "cluster_block_exception"},
    {"too_busy", "rejected_execution_exception"},
    {"unavailable", "no_shard_available_action_exception"},
    {"too_large", "content_too_long_exception"},
    {"unsupported_media_type", "media_type_header_exception"},
    {"internal_error", "exception"},
};

std::string_view type_of(const HttpError& error) {
  for (const TypeName& type : kTypes) {
    if (type.own == error.type()) return type.theirs;
  }
  return error.type();
}

void write_cause(const HttpError& error, JsonWriter& json) {
  json.member("type", type_of(error));
  json.member("reason", error.what());
}

std::string pretty(const std::string& text) {
  rapidjson::Document json;
  json.Parse<rapidjson::kParseFullPrecisionFlag | rapidjson::kParseIterativeFlag>(text.data(),
                                                                                  text.size());
  rapidjson::StringBuffer buffer;
  rapidjson::PrettyWriter<rapidjson::StringBuffer> writer(buffer);
  writer.SetIndent(' ', 2);
  json.Accept(writer);
  return {buffer.GetString(), buffer.GetSize()};
}

bool wants_pretty(const Request& request) {
  return std::ranges::any_of(request.query, [](const auto& parameter) {
    return parameter.first == "pretty" && parameter.second != "false";
  });
}

std::string render(const HttpError& error, const Request&) {
  JsonWriter json;
  json.begin_object();
  json.begin_object("error");
  json.begin_array("root_cause");
  json.begin_object();
  write_cause(error, json);
  json.end_object();
  json.end_array();
  write_cause(error, json);
  json.end_object();
  json.member("status", error.status());
  json.end_object();
  return json.take() + "\n";
}

}  // namespace

const Face kFace{"opensearch", render};

bool is_address(const Request& request) {
  if (!request.path.empty() && request.path.front() == "v1") return false;
  return std::ranges::any_of(request.path,
                             [](const std::string& segment) { return segment.starts_with('_'); });
}

bool is_unknown_address(const Request& request, bool has_methods) {
  if (!has_methods) return is_address(request);
  if (request.path.size() != 1 || !is_address(request)) return false;
  return std::ranges::none_of(
      routes(), [&](const Route& route) { return route.pattern.substr(1) == request.path[0]; });
}

HttpError no_handler(const Request& request) {
  std::string path;
  for (const std::string& segment : request.path) (path += '/') += segment;
  return illegal_argument("no handler found for uri [" + path + "] and method [" +
                          std::string(method_name(request.method)) + "]");
}

HttpError illegal_argument(const std::string& reason) {
  return {400, "illegal_argument_exception", reason};
}

HttpError parsing_error(const std::string& reason) { return {400, "parsing_exception", reason}; }

void finish(Parameters& address) {
  address.flag("pretty");
  address.finish();
}

void respond(Exchange& exchange, JsonWriter& json, int status) {
  std::string body = json.take();
  if (wants_pretty(exchange.request)) body = pretty(body);
  exchange.respond({.status = status, .body = body += '\n'});
}

std::string_view body_or_none(const Request& request) {
  return request.body.empty() ? std::string_view("{}") : request.body;
}

std::chrono::microseconds read_time(std::string_view text, std::string_view name,
                                    std::chrono::microseconds most) {
  constexpr std::array<std::pair<std::string_view, double>, 7> kUnits{{{"nanos", 1e-3},
                                                                       {"micros", 1},
                                                                       {"ms", 1e3},
                                                                       {"s", 1e6},
                                                                       {"m", 6e7},
                                                                       {"h", 3.6e9},
                                                                       {"d", 8.64e10}}};
  std::uint32_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view unit = text.substr(static_cast<std::size_t>(read.ptr - text.data()));
  for (const auto& [known, micros] : kUnits) {
    if (read.ec != std::errc() || unit != known || number == 0) continue;
    const double time = std::max(1.0, number * micros);
    if (time > static_cast<double>(most.count())) break;
    return std::chrono::microseconds(static_cast<std::int64_t>(time));
  }
  throw illegal_argument("'" + std::string(name) + "' is [" + std::string(text) +
                         "], which is no time above 0 with a unit (ms, s, m, h, d), of " +
                         std::to_string(most.count() / 1'000'000) + "s at most");
}

void write_shards(JsonWriter& json) {
  json.begin_object("_shards");
  json.member("total", 1);
  json.member("successful", 1);
  json.member("skipped", 0);
  json.member("failed", 0);
  json.end_object();
}

}  // namespace warpdex::server::opensearch
