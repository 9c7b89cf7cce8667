// How searches are counted.
#include "services/services.hpp"

#include "searching.hpp"

namespace warpdex::server {
namespace {

std::string count_line(std::string_view processor, int count) {
  return "warpdex_search_duration_seconds_count{processor=\"" + std::string(processor) + "\"} " +
         std::to_string(count) + "\n";
}

TEST_F(Searching, CountsUnderTheProcessorThatAnswered) {
  SearchOutcome outcome;
  take_outcome(services, *exchange, *index, outcome);
  outcome.answer.is_of_gpu = true;
  take_outcome(services, *exchange, *index, outcome);
  take_outcome(services, *exchange, *index, outcome);
  EXPECT_NE(metrics_text().find(count_line("cpu", 1)), std::string::npos) << metrics_text();
  EXPECT_NE(metrics_text().find(count_line("gpu", 2)), std::string::npos) << metrics_text();
}

}  // namespace
}  // namespace warpdex::server
