#include "page/routes.hpp"

#include <algorithm>
#include <array>

#include "page/page.hpp"
#include "services/services.hpp"

namespace warpdex::server::page {
namespace {

/// Nothing but this server's own files and answers; no page may hold this one in a frame.
constexpr const char* kContentSecurity =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'";

constexpr std::string_view kScriptType = "text/javascript; charset=utf-8";

/// What the page loads, by its name in /_page/.
struct File {
  std::string_view name;
  std::string_view content_type;
  const std::string_view* bytes;
};
constexpr std::array kFiles{
    File{"page.css", "text/css; charset=utf-8", &kPageStyle},
    File{"icon.svg", "image/svg+xml", &kPageIcon},
    File{"elements.js", kScriptType, &kPageElementsScript},
    File{"facets.js", kScriptType, &kPageFacetsScript},
    File{"filters.js", kScriptType, &kPageFiltersScript},
    File{"hits.js", kScriptType, &kPageHitsScript},
    File{"keyboard.js", kScriptType, &kPageKeyboardScript},
    File{"page.js", kScriptType, &kPageScript},
    File{"server.js", kScriptType, &kPageServerScript},
    File{"spelling.js", kScriptType, &kPageSpellingScript},
    File{"state.js", kScriptType, &kPageStateScript},
    File{"theme.js", kScriptType, &kPageThemeScript},
};

Response answer_with(std::string_view content_type, std::string_view bytes) {
  return {.content_type = content_type,
          .body = std::string(bytes),
          .headers = {{"Cache-Control", "no-cache"},
                      {"Content-Security-Policy", kContentSecurity},
                      {"Cross-Origin-Opener-Policy", "same-origin"},
                      {"Cross-Origin-Resource-Policy", "same-origin"},
                      {"Referrer-Policy", "no-referrer"}}};
}

void show_file(Services&, const ExchangePtr& exchange) {
  const auto file = std::ranges::find(kFiles, exchange->request.arguments[0], &File::name);
  if (file == kFiles.end()) throw not_found("the page has no such file");
  exchange->respond(answer_with(file->content_type, *file->bytes));
}

}  // namespace

void show_page(Services&, const ExchangePtr& exchange) {
  Response response = answer_with("text/html; charset=utf-8", kPageHtml);
  response.headers.emplace_back("Vary", "Accept");
  exchange->respond(std::move(response));
}

bool wants_page(const Request& request) {
  const std::string_view accept = request.headers.get("Accept");
  return accept.find("text/html") != std::string_view::npos;
}

std::vector<Route> routes(const Face& face) {
  using enum BodyKind;
  return {
      {Method::kGet, "/_page/{name}", Role::kNone, kEmpty, show_file, &face},
  };
}

}  // namespace warpdex::server::page
