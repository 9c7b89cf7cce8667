// warpdex load: sends queries at given rates, and measures how long each waits for its answer.
#include <charconv>
#include <chrono>
#include <cmath>
#include <iostream>
#include <memory>

#include "command.hpp"
#include "load/huge_queries.hpp"
#include "load/load_memory.hpp"
#include "load/load_mix.hpp"
#include "load/load_report.hpp"
#include "options/places.hpp"
#include "options/search_options.hpp"
#include "output/interrupt.hpp"
#include "output/output_file.hpp"
#include "output/progress.hpp"
#include "output/query_notes.hpp"
#include "output/text.hpp"
#include "search/open_searcher.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::tools {
namespace {

constexpr const char* kAbout =
    "Sends queries to the scheduler at times of their own, as independent users do, and tells the\n"
    "delay of their answers against the rate at which they arrive: on the CPU alone, on the GPU\n"
    "alone, each query on the better one alone, and on both together.";

constexpr const char* kNotes =
    "A query's delay counts from the time at which it was to arrive. Where the generator is late,\n"
    "that counts too, so a stall is not hidden by queries that it keeps from being sent (no\n"
    "coordinated omission). A query is missed if it has no complete answer by its deadline. Terms\n"
    "are looked up beforehand; all queries are answered once before the clock starts. Where the\n"
    "generator was late by about p99 (sent late), something held the whole machine up. A highest\n"
    "rate is found to 2 %; loads much longer than the deadline find it best.\n"
    "\n"
    "examples:\n"
    "  warpdex load INDEX --queries log.tsv --rate 1000,2000,5000 --deadline 100\n"
    "  warpdex load INDEX --queries log.tsv --rate 50000 --mix or:10,and:10,or:1000,and:1000 \\\n"
    "      --device auto --json load.json --plot load.svg\n"
    "  warpdex load INDEX --queries log.tsv --find-rate --deadline 100 --by-hand --device auto";

/// A plan that takes as much is told about, in bytes.
constexpr std::uint64_t kToldMemory = 256 << 20;

/// For --help, behind "auto: ".
constexpr const char* kAuto =
    "the GPU beside the CPU, as --on says, if there is one that is fit and has memory enough; else "
    "the CPU, with a line that says why";

struct Arguments {
  std::string index;
  SearchOptions search{0};  // on all threads
  DeviceOptions device{kAuto};
  std::string rates;
  bool finds_rate = false;
  double max_missed = 1;
  std::int64_t callers = 0;
  std::string by_hand;
  std::int64_t huge_every = 0;
  std::string arrivals = "poisson";
  double deadline = 0;
  double seconds = 5;
  std::string mix;
  std::string on;
  std::string on_overload = "refuse";
  std::int64_t capacity = 10'000;
  std::int64_t seed = 1;
  std::string memory = "2G";
  bool simulates = false;
  std::string json;
  std::string plot;
};

void add_options(CommandLine& command, Arguments& given) {
  given.search.add_to(command);
  given.device.add_to(command, kGpuMemoryOfText, GpuCount::kShards);
  po::options_description group = option_group("Load");
  group.add_options()("rate", po::value(&given.rates)->value_name("N,N,..."),
                      "queries a second, on average; of several, each has a load of its own")(
      "find-rate", po::bool_switch(&given.finds_rate),
      "search the highest rate that is answered in time (with --deadline)")(
      "max-missed", po::value(&given.max_missed)->value_name("%")->default_value(1, "1"),
      "a rate is too high where this share of queries misses its deadline; 0: where one does")(
      "callers", po::value(&given.callers)->value_name("N"),
      "also let N callers each wait for their answer before they ask again")(
      "by-hand",
      po::value(&given.by_hand)->value_name("PARTS")->implicit_value("single,batches,full"),
      "also measure the engines without the scheduler. single: one query at a time, one after the "
      "other and at the times of each --rate; batches: of "
      "1,000; full: on the GPU, the loads in batches that start when they are full. Without PARTS: "
      "all, as --by-hand=single,batches,full")(
      "huge-every", po::value(&given.huge_every)->value_name("N"),
      "each N-th query is a huge one in place of the file's: OR of the 64 most frequent terms of "
      "the file, k 10000")(
      "arrivals", po::value(&given.arrivals)->value_name("KIND")->default_value(given.arrivals),
      "poisson; bursts (half of all queries in a tenth of the time); or replay (at the times that "
      "the queries' ids are, in seconds, scaled to the rate)")(
      "seconds", po::value(&given.seconds)->value_name("S")->default_value(given.seconds, "5"),
      "how long each load lasts; a replay lasts as long as its queries do")(
      "deadline", po::value(&given.deadline)->value_name("MS"),
      "milliseconds in which a query should be answered. Default: none")(
      "on-overload",
      po::value(&given.on_overload)->value_name("WHAT")->default_value(given.on_overload),
      "for queries that find no room or would be late: refuse, partial (the best so far, with what "
      "a missing document scores at most), or wait")(
      "capacity", po::value(&given.capacity)->value_name("N")->default_value(given.capacity),
      "queries that may be under way")(
      "mix", po::value(&given.mix)->value_name("MODE:K,..."),
      "kinds of queries that take turns, as or:10,and:1000. Default: --mode and -k")(
      "on", po::value(&given.on)->value_name("WHERE,..."),
      "of cpu, gpu, better and both. Default: all, or cpu where there is no GPU")(
      "seed", po::value(&given.seed)->value_name("N")->default_value(given.seed),
      "another one gives other arrival times")(
      "memory", po::value(&given.memory)->value_name("SIZE")->default_value(given.memory),
      "memory that the queries and the figures of a load may take, as 512M or 8GiB; a load that "
      "needs more is refused")(
      "simulate", po::bool_switch(&given.simulates),
      "also measure what each query costs, have a simulator run the same loads with that, and tell "
      "how far it is off");
  add_json_option(group, "figures", &given.json);
  group.add_options()("plot", output_value(&given.plot)->value_name("FILE.svg"),
                      "also draw delays against rates there");
  command.add(group);
}

double number_of(const std::string& option, const std::string& text) {
  double number = 0;
  const char* const end = text.data() + text.size();
  const std::from_chars_result read = std::from_chars(text.data(), end, number);
  if (read.ec != std::errc() || read.ptr != end || !(number > 0) || !std::isfinite(number)) {
    throw UsageError(option + " takes numbers above 0, not '" + text + "'");
  }
  return number;
}

ArrivalKind arrivals_of(const std::string& name) {
  if (name == "poisson") return ArrivalKind::kPoisson;
  if (name == "bursts") return ArrivalKind::kBursts;
  if (name == "replay") return ArrivalKind::kReplay;
  throw UsageError("--arrivals takes poisson, bursts or replay, not '" + name + "'");
}

OverloadPolicy overload_of(const std::string& name) {
  if (name == "wait") return OverloadPolicy::kWait;
  if (name == "refuse") return OverloadPolicy::kRefuse;
  if (name == "partial") return OverloadPolicy::kPartial;
  throw UsageError("--on-overload takes wait, refuse or partial, not '" + name + "'");
}

LoadClass class_of(const SearchSettings& settings) {
  return {std::string(query_mode_name(settings.mode)) + ", k " + std::to_string(settings.k),
          settings};
}

std::vector<LoadClass> classes_of(const Arguments& given) {
  const SearchSettings settings = given.search.settings();
  std::vector<LoadClass> classes;
  for (const std::string& part : split_list("--mix", given.mix)) {
    const std::size_t colon = part.find(':');
    if (colon == std::string::npos) {
      throw UsageError("--mix takes modes with their k, as or:10,and:1000, not '" + part + "'");
    }
    SearchSettings one = settings;
    one.mode = query_mode_from_name(part.substr(0, colon));
    one.k = whole_number_of("--mix", part.substr(colon + 1));
    one.validate();
    classes.push_back(class_of(one));
  }
  if (classes.empty()) classes.push_back(class_of(settings));
  return classes;
}

/// What the options say, but for the queries and the placements.
LoadPlan plan_of(const Arguments& given) {
  LoadPlan plan;
  for (const std::string& rate : split_list(given.rates)) {
    plan.rates.push_back(number_of("--rate", rate));
  }
  plan.by_hand = hand_parts_from_names(given.by_hand);
  const bool has_other = given.finds_rate || given.callers > 0 || !given.by_hand.empty();
  if (plan.rates.empty() && !has_other) {
    throw UsageError(
        "load needs --rate, the queries a second to send, or --find-rate, --callers or --by-hand");
  }
  checked_number("--callers", given.callers, 0);
  plan.settings.capacity = checked_number("--capacity", given.capacity, 1);
  if (given.callers > given.capacity) {
    throw UsageError("there is no room for so many callers; give a --capacity of " +
                     std::to_string(given.callers));
  }
  checked_number("--huge-every", given.huge_every, 0);
  if (!(given.max_missed >= 0 && given.max_missed < 100)) {
    throw UsageError("--max-missed takes a percentage from 0 to below 100");
  }
  plan.max_missed = given.max_missed / 100;
  plan.classes = classes_of(given);
  plan.arrivals = arrivals_of(given.arrivals);
  constexpr double kLongest = 1e9;  // 32 years
  if (!(given.seconds > 0 && given.seconds <= kLongest)) {
    throw UsageError("--seconds takes a number above 0, 1,000,000,000 at most");
  }
  plan.seconds = given.seconds;
  plan.memory = parse_size("--memory", given.memory);
  plan.seed = checked_number("--seed", given.seed, 0);
  plan.settings.cpu_threads = given.search.threads();
  plan.options.overload = overload_of(given.on_overload);
  for (const double rate : plan.rates) {
    if (plan.arrivals != ArrivalKind::kReplay) check_arrivals(plan, rate);
  }
  return plan;
}

/// The time of a query of a replayed log, in seconds: its id.
double log_time_of(const QueryText& text) {
  double time = 0;
  const char* const end = text.id.data() + text.id.size();
  const std::from_chars_result read = std::from_chars(text.id.data(), end, time);
  if (read.ec != std::errc() || read.ptr != end || !std::isfinite(time)) {
    throw UsageError("a replay takes the queries' ids as their times in seconds; '" + text.id +
                     "' is none");
  }
  return time;
}

/// Puts the queries of a replayed log in the order of their times.
void sort_by_time(std::vector<QueryText>& texts, LoadPlan& plan) {
  if (plan.classes.size() > 1) {
    throw UsageError("a replay sends each query of the log once; give --mix one kind of query");
  }
  std::stable_sort(texts.begin(), texts.end(), [](const QueryText& a, const QueryText& b) {
    return log_time_of(a) < log_time_of(b);
  });
  for (const QueryText& text : texts) plan.log_times.push_back(log_time_of(text));
}

void take_queries(const Arguments& given, const Snapshot& snapshot, LoadPlan& plan) {
  std::vector<QueryText> texts = given.search.read_query_file(snapshot.settings());
  if (plan.arrivals == ArrivalKind::kReplay) sort_by_time(texts, plan);
  const QuerySyntax syntax = given.search.syntax(QuerySyntax::kPlain);
  const std::vector<Query> queries =
      parse_queries(texts, syntax, TextAnalyzers(snapshot.settings()), given.search.searched());
  if (queries.empty()) throw UsageError("there are no queries in " + given.search.query_file());
  print_query_notes(texts, queries, syntax, IndexReader(given.index));
  const auto huge_every = static_cast<std::size_t>(given.huge_every);
  const std::size_t mixed = queries.size() * plan.classes.size();
  const std::size_t planned = huge_every > 0 ? planned_with_huge(mixed, huge_every) : mixed;
  const std::uint64_t memory =
      checked_plan_memory(plan, queries, planned, huge_every > 0 ? planned / huge_every : 0);
  if (memory >= kToldMemory) {
    std::cerr << "warpdex: " << counted(planned, "query") << " and the largest load take about "
              << bytes_text(memory) << " of memory\n";
  }
  add_mixed_queries(snapshot, queries, plan);
  if (huge_every > 0) add_huge_queries(snapshot, queries, huge_every, plan);
}

std::vector<Placement> placements_of(const Arguments& given, bool has_gpu) {
  std::vector<Placement> placements;
  for (const std::string& name : split_list("--on", given.on)) {
    placements.push_back(placement_from_name(name));
    if (!has_gpu && placements.back() != Placement::kCpuOnly) {
      throw UsageError("--on " + name + " needs a GPU; add --device auto or gpu, or take --on cpu");
    }
  }
  if (!placements.empty()) return placements;
  if (!has_gpu) return {Placement::kCpuOnly};
  return {Placement::kCpuOnly, Placement::kGpuOnly, Placement::kBetterAlone, Placement::kBoth};
}

/// All that the options ask for.
LoadReport measure(const Arguments& given, const Snapshot& snapshot, const UploadedIndex* gpu,
                   const LoadPlan& plan, const OnLoadProgress& on_progress) {
  LoadReport report;
  const std::size_t callers = static_cast<std::size_t>(given.callers);
  report.by_hand = measure_by_hand(snapshot, gpu, plan, callers, on_progress);
  if (gpu != nullptr) report.full_batches = measure_full_batches(*gpu, plan, on_progress);
  LoadEngines engines(snapshot, gpu, plan, on_progress);
  report.points = measure_loads(engines, plan, on_progress, [&](double rate) {
    measure_by_hand_at(rate, snapshot, gpu, plan, report.by_hand, on_progress);
  });
  for (const Placement placement : plan.placements) {
    if (callers == 0) break;
    ScheduledEngine engine = engines.make(placement);
    report.closed_loops.push_back(
        run_callers(engine.scheduler(), plan, callers, plan.seconds, on_progress));
    report.closed_loops.back().placement = placement;
  }
  if (given.finds_rate) {
    report.highest = find_rates(engines, plan, report.points, on_progress);
  }
  if (given.simulates) {
    report.simulated_with =
        simulate_loads(snapshot, gpu, plan, report.points, report.highest, on_progress);
  }
  return report;
}

}  // namespace

int run_load(const std::vector<std::string>& arguments) {
  Arguments given;
  CommandLine command("load", "INDEX --queries FILE --rate N,N,... [options]", kAbout, kNotes);
  command.add_positional("INDEX", &given.index, "the folder of an index");
  add_options(command, given);
  if (!command.parse(arguments)) return 0;
  if (!given.search.has_query_file()) throw UsageError("load needs --queries FILE");
  if (!given.mix.empty()) given.search.refuse_mode_and_k(command, "--mix has the kinds of queries");
  given.device.check(command);
  check_shared_stream("standard output", {{"--json", given.json}, {"--plot", given.plot}});
  check_outputs_outside(given.index, {given.json, given.plot});
  LoadPlan plan = plan_of(given);
  if (command.given("deadline")) {
    constexpr double kLongest = 1e9;  // 12 days
    if (!(given.deadline > 0 && given.deadline <= kLongest)) {
      throw UsageError("--deadline takes milliseconds above 0, 1,000,000,000 at most");
    }
    plan.options.deadline = std::chrono::microseconds(std::llround(given.deadline * 1e3));
  }
  if (given.finds_rate && !plan.options.has_deadline()) {
    throw UsageError("--find-rate needs --deadline, by which queries are in time or missed");
  }
  if (given.finds_rate && given.deadline >= given.seconds * 1e3) {
    throw UsageError("--find-rate needs loads that are longer than the deadline; raise --seconds");
  }
  const InterruptGuard guard;
  const Snapshot snapshot = Snapshot::open(given.index);
  given.search.check(command, snapshot.settings(), given.index);
  take_queries(given, snapshot, plan);
  const std::unique_ptr<UploadedIndex> gpu = upload(snapshot, given.device);
  plan.placements = placements_of(given, gpu != nullptr);
  Progress progress = Progress::to_standard_error();
  const OnLoadProgress on_progress = [&](const std::string& what, std::size_t done,
                                         std::size_t all) {
    progress.update(what, what, done, all, Progress::Unit::kItems);
  };
  const LoadReport report = measure(given, snapshot, gpu.get(), plan, on_progress);
  progress.clear();
  if (given.json != "-" && given.plot != "-") print_loads(plan, report, std::cout);
  write_outputs(
      {{given.json, loads_to_json(plan, report)}, {given.plot, loads_to_svg(plan, report)}});
  return 0;
}

}  // namespace warpdex::tools
