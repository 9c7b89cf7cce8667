// What the tests of parts share: a collection cut into parts, and their indexes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "tests/query/engine/random_engine_inputs.hpp"
#include "tests/reference/oracle.hpp"
#include "warpdex/indexer/format/snapshot.hpp"
#include "warpdex/query/plan/whole_statistics.hpp"

namespace warpdex::test {

/// Where each of `parts` ranges of documents begins, and where the last one ends; some may be
/// empty.
std::vector<std::uint32_t> draw_cuts(Random& random, std::size_t documents, std::size_t parts);

/// The documents of a collection from docID `begin` to `end`, with docIDs from 0 on.
reference::Collection slice(const reference::Collection& collection, std::uint32_t begin,
                            std::uint32_t end);

/// What all parts count together of the terms of some queries, added up term by term.
WholeStatistics add_up(std::span<const Snapshot> parts, std::span<const Query> queries);

}  // namespace warpdex::test
