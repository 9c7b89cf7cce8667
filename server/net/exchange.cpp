#include "net/exchange.hpp"

#include <charconv>

namespace warpdex::server {

ConnectionExchange::~ConnectionExchange() {
  if (is_stream_) fail_stream();
  if (is_begun_ && !is_answered_) {
    respond(connection_->handler().render({500, "internal_error", "the request was not answered"},
                                          *this));
  }
  if (room > 0) connection_->handler().give_back_room(room);
}

void ConnectionExchange::respond(Response response) {
  if (is_answered_) return;
  is_answered_ = true;
  connection_->send(*this, std::move(response));
}

void ConnectionExchange::begin(Response head) {
  is_answered_ = true;
  is_stream_ = true;
  is_chunked_ = !request.is_http_1_0;
  closes_ = !is_chunked_ || connection_->closes_after(*this, head);
  status_ = head.status;
  connection_->send_and_wait(connection_->head_of(*this, head, closes_, true));
}

void ConnectionExchange::write(std::string_view bytes) {
  if (bytes.empty() || request.method == Method::kHead) return;
  sent_ += bytes.size();
  if (!is_chunked_) return connection_->send_and_wait(bytes);
  std::array<char, 24> size{};
  char* const end = std::to_chars(size.data(), size.data() + 20, bytes.size(), 16).ptr;
  std::string chunk(size.data(), end);
  ((chunk += "\r\n") += bytes) += "\r\n";
  connection_->send_and_wait(chunk);
}

void ConnectionExchange::end() {
  if (is_chunked_ && request.method != Method::kHead) connection_->send_and_wait("0\r\n\r\n");
  is_stream_ = false;
  connection_->handler().on_answered(*this, status_, sent_);
  connection_->finish(closes_);
}

/// The client knows by the missing end that this is not all.
void ConnectionExchange::fail_stream() {
  is_stream_ = false;
  connection_->handler().on_answered(*this, status_, sent_);
  connection_->finish(true);
}

}  // namespace warpdex::server
