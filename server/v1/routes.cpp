// The table of the routes of /v1.
#include "v1/face.hpp"

namespace warpdex::server::v1 {

std::vector<Route> routes() {
  using enum Method;
  using enum Role;
  using enum BodyKind;
  const Face* const face = &kFace;
  using enum RunsOn;
  return {
      {kGet, "/v1", kRead, kEmpty, list_indexes, face},
      {kGet, "/v1/{index}", kRead, kEmpty, show_index, face},
      {kPut, "/v1/{index}", kAdmin, kJson, create_index, face, kWorker},
      {kDelete, "/v1/{index}", kAdmin, kEmpty, remove_index, face},
      {kGet, "/v1/{index}/search", kRead, kEmpty, search_by_address, face, kSearcher},
      {kPost, "/v1/{index}/search", kRead, kJson, search_by_body, face, kSearcher},
      {kPost, "/v1/{index}/search/batch", kRead, kNdjson, search_batch, face, kWorker},
      {kGet, "/v1/{index}/similar", kRead, kEmpty, find_similar, face, kWorker},
      {kPost, "/v1/{index}/nearest", kRead, kJson, find_nearest, face, kSearcher},
      {kGet, "/v1/{index}/documents/{id}", kRead, kEmpty, get_document, face, kWorker},
      {kPut, "/v1/{index}/documents/{id}", kWrite, kJson, put_document, face},
      {kDelete, "/v1/{index}/documents/{id}", kWrite, kEmpty, remove_document, face},
      {kPost, "/v1/{index}/bulk", kWrite, kNdjson, change_documents, face},
      {kPost, "/v1/{index}/commit", kWrite, kEmpty, commit, face},
      {kPost, "/v1/{index}/merge", kWrite, kEmpty, merge, face},
      {kPost, "/v1/{index}/refresh", kWrite, kEmpty, refresh, face, kWorker},
      {kPost, "/v1/{index}/snapshot", kAdmin, kEmpty, make_snapshot, face, kWorker},
  };
}

}  // namespace warpdex::server::v1
