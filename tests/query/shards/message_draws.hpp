// What random messages between parts are made of.
#pragma once

#include <cstdint>
#include <string>

#include "tests/query/shards/message_support.hpp"
#include "warpdex/query/shards/messages.hpp"

namespace warpdex::test {

inline std::uint64_t number_below(Random& random, std::uint64_t end) { return random() % end; }
inline bool happens(Random& random, std::uint64_t percent) {
  return number_below(random, 100) < percent;
}

/// Any bytes.
std::string draw_text(Random& random);
/// Often one that the part of the fuzz target has.
std::string draw_word(Random& random, const char* known);
float draw_score(Random& random);
/// So many clauses in each other at most.
QueryNode draw_tree(Random& random, int depth);
shards::SearchRequest draw_request(Random& random);

}  // namespace warpdex::test
