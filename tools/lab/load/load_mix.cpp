// Lets kinds of queries take turns.
#include "load/load_mix.hpp"

#include <cstddef>

namespace warpdex::tools {

void add_mixed_queries(const Snapshot& snapshot, std::span<const Query> queries, LoadPlan& plan) {
  const std::size_t kinds = plan.classes.size();
  for (std::size_t turn = 0; turn < queries.size(); ++turn) {
    for (std::size_t kind = 0; kind < kinds; ++kind) {
      const std::size_t place = (turn + kind * queries.size() / kinds) % queries.size();
      plan.queries.push_back({plan_query(snapshot, queries[place]), plan.classes[kind].settings});
      plan.class_of.push_back(kind);
    }
  }
}

}  // namespace warpdex::tools
