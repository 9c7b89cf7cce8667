// A client's connection: reads requests one after the other, and sends their answers.
#pragma once

#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>

#include "net/request_handler.hpp"
#include "net/request_parser.hpp"
#include "warpdex/server/server.hpp"

namespace warpdex::server {

class IoThread;
class ConnectionExchange;

/// Belongs to one I/O thread, which reads. While a request is answered no other is begun, so that
/// answers come in the order of requests; the thread that has the answer writes it to the socket
/// itself, and the I/O thread takes over only where the client does not take all of it at once. So
/// a search costs one change of threads, from the one that reads to the one that searches.
///
/// Reading goes on into the buffer meanwhile, once, so that the next request is there when the
/// answer is out.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  using Socket = boost::asio::basic_stream_socket<boost::asio::ip::tcp,
                                                  boost::asio::io_context::executor_type>;
  using Clock = std::chrono::steady_clock;

  Connection(Socket socket, IoThread& thread, RequestHandler& handler, const ServerLimits& limits);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // On the I/O thread.
  void start();
  /// Ends it where a timeout has passed, and stops a request whose client has gone.
  void check(std::int64_t now);
  /// Ends it unless a request is under way.
  void close_if_idle();
  /// Ends it, whatever is under way.
  void cut();

  // For its exchanges, on any thread.
  void send(ConnectionExchange& exchange, Response&& response);
  /// From here on the answer is sent in pieces.
  void begin_stream();
  /// Waits for the client. Throws ClientGone.
  void send_and_wait(std::string_view bytes);
  /// The request is answered.
  void finish(bool closes);
  std::string head_of(const ConnectionExchange& exchange, const Response& response, bool closes,
                      bool is_stream) const;
  bool closes_after(const ConnectionExchange& exchange, const Response& response) const;
  RequestHandler& handler() { return handler_; }

 private:
  void arm_read();
  void on_read(const boost::system::error_code& failure, std::size_t bytes);
  /// Takes requests out of the buffer, until one is to be waited for.
  void process();
  /// False if reading ends here: the request was refused.
  bool take_head();
  void take_request();
  void refuse(const HttpError& error);
  void send_rest();
  void resume();
  void linger();
  void close();
  void set_deadline(std::chrono::milliseconds from_now);
  bool take_body_room();
  void check_client(std::int64_t now, bool is_streaming);

  Socket socket_;
  const int descriptor_;
  IoThread& thread_;
  RequestHandler& handler_;
  const ServerLimits& limits_;
  std::string client_;

  // Of the I/O thread.
  std::string buffer_;
  std::size_t begin_ = 0;  ///< of what is not parsed yet
  std::size_t end_ = 0;
  std::shared_ptr<ConnectionExchange> reading_;  ///< the request that comes in
  std::optional<RequestParser> parser_;
  std::optional<HttpError> refusal_;  ///< what it will be answered with
  bool is_armed_ = false;
  bool has_ended_ = false;  ///< the client sends no more
  bool lingers_ = false;
  bool is_closed_ = false;
  std::stop_source gone_{std::nostopstate};  ///< of the request that is answered
  std::int64_t half_closed_at_ = 0;          ///< when that was seen first, in ms; 0: it was not
  std::string rest_;                         ///< of an answer that the client did not take at once
  std::size_t rest_begin_ = 0;

  std::atomic<std::int64_t> deadline_;  ///< in ms of the clock
  std::mutex mutex_;                    ///< protects the next
  bool is_busy_ = false;                ///< a request is answered
  bool is_streaming_ = false;           ///< in pieces
  bool has_input_ = false;              ///< something came meanwhile
  bool closes_ = false;
};

}  // namespace warpdex::server
