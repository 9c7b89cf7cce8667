// Formats the report of a reordering.
#include "output/reorder_report.hpp"

#include <iostream>

#include "output/text.hpp"

namespace warpdex::tools {

void add_order(Table& table, const ReorderReport& report) {
  table.add({"  lists that counted for the order", grouped(report.lists_used),
             "of " + grouped(report.min_list) + " postings and more"});
  table.add({"  their postings", grouped(report.postings_used)});
  table.add({"  time for the order", duration_text(report.order_seconds)});
}

void print_order_notes(const ReorderReport& report, const OrderSettings& settings) {
  if (report.min_list <= settings.min_list) return;
  std::cerr << "warpdex: for want of memory, lists of fewer than " << grouped(report.min_list)
            << " postings had no say in the order; --memory " << (report.memory_for_all >> 20) + 1
            << "M takes all in\n";
}

}  // namespace warpdex::tools
