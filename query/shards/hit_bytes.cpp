#include "shards/hit_bytes.hpp"

#include <cmath>

namespace warpdex::shards {
namespace {

// The fewest bytes of each.
constexpr std::size_t kHitBytes = 8;
constexpr std::size_t kNameBytes = 4;

}  // namespace

void put_hits(MessageWriter& to, const std::vector<Hit>& hits,
              const std::vector<std::string>& names) {
  to.count(hits.size());
  for (const Hit& hit : hits) {
    to.number(hit.document);
    to.number(hit.score);
  }
  to.count(names.size());
  for (const std::string& name : names) to.text(name);
}

void take_hits(MessageReader& from, std::vector<Hit>& hits, std::vector<std::string>& names) {
  hits.resize(from.count(kHitBytes, kMaxK));
  for (Hit& hit : hits) {
    hit.document = from.number<std::uint32_t>();
    hit.score = from.number<float>();
    if (!std::isfinite(hit.score)) fail_message("a score is no number");
  }
  names.resize(from.count(kNameBytes, hits.size()));
  for (std::string& name : names) name = from.text();
  if (!names.empty() && names.size() != hits.size()) fail_message("documents without names");
}

}  // namespace warpdex::shards
