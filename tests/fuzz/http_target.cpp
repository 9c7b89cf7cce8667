// Requests to the server, as a client's bytes: the header, the body in pieces, the address, and
// bodies of JSON, of documents and packed ones. The input's first byte chooses.
#include <algorithm>
#include <cmath>
#include <string>

#include "http/error.hpp"
#include "http/gzip.hpp"
#include "net/request_parser.hpp"
#include "routes/json_lines.hpp"
#include "routes/parameters.hpp"
#include "tests/fuzz/fuzz_support.hpp"
#include "v1/document_call.hpp"
#include "warpdex/indexer/analysis/utf8.hpp"

namespace warpdex::fuzz {
namespace {

using server::HttpError;
using server::Parameters;
using server::Request;
using server::RequestParser;

constexpr std::size_t kHeaderBytes = 4096;
constexpr std::size_t kBodyBytes = 1 << 16;

bool is_utf8(std::string_view text) {
  return analysis::find_invalid_utf8(text) == text.size() &&
         text.find('\0') == std::string_view::npos;
}

void read_parameters(Parameters& parameters) {
  parameters.text("q");
  parameters.flag("count");
  if (const auto k = parameters.whole("k", 1, 100)) {
    require(*k >= 1 && *k <= 100, "whole numbers are within their range");
  }
  if (const auto b = parameters.real("b")) require(std::isfinite(*b), "numbers are finite");
  parameters.texts("fields");
  parameters.reals("vector");
  parameters.finish();
}

void check_target(Request& request) {
  server::parse_target(request);
  for (const std::string& segment : request.path) {
    require(is_utf8(segment), "a segment is UTF-8 without NUL");
  }
  for (const auto& [name, value] : request.query) {
    require(is_utf8(name) && is_utf8(value), "a parameter is UTF-8 without NUL");
  }
  Parameters parameters(request);
  read_parameters(parameters);
}

/// One request's bytes, from `begin` on, with those up to `end` there at first and `piece` more
/// each time. False where it is none, or cut off.
bool read_request(std::string_view bytes, std::size_t piece, Request& request, std::size_t& begin,
                  std::size_t& end) {
  RequestParser parser(request, kHeaderBytes);
  parser.set_body_limit(kBodyBytes);
  while (true) {
    const auto step = parser.put(bytes.substr(begin, end - begin));
    require(step.used <= end - begin, "no more is used than there is");
    begin += step.used;
    if (step.state == RequestParser::State::kDone) return true;
    if (step.state == RequestParser::State::kFailed) {
      require(parser.status() >= 400 && !parser.reason().empty(), "a refusal says why");
      return false;
    }
    if (step.state == RequestParser::State::kHasHeader) continue;
    if (end == bytes.size()) return false;
    end = std::min(bytes.size(), end + piece);
  }
}

/// What the requests of a connection say, whose bytes come in pieces of `piece` bytes.
std::string read_requests(std::string_view bytes, std::size_t piece) {
  std::string read;
  std::size_t begin = 0;
  std::size_t end = 0;
  while (begin < bytes.size()) {
    Request request;
    if (!read_request(bytes, piece, request, begin, end)) return read;
    require(request.body.size() <= kBodyBytes, "a body is within its limit");
    read += request.target + "\n" + request.body + "\n";
    try {
      check_target(request);
    } catch (const HttpError& error) {
      require(error.status() == 400, "a bad address is a 400");
    }
  }
  return read;
}

void check_json(std::string_view text) {
  const server::JsonText json(text, "the body");
  Parameters parameters(json.root(), "the body");
  read_parameters(parameters);
}

void check_documents(std::string_view body) {
  server::JsonLines lines(body);
  for (std::string_view line; lines.next(line);) {
    const server::JsonText json(line, lines.name());
    const NewDocument document = server::v1::read_document(json.root(), lines.name());
    require(analysis::find_invalid_utf8(document.id) == document.id.size(), "an id is UTF-8");
  }
}

void run(InputBytes input) {
  const unsigned kind = input.byte() % 4;
  const std::size_t piece = 1 + input.byte();
  const std::string_view bytes = input.rest();
  try {
    if (kind == 0) {
      require(read_requests(bytes, piece) == read_requests(bytes, bytes.size() + 1),
              "requests are the same, whatever pieces they come in");
    } else if (kind == 1) {
      check_json(bytes);
    } else if (kind == 2) {
      check_documents(bytes);
    } else {
      require(server::gunzipped(bytes, kBodyBytes).size() <= kBodyBytes,
              "unpacked bodies are within their limit");
    }
  } catch (const HttpError& error) {
    require(error.status() == 400 || error.status() == 413, "what is refused is the client's");
  }
}

}  // namespace
}  // namespace warpdex::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  warpdex::fuzz::run({data, size});
  return 0;
}
