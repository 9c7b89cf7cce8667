#include "net/exchange.hpp"

#include <charconv>

namespace warpdex::server {
namespace {

/// Smaller bodies go out as they are: they fit one packet either way.
constexpr std::size_t kMinPacked = 1 << 10;

}  // namespace

ConnectionExchange::~ConnectionExchange() {
  if (is_stream_) fail_stream();
  if (is_begun_ && !is_answered_) {
    respond(connection_->handler().render({500, "internal_error", "the request was not answered"},
                                          *this));
  }
  if (room > 0) connection_->handler().give_back_room(room);
}

/// Of a body that goes out packed to those who ask for it: notes that it does, and whether this
/// client asked.
bool ConnectionExchange::may_pack(Response& response) const {
  response.headers.emplace_back("Vary", "Accept-Encoding");
  if (!takes_gzip(request.headers.get("Accept-Encoding"))) return false;
  response.headers.emplace_back("Content-Encoding", "gzip");
  return true;
}

void ConnectionExchange::respond(Response response) {
  if (is_answered_) return;
  if (response.body.size() >= kMinPacked && may_pack(response)) {
    response.body = GzipPacker().finish(response.body);
  }
  is_answered_ = true;
  connection_->send(*this, std::move(response));
}

void ConnectionExchange::begin(Response head) {
  if (may_pack(head)) packer_.emplace();
  is_answered_ = true;
  is_stream_ = true;
  is_chunked_ = !request.is_http_1_0;
  closes_ = !is_chunked_ || connection_->closes_after(*this, head);
  status_ = head.status;
  connection_->begin_stream();
  connection_->send_and_wait(connection_->head_of(*this, head, closes_, true));
}

void ConnectionExchange::write(std::string_view bytes) {
  if (bytes.empty() || request.method == Method::kHead) return;
  if (packer_) {
    send_piece(packer_->pack(bytes));
  } else {
    send_piece(bytes);
  }
}

void ConnectionExchange::send_piece(std::string_view bytes) {
  sent_ += bytes.size();
  if (!is_chunked_) return connection_->send_and_wait(bytes);
  std::array<char, 24> size{};
  char* const end = std::to_chars(size.data(), size.data() + 20, bytes.size(), 16).ptr;
  std::string chunk(size.data(), end);
  ((chunk += "\r\n") += bytes) += "\r\n";
  connection_->send_and_wait(chunk);
}

void ConnectionExchange::end() {
  if (request.method != Method::kHead) {
    if (packer_) send_piece(packer_->finish({}));
    if (is_chunked_) connection_->send_and_wait("0\r\n\r\n");
  }
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
