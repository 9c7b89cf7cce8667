// Reads a request from the bytes of a connection: its header by Boost.Beast's parser, its body
// here.
#pragma once

#include <utility>

#include <boost/beast/http/basic_parser.hpp>

#include <cstddef>
#include <optional>
#include <string_view>

#include "http/request.hpp"
#include "net/chunked_body.hpp"

namespace warpdex::server {

/// Of one request; the next one needs another.
class RequestParser final : private boost::beast::http::basic_parser<true> {
 public:
  using ErrorCode = boost::beast::error_code;
  using Base = boost::beast::http::basic_parser<true>;

  /// Fills `request`, which must outlive this.
  RequestParser(Request& request, std::size_t header_bytes);

  enum class State { kNeedsMore, kHasHeader, kDone, kFailed };
  struct Step {
    State state;
    std::size_t used;  ///< bytes that belong to the request, and are not to be given again
  };
  /// Takes bytes. Stops behind the header, once; behind the request; and at an error.
  Step put(std::string_view bytes);

  /// Of kFailed: the status that the client gets, and why.
  int status() const { return status_; }
  const std::string& reason() const { return reason_; }

  bool has_begun() const { return Base::got_some(); }
  bool keeps_alive() const { return Base::keep_alive(); }
  /// Of the body; none where it comes in chunks, or there is none.
  std::optional<std::uint64_t> content_length() const;
  bool is_chunked() const { return Base::chunked(); }
  /// From the header on: the bytes that the body may have.
  void set_body_limit(std::size_t bytes) { body_limit_ = bytes; }

 private:
  using Verb = boost::beast::http::verb;
  using Field = boost::beast::http::field;
  using View = boost::beast::string_view;

  void on_request_impl(Verb verb, View method, View target, int version, ErrorCode& ec) override;
  void on_response_impl(int code, View reason, int version, ErrorCode& ec) override;
  void on_field_impl(Field field, View name, View value, ErrorCode& ec) override;
  void on_header_impl(ErrorCode& ec) override;
  void on_body_init_impl(const boost::optional<std::uint64_t>& length, ErrorCode& ec) override;
  std::size_t on_body_impl(View body, ErrorCode& ec) override;
  void on_chunk_header_impl(std::uint64_t size, View extensions, ErrorCode& ec) override;
  std::size_t on_chunk_body_impl(std::uint64_t remain, View body, ErrorCode& ec) override;
  void on_finish_impl(ErrorCode& ec) override;

  Step put_header(std::string_view bytes);
  bool is_folded(std::string_view taken);
  Step put_body(std::string_view bytes);
  Step refused(int status, std::string reason);
  void fail(int status, std::string reason, ErrorCode& ec);
  Step failed(const ErrorCode& ec);
  Step too_large();

  Request& request_;
  std::size_t body_limit_ = 0;
  std::uint64_t left_ = 0;  ///< of a body of known length
  ChunkedBody chunks_;
  std::string header_end_{};  ///< the last bytes that were taken
  bool has_header_ = false;
  int status_ = 400;
  std::string reason_;
};

}  // namespace warpdex::server
