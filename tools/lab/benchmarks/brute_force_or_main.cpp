// Times OR by brute force over an index and a log, as `warpdex bench` times the engine.
#include <boost/program_options.hpp>

#include "benchmarks/brute_force_or.hpp"
#include "benchmarks/report.hpp"
#include "search/bench_measure.hpp"
#include "warpdex/core/cuda/device.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::tools {
namespace {

struct Options {
  std::string index;
  std::string queries;
  std::string format = "tsv";
  std::uint32_t k = 10;
  std::size_t at_once = 64;
  int repetitions = 5;
  std::string json;
};

void run(const Options& options) {
  if (options.index.empty() || options.queries.empty()) {
    throw UsageError("--index and --queries are missing; name an index and a log to measure with");
  }
  if (options.k == 0 || options.k > kMaxK || options.at_once == 0 || options.repetitions < 1) {
    throw UsageError("-k takes 1 to 10000, --at-once and --repetitions take 1 or more");
  }
  const Index index = Index::open(options.index);
  const Workload workload = plan_all(
      Snapshot::open(options.index),
      read_queries(options.queries, query_format_from_name(options.format)), QuerySyntax::kPlain);
  if (workload.plans.empty()) throw InputError("the log holds no query; name another one");
  const ScorerSettings scorer = effective_scorer(index.settings(), {});
  BruteForceOr engine(index);
  BruteForceTimes times;
  engine.run(workload.plans, scorer, options.k, options.at_once, times);  // to warm up
  times = {};
  for (int i = 0; i < options.repetitions; ++i) {
    engine.run(workload.plans, scorer, options.k, options.at_once, times);
  }
  Report report("brute_force_or", {"k", "at once", "queries", "clear", "add", "select", "all"});
  report.note("device", device_info(0).to_string());
  report.note("times", "microseconds a query, on the GPU");
  const auto each = [&](double seconds) {
    const auto answered = static_cast<double>(workload.plans.size()) * options.repetitions;
    return Cell(seconds * 1e6 / answered, 2);
  };
  report.add({std::uint64_t{options.k}, std::uint64_t{options.at_once},
              std::uint64_t{workload.plans.size()}, each(times.clear), each(times.add),
              each(times.select), each(times.clear + times.add + times.select)});
  report.write(options.json);
}

}  // namespace
}  // namespace warpdex::tools

int main(int argc, char** argv) {
  namespace po = boost::program_options;
  warpdex::tools::Options given;
  po::options_description options("OR with an accumulator for every document, on the GPU. Options");
  options.add_options()  //
      ("index", po::value(&given.index), "the folder of an index")(
          "queries", po::value(&given.queries), "a log of queries without signs")(
          "query-format", po::value(&given.format)->default_value(given.format),
          "of that file, as of warpdex bench")("k,k", po::value(&given.k)->default_value(given.k),
                                               "documents to return, 1 to 10000")(
          "at-once", po::value(&given.at_once)->default_value(given.at_once),
          "queries that have accumulators at a time, 4 bytes for each document")(
          "repetitions", po::value(&given.repetitions)->default_value(given.repetitions),
          "timed passes over the queries")("json", po::value(&given.json),
                                           "also write the results to this file");
  return warpdex::tools::run_benchmark(argc, argv, options, [&] { warpdex::tools::run(given); });
}
