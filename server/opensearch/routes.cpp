// The table of the routes of OpenSearch's face.
#include "opensearch/face.hpp"

namespace warpdex::server::opensearch {

/// All but "/", which browsers ask for, too.
std::vector<Route> routes() {
  using enum Method;
  using enum Role;
  using enum BodyKind;
  const Face* const face = &kFace;
  using enum RunsOn;
  return {
      {kGet, "/_cat/indices", kRead, kEmpty, show_indexes, face},
      {kGet, "/_cat/indices/{index}", kRead, kEmpty, show_indexes, face},
      {kGet, "/_cluster/health", kRead, kEmpty, show_cluster_health, face},
      {kGet, "/_cluster/health/{index}", kRead, kEmpty, show_cluster_health, face},
      {kGet, "/_mapping", kRead, kEmpty, show_mapping, face},
      {kGet, "/{index}/_mapping", kRead, kEmpty, show_mapping, face},
      {kGet, "/{index}", kRead, kEmpty, show_one, face},
      {kPut, "/{index}", kAdmin, kJson, create_one, face, kWorker},
      {kDelete, "/{index}", kAdmin, kEmpty, remove_one, face},
      {kGet, "/_refresh", kWrite, kEmpty, refresh_one, face},
      {kPost, "/_refresh", kWrite, kEmpty, refresh_one, face},
      {kGet, "/{index}/_refresh", kWrite, kEmpty, refresh_one, face},
      {kPost, "/{index}/_refresh", kWrite, kEmpty, refresh_one, face},
      {kGet, "/_analyze", kRead, kJson, analyze, face},
      {kPost, "/_analyze", kRead, kJson, analyze, face},
      {kGet, "/{index}/_analyze", kRead, kJson, analyze, face},
      {kPost, "/{index}/_analyze", kRead, kJson, analyze, face},
      {kGet, "/_search", kRead, kJson, search, face, kSearcher},
      {kPost, "/_search", kRead, kJson, search, face, kSearcher},
      {kGet, "/{index}/_search", kRead, kJson, search, face, kSearcher},
      {kPost, "/{index}/_search", kRead, kJson, search, face, kSearcher},
      {kGet, "/_msearch", kRead, kNdjson, search_many, face, kWorker},
      {kPost, "/_msearch", kRead, kNdjson, search_many, face, kWorker},
      {kGet, "/{index}/_msearch", kRead, kNdjson, search_many, face, kWorker},
      {kPost, "/{index}/_msearch", kRead, kNdjson, search_many, face, kWorker},
      {kGet, "/_count", kRead, kJson, count, face},
      {kPost, "/_count", kRead, kJson, count, face},
      {kGet, "/{index}/_count", kRead, kJson, count, face},
      {kPost, "/{index}/_count", kRead, kJson, count, face},
      {kGet, "/{index}/_explain/{id}", kRead, kJson, explain_one, face},
      {kPost, "/{index}/_explain/{id}", kRead, kJson, explain_one, face},
      {kGet, "/_search/scroll", kRead, kJson, next_page, face, kWorker},
      {kPost, "/_search/scroll", kRead, kJson, next_page, face, kWorker},
      {kDelete, "/_search/scroll", kRead, kJson, clear_scrolls, face},
      {kDelete, "/_search/scroll/_all", kAdmin, kEmpty, clear_all_scrolls, face},
      {kGet, "/{index}/_doc/{id}", kRead, kEmpty, get_one, face, kWorker},
      {kPut, "/{index}/_doc/{id}", kWrite, kJson, put_one, face},
      {kPost, "/{index}/_doc/{id}", kWrite, kJson, put_one, face},
      {kDelete, "/{index}/_doc/{id}", kWrite, kEmpty, delete_one, face},
      {kPost, "/{index}/_doc", kWrite, kJson, post_one, face},
      {kPut, "/{index}/_create/{id}", kWrite, kJson, create_document, face},
      {kPost, "/{index}/_create/{id}", kWrite, kJson, create_document, face},
      {kPost, "/{index}/_update/{id}", kWrite, kJson, update_one, face},
      {kGet, "/_mget", kRead, kJson, get_many, face, kWorker},
      {kPost, "/_mget", kRead, kJson, get_many, face, kWorker},
      {kGet, "/{index}/_mget", kRead, kJson, get_many, face, kWorker},
      {kPost, "/{index}/_mget", kRead, kJson, get_many, face, kWorker},
      {kPost, "/_bulk", kWrite, kNdjson, change_many, face, kWorker},
      {kPut, "/_bulk", kWrite, kNdjson, change_many, face, kWorker},
      {kPost, "/{index}/_bulk", kWrite, kNdjson, change_many, face, kWorker},
      {kPut, "/{index}/_bulk", kWrite, kNdjson, change_many, face, kWorker},
      {kPost, "/{index}/_delete_by_query", kWrite, kJson, delete_by_query, face},
  };
}

}  // namespace warpdex::server::opensearch
