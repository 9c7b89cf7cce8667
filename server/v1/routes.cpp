// The table of the routes of /v1.
#include "v1/face.hpp"

namespace warpdex::server::v1 {

std::vector<Route> routes() {
  using enum Method;
  using enum Role;
  using enum BodyKind;
  return {
      {kGet, "/v1", kRead, kEmpty, list_indexes, &kFace},
      {kGet, "/v1/{index}", kRead, kEmpty, show_index, &kFace},
      {kGet, "/v1/{index}/search", kRead, kEmpty, search_by_address, &kFace},
      {kPost, "/v1/{index}/search", kRead, kJson, search_by_body, &kFace},
  };
}

}  // namespace warpdex::server::v1
