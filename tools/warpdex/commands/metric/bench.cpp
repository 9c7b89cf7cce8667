// warpdex metric bench: recall and time over shares, k and radii, beside an exact scan.
#include <algorithm>
#include <chrono>
#include <functional>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "command.hpp"
#include "options/at_most.hpp"
#include "options/device_options.hpp"
#include "options/options.hpp"
#include "options/places.hpp"
#include "output/interrupt.hpp"
#include "output/json.hpp"
#include "output/output_file.hpp"
#include "output/progress.hpp"
#include "output/table.hpp"
#include "output/text.hpp"
#include "search/metric_search.hpp"
#include "search/timing.hpp"
#include "warpdex/core/cpu_features.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/parallel.hpp"
#include "warpdex/metric_index.hpp"

namespace warpdex::tools {
namespace {

constexpr const char* kAbout =
    "Measures, for each k and each radius, the recall of each share of objects that is compared,\n"
    "and the time beside that of comparing all. Recall is that of distances: of k objects, those\n"
    "that are no farther than the k-th of the exact answer; within a radius, those found of all\n"
    "there are, over queries that have one. The clock runs from queries to answers in memory.";

constexpr const char* kNotes =
    "example:\n"
    "  warpdex metric bench words.index --queries misspelt.txt -k 2,4,16 --radius 1,2,3";

struct Arguments {
  std::string index;
  std::string queries;
  std::string k = "2,4,16";
  std::string radius;
  std::string share = "0.01,0.1,0.2,0.3";
  std::string compare = "footrule";
  std::int64_t batch = 80;
  std::int64_t repetitions = 3;
  std::int64_t threads = 0;
  DeviceOptions device;
  std::string json;
};

struct Measured {
  MetricKind kind;
  double share;  ///< 1: exact
  double recall;
  double microseconds;  ///< a query
};

void add_options(CommandLine& command, Arguments& given) {
  po::options_description group = option_group("Options");
  group.add_options()("queries", po::value(&given.queries)->value_name("FILE")->required(),
                      "the queries: a line or a row each")(
      ",k", po::value(&given.k)->value_name("N,N,...")->default_value(given.k),
      "objects for each query")("radius", po::value(&given.radius)->value_name("R,R,..."),
                                "radii, beside -k")(
      "share", po::value(&given.share)->value_name("F,F,...")->default_value(given.share),
      "parts of the objects that are compared, over 0 and up to 1")(
      "compare", po::value(&given.compare)->value_name("HOW")->default_value(given.compare),
      "how permutations are compared: footrule, rho, tau or bits")(
      "batch", po::value(&given.batch)->value_name("N")->default_value(given.batch),
      "queries that are answered together")(
      "repetitions",
      po::value(&given.repetitions)->value_name("N")->default_value(given.repetitions),
      "timed searches of all queries, whose median counts");
  add_threads_option(group, &given.threads);
  add_json_option(group, "figures", &given.json);
  command.add(group);
  given.device.add_to(command, "The index has to fit");
}

std::vector<double> numbers(const std::string& option, const std::string& list) {
  std::vector<double> result;
  for (const std::string& part : split_list(option, list)) {
    std::size_t end = 0;
    try {
      result.push_back(std::stod(part, &end));
    } catch (const std::exception&) {
      end = 0;
    }
    if (end != part.size()) {
      throw UsageError(option + " takes numbers with commas between them, not '" + part + "'");
    }
  }
  return result;
}

class Bench {
 public:
  Bench(const Arguments& given, const MetricIndex& index, const MetricQueries& queries)
      : queries_(queries),
        index_(index),
        batch_(checked_number("--batch", given.batch, 1)),
        repetitions_(checked_number("--repetitions", given.repetitions, 1, 1'000'000)) {
    settings_.compare = metric::rank_distance_from_name(given.compare);
    settings_.threads = checked_threads(given.threads);
  }

  std::vector<Measured> run(const MetricKind& kind, const std::vector<double>& shares) {
    settings_.share.reset();
    const metric::Matches exact = search(kind);
    std::vector<Measured> all{{kind, 1, 1, time(kind)}};
    for (const double share : shares) {
      settings_.share = share;
      const double recall = recall_of(kind, search(kind), exact);
      all.push_back({kind, share, recall, time(kind)});
    }
    return all;
  }

  /// "cpu", or what the driver calls the GPU.
  std::string device() const {
    const std::optional<Gpu> gpu = index_.gpu();
    return gpu ? gpu->name() : "cpu";
  }

 private:
  metric::Matches search(const MetricKind& kind) const {
    metric::Matches all;
    for (std::size_t first = 0; first < queries_.size(); first += batch_) {
      const std::size_t count = std::min<std::size_t>(batch_, queries_.size() - first);
      metric::Matches some = search_metric(index_, queries_, first, count, kind, settings_);
      std::move(some.begin(), some.end(), std::back_inserter(all));
    }
    return all;
  }

  double time(const MetricKind& kind) const {
    std::vector<double> times;
    for (std::size_t i = 0; i < repetitions_; ++i) {
      const auto begin = std::chrono::steady_clock::now();
      search(kind);
      const std::chrono::duration<double, std::micro> passed =
          std::chrono::steady_clock::now() - begin;
      times.push_back(passed.count() / static_cast<double>(queries_.size()));
    }
    return median(times);
  }

  static double recall_of(const MetricKind& kind, const metric::Matches& found,
                          const metric::Matches& exact) {
    double sum = 0;
    std::size_t counted = 0;
    for (std::size_t q = 0; q < exact.size(); ++q) {
      if (exact[q].empty()) continue;
      const float limit = kind.k > 0 ? exact[q].back().distance : kind.radius;
      const auto right =
          std::count_if(found[q].begin(), found[q].end(),
                        [&](const metric::Match& match) { return match.distance <= limit; });
      sum += static_cast<double>(right) / static_cast<double>(exact[q].size());
      ++counted;
    }
    return counted == 0 ? 1 : sum / static_cast<double>(counted);
  }

  const MetricQueries& queries_;
  const MetricIndex& index_;
  std::size_t batch_;
  std::size_t repetitions_;
  metric::MetricSearchSettings settings_;
};

std::string kind_name(const MetricKind& kind) {
  if (kind.k > 0) return "k " + std::to_string(kind.k);
  std::string radius = std::to_string(kind.radius);
  radius.erase(radius.find_last_not_of('0') + 1);
  if (radius.ends_with('.')) radius.pop_back();
  return "radius " + radius;
}

void print(const std::vector<Measured>& all, std::ostream& out) {
  Table table(
      {{"search", Table::Align::kLeft}, {"share"}, {"recall"}, {"us a query"}, {"speedup"}});
  double exact = 0;
  for (const Measured& one : all) {
    if (one.share == 1) exact = one.microseconds;
    table.add({kind_name(one.kind), fixed(one.share * 100, 1) + " %", fixed(one.recall, 4),
               fixed(one.microseconds, 1), fixed(exact / one.microseconds, 1)});
  }
  table.print(out);
}

std::string to_json(const MetricIndex& index, const std::string& device, std::size_t threads,
                    const std::vector<Measured>& all) {
  JsonWriter json;
  json.begin_object();
  json.member("objects", std::uint64_t{index.objects()});
  json.member("permutants", std::uint64_t{index.permutants()});
  json.member("distance", metric::distance_name(index.settings().distance));
  json.member("device", device);
  json.member("isa", isa_name(isa()));
  json.member("threads", std::uint64_t{threads});
  json.begin_array("searches");
  for (const Measured& one : all) {
    json.begin_object();
    if (one.kind.k > 0) {
      json.member("k", std::uint64_t{one.kind.k});
    } else {
      json.member("radius", one.kind.radius);
    }
    json.member("share", one.share);
    json.member("recall", one.recall);
    json.member("microseconds", one.microseconds);
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return json.take() + "\n";
}

/// With as many of -k as there are objects, where these are fewer.
std::vector<MetricKind> kinds_of(const Arguments& given, const CommandLine& command,
                                 std::size_t objects) {
  const Supply supply{objects, "the index '" + given.index + "' has " + counted(objects, "object"),
                      "all of them are measured"};
  std::vector<MetricKind> kinds;
  for (const double number : numbers("-k", given.k)) {
    if (!(number >= 1)) throw UsageError("-k takes whole numbers of 1 or more");
    const auto k = static_cast<std::int64_t>(std::min(number, 1e18));
    const std::size_t found =
        command.given("-k") ? at_most("-k", k, supply) : std::min<std::size_t>(k, objects);
    if (kinds.empty() || kinds.back().k != found) kinds.push_back({found, 0});
  }
  for (const double radius : numbers("--radius", given.radius)) {
    if (!(radius >= 0)) throw UsageError("--radius is 0 or more");
    kinds.push_back({0, static_cast<float>(radius)});
  }
  return kinds;
}

}  // namespace

int run_metric_bench(const std::vector<std::string>& arguments) {
  Arguments given;
  CommandLine command("metric bench", "INDEX --queries FILE [options]", kAbout, kNotes);
  command.add_positional("INDEX", &given.index, "the folder of a permutation index");
  add_options(command, given);
  if (!command.parse(arguments)) return 0;

  given.device.check(command);
  check_outputs_not_inputs({given.queries}, {given.json});
  check_outputs_outside(given.index, {given.json});
  const InterruptGuard guard;
  MetricIndex index(given.index);
  const MetricQueries queries = MetricQueries::read(given.queries, index.settings());
  if (queries.size() == 0) {
    throw InputError("'" + given.queries + "' has no queries; give one or more");
  }
  const std::vector<MetricKind> kinds = kinds_of(given, command, index.objects());
  const std::vector<double> shares = numbers("--share", given.share);
  set_search(index, given.device);
  Bench bench(given, index, queries);
  Progress progress = Progress::to_standard_error();
  std::vector<Measured> all;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    progress.update("measuring", kind_name(kinds[i]), i, kinds.size(), Progress::Unit::kSteps);
    const std::vector<Measured> some = bench.run(kinds[i], shares);
    all.insert(all.end(), some.begin(), some.end());
  }
  progress.clear();
  const std::size_t threads =
      given.threads == 0 ? default_threads() : static_cast<std::size_t>(given.threads);
  if (given.json != "-") print(all, std::cout);
  if (!given.json.empty()) write_output(given.json, to_json(index, bench.device(), threads, all));
  return 0;
}

}  // namespace warpdex::tools
