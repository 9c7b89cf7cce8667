#include "app/application.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "http/gzip.hpp"
#include "http/json_writer.hpp"
#include "opensearch/face.hpp"
#include "page/routes.hpp"
#include "system/routes.hpp"
#include "v1/face.hpp"
#include "warpdex/core/parallel.hpp"

namespace warpdex::server {
namespace {

constexpr std::size_t kWriterThreads = 4;
/// Each answers a request of many searches, and mostly waits: as many as fill a GPU's batches.
constexpr std::size_t kWorkThreads = 32;
constexpr std::size_t kMaxIdBytes = 128;

const Face kPageFace{"page", v1::kFace.render};

std::size_t threads_of(const ServerOptions& options) {
  return options.threads == 0 ? default_threads() : options.threads;
}

OpenSettings open_settings(const ServerOptions& options) {
  return {.device = options.device,
          .gpus = options.gpus,
          .shards = options.shards,
          .threads = options.threads,
          .document_blocks = options.document_blocks,
          .is_read_only = options.is_read_only,
          .writer_memory = options.writer_memory,
          .probes = options.probes,
          .refine = options.refine};
}

bool may_be_id(std::string_view id) {
  return !id.empty() && id.size() <= kMaxIdBytes && std::ranges::all_of(id, [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '.' ||
           c == '_' || c == '-';
  });
}

std::string hex_text(std::uint64_t number) {
  std::string text(16, '0');
  for (auto digit = text.rbegin(); digit != text.rend(); ++digit, number >>= 4) {
    *digit = "0123456789abcdef"[number & 15];
  }
  return text;
}

/// Without what stands behind ';', as a charset.
std::string_view media_type(const Request& request) {
  std::string_view type = request.headers.get("Content-Type");
  type = type.substr(0, std::min(type.find(';'), type.size()));
  while (type.ends_with(' ')) type.remove_suffix(1);
  return type;
}

/// `has_none`: there was no key, else one that is not known.
HttpError key_missing(bool has_none) {
  HttpError error(401, "unauthorized",
                  has_none ? "this needs a key, as Authorization: Bearer KEY or X-API-Key: KEY"
                           : "the key is not known here");
  error.add_header("WWW-Authenticate", "Bearer");
  return error;
}

const Face& face_of(const Exchange& exchange) {
  if (exchange.route != nullptr) return *exchange.route->face;
  return opensearch::is_address(exchange.request) ? opensearch::kFace : v1::kFace;
}

/// Browsers get the page, for which they need no key. Programs get OpenSearch's greeting.
void show_root(Services& services, const ExchangePtr& exchange) {
  if (page::wants_page(exchange->request)) return page::show_page(services, exchange);
  if (exchange->request.role == Role::kNone) throw key_missing(true);
  opensearch::show_root(services, exchange);
}

}  // namespace

std::vector<Route> all_routes() {
  std::vector<Route> all = system::routes(v1::kFace);
  all.push_back({Method::kGet, "/", Role::kNone, BodyKind::kEmpty, show_root, &opensearch::kFace});
  for (const std::vector<Route>& face :
       {page::routes(kPageFace), v1::routes(), opensearch::routes()}) {
    all.insert(all.end(), face.begin(), face.end());
  }
  return all;
}

Application::Application(const ServerOptions& options)
    : options_(options),
      router_(all_routes()),
      keys_(options.keys),
      origins_(options.hosts, options.origins),
      metrics_(router_.routes()),
      access_log_(options.access_log),
      slow_log_(options.slow_log),
      next_id_((std::uint64_t{std::random_device()()} << 32) | std::random_device()()),
      writers_("writer", kWriterThreads, ~std::size_t{0}),
      catalog_(options.folders, open_settings(options), writers_, options.on_problem),
      dispatcher_({.device = options.device,
                   .threads = threads_of(options),
                   .queue = options.limits.queue,
                   .p99 = options.limits.p99}),
      work_("work", kWorkThreads, options.limits.work_queue),
      services_{options_, catalog_,  dispatcher_, work_,
                metrics_, slow_log_, scrolls_,    is_draining_} {}

Application::~Application() {
  // In this order: work waits for searches and makes changes.
  work_.finish();
  dispatcher_.finish();
  writers_.finish();
}

/// The id that the client gave, or a new one.
void Application::name(Request& request) {
  const std::string_view given = request.headers.get("X-Request-ID");
  if (may_be_id(given)) {
    request.id = given;
  } else {
    request.id = hex_text(next_id_.fetch_add(1, std::memory_order_relaxed) * 0x9E3779B97F4A7C15U);
  }
}

void Application::check_body_kind(const Request& request, const Route& route) const {
  const std::string_view type = media_type(request);
  const std::string_view length = request.headers.get("Content-Length");
  const bool has_body =
      (!length.empty() && length != "0") || request.headers.has("Transfer-Encoding");
  if (!has_body && type.empty()) return;
  if (route.body == BodyKind::kEmpty) {
    if (!has_body) return;
    throw bad_request("this takes no body; leave it out");
  }
  const bool is_lines =
      same_without_case(type, kNdjsonType) || same_without_case(type, "application/ndjson");
  const bool fits = route.body == BodyKind::kJson ? same_without_case(type, kJsonType)
                                                  : is_lines || same_without_case(type, kJsonType);
  if (!fits) {
    throw HttpError(415, "unsupported_media_type",
                    "the body must come with the Content-Type " +
                        std::string(route.body == BodyKind::kJson ? kJsonType : kNdjsonType));
  }
  const std::string_view coding = request.headers.get("Content-Encoding");
  if (coding.empty() || same_without_case(coding, "identity") ||
      same_without_case(coding, "gzip")) {
    return;
  }
  throw HttpError(415, "unsupported_media_type", "of Content-Encodings only gzip is known");
}

std::size_t Application::on_head(Exchange& exchange) {
  Request& request = exchange.request;
  name(request);
  parse_target(request);
  origins_.check(request);
  if (origins_.is_allowed_page(request)) {
    request.allowed_origin = request.headers.get("Origin");
    if (request.method == Method::kOptions) return 0;
  }
  const Router::Match match = router_.find(request);
  exchange.route = match.route;
  const Role needed = match.route == nullptr ? Role::kRead : match.route->role;
  if (needed != Role::kNone || keys_.are_needed()) {
    const std::optional<Role> role = keys_.role_of(request);
    if (needed != Role::kNone && role.value_or(Role::kNone) == Role::kNone) {
      throw key_missing(role.has_value());
    }
    if (needed > role.value_or(Role::kNone)) {
      throw HttpError(403, "forbidden",
                      "this needs a key with the role " + std::string(role_name(needed)));
    }
    request.role = role.value_or(Role::kNone);
  }
  if (match.route == nullptr) {
    if (opensearch::is_unknown_address(request, !match.allowed.empty())) {
      throw opensearch::no_handler(request);
    }
    if (match.allowed.empty()) throw not_found("there is nothing at this address");
    HttpError error(405, "method_not_allowed", "this address takes " + match.allowed + " only");
    error.add_header("Allow", match.allowed);
    throw error;
  }
  check_body_kind(request, *match.route);
  return match.route->max_body == 0 ? options_.limits.body_bytes : match.route->max_body;
}

void Application::answer_preflight(Exchange& exchange) const {
  Response response{.status = 204, .content_type = {}};
  response.headers.emplace_back("Access-Control-Allow-Methods", "GET, HEAD, POST, PUT, DELETE");
  response.headers.emplace_back("Access-Control-Allow-Headers",
                                "Authorization, Content-Type, X-API-Key, X-Request-ID");
  response.headers.emplace_back("Access-Control-Max-Age", "600");
  exchange.respond(std::move(response));
}

void Application::on_request(const ExchangePtr& exchange) noexcept {
  try {
    if (exchange->route == nullptr) return answer_preflight(*exchange);
    Request& request = exchange->request;
    const Handler handler = exchange->route->handler;
    const bool is_packed = same_without_case(request.headers.get("Content-Encoding"), "gzip");
    const RunsOn runs_on = exchange->route->runs_on;
    if (runs_on == RunsOn::kSearcher) {
      if (const char* why = dispatcher_.refusal()) {
        return exchange->respond(render(too_busy(why), *exchange));
      }
    }
    if (runs_on != RunsOn::kWorker && !is_packed) return handler(services_, exchange);
    run_on_work(services_, exchange, [this, exchange, handler, is_packed] {
      if (is_packed) {
        std::string& body = exchange->request.body;
        body = gunzipped(body, options_.limits.body_bytes);
      }
      handler(services_, exchange);
    });
  } catch (...) {
    fail(services_, *exchange, std::current_exception());
  }
}

Response Application::render(const HttpError& error, Exchange& exchange) {
  if (exchange.request.id.empty()) name(exchange.request);  // its header was refused
  return render_error(face_of(exchange), error, exchange.request);
}

bool Application::take_room(std::size_t bytes) {
  const std::size_t before = room_taken_.fetch_add(bytes, std::memory_order_relaxed);
  if (bytes == 0 || before + bytes <= options_.limits.waiting_bytes) return true;
  room_taken_.fetch_sub(bytes, std::memory_order_relaxed);
  return false;
}

void Application::give_back_room(std::size_t bytes) {
  room_taken_.fetch_sub(bytes, std::memory_order_relaxed);
}

void Application::on_answered(const Exchange& exchange, int status, std::uint64_t bytes) noexcept {
  const auto time = std::chrono::duration_cast<std::chrono::microseconds>(Request::Clock::now() -
                                                                          exchange.request.arrival);
  metrics_.count_request(exchange.route, status, time, exchange.request.body.size(), bytes);
  if (access_log_.is_on()) write_access(exchange, status, bytes, time);
}

/// Neither bodies nor parameters, which may be private, nor keys.
void Application::write_access(const Exchange& exchange, int status, std::uint64_t bytes,
                               std::chrono::microseconds time) {
  const Request& request = exchange.request;
  const std::string_view target = request.target;
  JsonWriter json;
  json.begin_object();
  json.member("time_ms", std::chrono::duration_cast<std::chrono::milliseconds>(
                             std::chrono::system_clock::now().time_since_epoch())
                             .count());
  json.member("request_id", request.id);
  json.member("client", request.client);
  json.member("method", method_name(request.method));
  json.member("path", target.substr(0, std::min<std::size_t>(512, target.find('?'))));
  json.member("route", exchange.route == nullptr ? "" : exchange.route->pattern);
  json.member("role", role_name(request.role));
  json.member("status", status);
  json.member("bytes_in", request.body.size());
  json.member("bytes_out", bytes);
  json.member("took_us", time.count());
  json.end_object();
  access_log_.add(json.take());
}

void Application::reload() {
  access_log_.reopen();
  slow_log_.reopen();
  keys_.reload();
}

}  // namespace warpdex::server
