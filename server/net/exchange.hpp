// A request of a connection, and the way back.
#pragma once

#include <memory>
#include <optional>

#include "http/gzip.hpp"
#include "net/connection.hpp"

namespace warpdex::server {

class ConnectionExchange final : public Exchange {
 public:
  explicit ConnectionExchange(std::shared_ptr<Connection> connection)
      : connection_(std::move(connection)) {}
  ~ConnectionExchange() override;

  void respond(Response response) override;
  void begin(Response head) override;
  void write(std::string_view bytes) override;
  void end() override;

  /// Its request is whole, and is to be answered.
  void set_begun() { is_begun_ = true; }
  bool keeps_alive = false;
  std::size_t room = 0;  ///< that was taken for its body

 private:
  void fail_stream();
  bool may_pack(Response& response) const;
  void send_piece(std::string_view bytes);

  std::shared_ptr<Connection> connection_;
  bool is_begun_ = false;
  bool is_answered_ = false;
  bool is_stream_ = false;
  bool is_chunked_ = false;
  bool closes_ = false;
  std::optional<GzipPacker> packer_;  ///< of a stream that goes out packed
  int status_ = 0;
  std::uint64_t sent_ = 0;
};

}  // namespace warpdex::server
