// A subcommand of the program: its name, what it says of itself, and how it runs.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace warpdex::tools {

/// The exit status for wrong arguments.
inline constexpr int kUsageStatus = 2;

struct Command {
  const char* name;
  const char* summary;  ///< one line, for the program's own --help
  /// Runs with the arguments after the subcommand's name; returns the exit status. Throws
  /// warpdex::Error, which main() turns into one sentence on standard error.
  int (*run)(const std::vector<std::string>& arguments);
};

int run_index(const std::vector<std::string>& arguments);
int run_search(const std::vector<std::string>& arguments);
int run_suggest(const std::vector<std::string>& arguments);
int run_serve(const std::vector<std::string>& arguments);
int run_calibrate(const std::vector<std::string>& arguments);
int run_load(const std::vector<std::string>& arguments);
int run_bench(const std::vector<std::string>& arguments);
int run_add(const std::vector<std::string>& arguments);
int run_plan(const std::vector<std::string>& arguments);
int run_devices(const std::vector<std::string>& arguments);
int run_delete(const std::vector<std::string>& arguments);
int run_merge(const std::vector<std::string>& arguments);
int run_tune(const std::vector<std::string>& arguments);
int run_stats(const std::vector<std::string>& arguments);
int run_verify(const std::vector<std::string>& arguments);
int run_evaluate(const std::vector<std::string>& arguments);
int run_reorder(const std::vector<std::string>& arguments);
int run_convert(const std::vector<std::string>& arguments);
int run_split(const std::vector<std::string>& arguments);
int run_import(const std::vector<std::string>& arguments);
int run_export(const std::vector<std::string>& arguments);
int run_vector(const std::vector<std::string>& arguments);
int run_metric(const std::vector<std::string>& arguments);

// Commands of `warpdex vector`.
int run_vector_build(const std::vector<std::string>& arguments);
int run_vector_add(const std::vector<std::string>& arguments);
int run_vector_reconstruct(const std::vector<std::string>& arguments);
int run_vector_remove(const std::vector<std::string>& arguments);
int run_vector_merge(const std::vector<std::string>& arguments);
int run_vector_search(const std::vector<std::string>& arguments);
int run_vector_bench(const std::vector<std::string>& arguments);
int run_vector_graph(const std::vector<std::string>& arguments);
int run_vector_path(const std::vector<std::string>& arguments);
int run_vector_kmeans(const std::vector<std::string>& arguments);
int run_vector_convert(const std::vector<std::string>& arguments);
int run_vector_evaluate(const std::vector<std::string>& arguments);

// Commands of `warpdex metric`.
int run_metric_build(const std::vector<std::string>& arguments);
int run_metric_search(const std::vector<std::string>& arguments);
int run_metric_bench(const std::vector<std::string>& arguments);

}  // namespace warpdex::tools
