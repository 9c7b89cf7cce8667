#include "net/request_parser.hpp"

#include <algorithm>
#include <boost/beast/http/error.hpp>
#include <limits>

namespace warpdex::server {
namespace {

namespace beast = boost::beast;
namespace http = boost::beast::http;

/// Room that is made for a body before it comes. More grows as it comes, so that a client that only
/// says that it will send much takes no memory.
constexpr std::size_t kMaxFirstRoom = 1 << 20;

Method method_of(http::verb verb) {
  switch (verb) {
    case http::verb::get: return Method::kGet;
    case http::verb::head: return Method::kHead;
    case http::verb::post: return Method::kPost;
    case http::verb::put: return Method::kPut;
    case http::verb::delete_: return Method::kDelete;
    case http::verb::options: return Method::kOptions;
    default: return Method::kOther;
  }
}

/// Beast joins such lines; others do not, and then take the request for another one.
bool has_folded_line(std::string_view fields) {
  return fields.find("\r\n ") != std::string_view::npos ||
         fields.find("\r\n\t") != std::string_view::npos;
}

std::string_view standard(beast::string_view text) { return {text.data(), text.size()}; }

}  // namespace

RequestParser::RequestParser(Request& request, std::size_t header_bytes) : request_(request) {
  Base::header_limit(static_cast<std::uint32_t>(header_bytes));
  Base::body_limit(std::numeric_limits<std::uint64_t>::max());
  Base::skip(true);  // the body is read here: Beast's chunks have no limit, and trailers are fields
}

RequestParser::Step RequestParser::put(std::string_view bytes) {
  return has_header_ ? put_body(bytes) : put_header(bytes);
}

RequestParser::Step RequestParser::put_header(std::string_view bytes) {
  ErrorCode ec;
  const std::size_t used = Base::put(boost::asio::const_buffer(bytes.data(), bytes.size()), ec);
  if (ec && ec != http::error::need_more) return failed(ec);
  if (is_folded(bytes.substr(0, used))) {
    return refused(400, "a field of the header goes on in the next line; write it as one");
  }
  if (!Base::is_header_done()) return {State::kNeedsMore, used};
  has_header_ = true;
  left_ = content_length().value_or(0);
  request_.body.reserve(static_cast<std::size_t>(std::min<std::uint64_t>(left_, kMaxFirstRoom)));
  return {State::kHasHeader, used};
}

/// Of bytes of the header that Beast has taken, after those that it took before.
bool RequestParser::is_folded(std::string_view taken) {
  constexpr std::size_t kLineEnd = 2;
  if (header_end_.empty() && has_folded_line(taken)) return true;
  header_end_ += taken;
  if (header_end_.size() > taken.size() && has_folded_line(header_end_)) return true;
  header_end_.erase(0, header_end_.size() - std::min(header_end_.size(), kLineEnd));
  return false;
}

RequestParser::Step RequestParser::put_body(std::string_view bytes) {
  if (is_chunked()) {
    std::size_t used = 0;
    switch (chunks_.put(bytes, body_limit_, request_.body, used)) {
      case ChunkedBody::State::kNeedsMore: return {State::kNeedsMore, used};
      case ChunkedBody::State::kDone: return {State::kDone, used};
      case ChunkedBody::State::kTooLarge: return too_large();
      case ChunkedBody::State::kMalformed: break;
    }
    return refused(400, "the body's chunks are none");
  }
  if (left_ > body_limit_ - std::min(body_limit_, request_.body.size())) return too_large();
  const auto used = static_cast<std::size_t>(std::min<std::uint64_t>(left_, bytes.size()));
  request_.body += bytes.substr(0, used);
  left_ -= used;
  return {left_ == 0 ? State::kDone : State::kNeedsMore, used};
}

RequestParser::Step RequestParser::too_large() {
  return refused(
      413, "the body is too large; at most " + std::to_string(body_limit_) + " bytes are taken");
}

RequestParser::Step RequestParser::refused(int status, std::string reason) {
  status_ = status;
  reason_ = std::move(reason);
  return {State::kFailed, 0};
}

RequestParser::Step RequestParser::failed(const ErrorCode& ec) {
  if (reason_.empty()) {
    if (ec == http::error::header_limit) {
      status_ = 431;
      reason_ = "the request's header is too large; send less";
    } else if (ec == http::error::bad_version) {
      status_ = 505;
      reason_ = "only HTTP/1.1 and HTTP/1.0 are spoken here";
    } else {
      reason_ = "the request is no HTTP: " + ec.message();
    }
  }
  return {State::kFailed, 0};
}

std::optional<std::uint64_t> RequestParser::content_length() const {
  const auto length = Base::content_length();
  return length ? std::optional<std::uint64_t>(*length) : std::nullopt;
}

void RequestParser::fail(int status, std::string reason, ErrorCode& ec) {
  status_ = status;
  reason_ = std::move(reason);
  ec = http::error::bad_field;
}

void RequestParser::on_request_impl(Verb verb, View, View target, int version, ErrorCode&) {
  request_.method = method_of(verb);
  request_.target.assign(target.data(), target.size());
  request_.is_http_1_0 = version == 10;
}

void RequestParser::on_response_impl(int, View, int, ErrorCode&) {}

void RequestParser::on_field_impl(Field field, View name, View value, ErrorCode& ec) {
  if (field == Field::transfer_encoding && request_.is_http_1_0) {
    return fail(400, "HTTP/1.0 has no Transfer-Encoding; send a Content-Length", ec);
  }
  if (field == Field::transfer_encoding && !same_without_case(standard(value), "chunked")) {
    return fail(501, "a body comes whole or in chunks; other Transfer-Encodings are not known", ec);
  }
  request_.headers.add(standard(name), standard(value));
}

void RequestParser::on_header_impl(ErrorCode&) {}

// Beast reads no bodies here.
void RequestParser::on_body_init_impl(const boost::optional<std::uint64_t>&, ErrorCode&) {}
std::size_t RequestParser::on_body_impl(View body, ErrorCode&) { return body.size(); }
void RequestParser::on_chunk_header_impl(std::uint64_t, View, ErrorCode&) {}
std::size_t RequestParser::on_chunk_body_impl(std::uint64_t, View body, ErrorCode&) {
  return body.size();
}
void RequestParser::on_finish_impl(ErrorCode&) {}

}  // namespace warpdex::server
