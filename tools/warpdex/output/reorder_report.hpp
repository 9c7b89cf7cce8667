// Says what a reordering did.
#pragma once

#include <cstdint>

#include "output/table.hpp"
#include "warpdex/indexer/rewrite/rewrite.hpp"

namespace warpdex::tools {

/// Adds lines on the order: the lists that counted for it, and the time.
void add_order(Table& table, const ReorderReport& report);

/// A line on standard error if memory was short for the lists that were asked for.
void print_order_notes(const ReorderReport& report, const OrderSettings& settings);

}  // namespace warpdex::tools
