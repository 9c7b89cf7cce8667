// Collections whose lists have chosen lengths and shapes, and what to ask of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/query/engine/random_engine_inputs.hpp"
#include "tests/reference/oracle.hpp"

namespace warpdex::test {

inline constexpr QueryMode kAllModes[] = {QueryMode::kAnd, QueryMode::kOr, QueryMode::kAndOr};

/// Documents without terms, of random lengths.
reference::Collection make_documents(Random& random, std::uint32_t count, bool has_statics);

/// `size` docIDs spread evenly, up to the last document.
std::vector<std::uint32_t> spread(std::uint32_t documents, std::uint32_t size);

/// `size` docIDs in a row.
std::vector<std::uint32_t> run(std::uint32_t first, std::uint32_t size);

/// `size` docIDs, all sets of them alike.
std::vector<std::uint32_t> scatter(Random& random, std::uint32_t documents, std::uint32_t size);

/// Adds a term's list, with random frequencies.
void add_list(reference::Collection& collection, const std::string& term,
              const std::vector<std::uint32_t>& docids, Random& random);

/// Queries in the signed syntax.
std::vector<Query> queries_from(const std::vector<std::string>& texts);

SearchSettings settings_of(QueryMode mode, std::uint32_t k, bool count = false,
                           const ScorerSettings& scorer = {});

}  // namespace warpdex::test
