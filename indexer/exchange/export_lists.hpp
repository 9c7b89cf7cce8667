// What all exports share: walking the lists, and checking that a stream was written.
#pragma once

#include <functional>
#include <ostream>
#include <string_view>

#include "warpdex/indexer/exchange/exchange.hpp"
#include "warpdex/indexer/format/index.hpp"
#include "warpdex/indexer/format/postings.hpp"

namespace warpdex::exchange {

/// Checks every section's checksum: other programs could not tell damage. Throws FormatError.
void check_source(const Index& index, const OnExportProgress& on_progress);

using OnList = std::function<void(std::string_view term, const Postings& postings)>;

/// Calls `visit` for the lists of an index, in the order of their terms. Reports progress before
/// each.
void for_each_list(const Index& index, const OnExportProgress& on_progress, const OnList& visit);

/// Throws IoError if the stream has failed.
void check_written(const std::ostream& out);

}  // namespace warpdex::exchange
