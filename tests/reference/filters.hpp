// Filters on columns by plain loops: random schemas, values and conditions, and which documents
// these let through. It shares no code with what it judges, only the structures.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "warpdex/indexer/index_settings.hpp"
#include "warpdex/query/filter/filter.hpp"

namespace warpdex::reference {

/// One to six columns of random types.
Schema random_schema(std::mt19937_64& random);
/// Values for a document, arranged; some columns have none.
FieldValues random_values(std::mt19937_64& random, const Schema& schema);
/// A condition on these columns and on ids "d0", "d1", ...
FilterNode random_filter(std::mt19937_64& random, const Schema& schema, int depth = 3);

/// Whether a document fits.
bool passes(const FilterNode& filter, const Schema& schema, const std::string& id,
            const FieldValues& values);

}  // namespace warpdex::reference
