#include "v1/face.hpp"

#include "http/json_writer.hpp"

namespace warpdex::server::v1 {
namespace {

std::string render(const HttpError& error, const Request& request) {
  JsonWriter json;
  json.begin_object();
  json.begin_object("error");
  json.member("status", error.status());
  json.member("type", error.type());
  json.member("reason", error.what());
  json.end_object();
  json.member("request_id", request.id);
  json.end_object();
  return json.take() + "\n";
}

}  // namespace

const Face kFace{"v1", render};

}  // namespace warpdex::server::v1
