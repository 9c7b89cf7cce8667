// warpdex-lab http: loads a server that `warpdex serve` runs.
#include <algorithm>
#include <cctype>
#include <fstream>
#include <iostream>

#include "commands/commands.hpp"
#include "http/http_load.hpp"
#include "http/http_report.hpp"
#include "options/options.hpp"
#include "output/interrupt.hpp"
#include "output/json.hpp"
#include "output/output_file.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::tools {
namespace {

constexpr const char* kAbout =
    "Sends searches to a server that runs, and tells how long their answers take, by status: at\n"
    "given rates, as independent users do, or from callers that wait for each answer.";

constexpr const char* kNotes =
    "At a rate, a request's time counts from the moment at which it was due, also where no\n"
    "connection was free (no coordinated omission). All queries are sent once before the clock\n"
    "starts. The threads of this program need processors of their own: set them apart with "
    "taskset.\n"
    "\n"
    "examples:\n"
    "  warpdex-lab http gov2 --queries log.tsv --connections 64 --threads 4\n"
    "  warpdex-lab http gov2 --queries log.tsv --rate 20000,40000 --deadline 50\n"
    "  warpdex-lab http gov2 --queries log.tsv --batch 100";

struct Arguments {
  std::string index;
  std::string queries;
  std::string server = "127.0.0.1:7700";
  std::string mode = "or";
  std::int64_t k = 10;
  std::int64_t batch = 1;
  double deadline = 0;
  std::string rates;
  std::int64_t connections = 64;
  std::int64_t threads = 2;
  double seconds = 5;
  std::int64_t seed = 1;
  std::string json;
};

void add_options(CommandLine& command, Arguments& given) {
  command.add_positional("INDEX", &given.index, "its name at the server");
  po::options_description group = option_group("Options");
  group.add_options()("queries", po::value(&given.queries)->value_name("FILE")->required(),
                      "a query a line; with an id and a tab before it, or without")(
      "server", po::value(&given.server)->value_name("HOST:PORT")->default_value(given.server),
      "its address, a number")(
      "mode", po::value(&given.mode)->value_name("MODE")->default_value("or"), "or, and or and-or")(
      ",k", po::value(&given.k)->value_name("N")->default_value(given.k), "hits of each query")(
      "batch", po::value(&given.batch)->value_name("N")->default_value(given.batch),
      "searches in a request, by POST …/search/batch; 1: GET …/search")(
      "deadline", po::value(&given.deadline)->value_name("MS"),
      "milliseconds, of each search. Default: none")(
      "rate", po::value(&given.rates)->value_name("N,N,..."),
      "requests a second, on average; of several, each has a load of its own. Default: each "
      "connection is a caller that waits for its answer")(
      "connections", po::value(&given.connections)->value_name("N")->default_value(64),
      "connections, each with one request under way at most")(
      "threads", po::value(&given.threads)->value_name("N")->default_value(2),
      "threads that send and receive")(
      "seconds", po::value(&given.seconds)->value_name("S")->default_value(5, "5"),
      "how long each load lasts")(
      "seed", po::value(&given.seed)->value_name("N")->default_value(given.seed),
      "another one gives other arrival times");
  add_json_option(group, "figures", &given.json);
  command.add(group);
}

std::vector<std::string> read_texts(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw InputError("cannot read " + path);
  std::vector<std::string> texts;
  for (std::string line; std::getline(file, line);) {
    const std::size_t tab = line.find('\t');
    std::string text = tab == std::string::npos ? line : line.substr(tab + 1);
    if (!text.empty()) texts.push_back(std::move(text));
  }
  if (texts.empty()) throw InputError(path + " has no query");
  return texts;
}

std::string for_address(const std::string& text) {
  constexpr const char* kDigits = "0123456789ABCDEF";
  std::string escaped;
  for (const char byte : text) {
    const auto value = static_cast<unsigned char>(byte);
    if (std::isalnum(value) != 0 && value < 128) {
      escaped += byte;
    } else {
      escaped += {'%', kDigits[value >> 4], kDigits[value & 15]};
    }
  }
  return escaped;
}

std::string single_request(const Arguments& given, const std::string& text) {
  std::string path = "/v1/" + given.index + "/search?q=" + for_address(text) +
                     "&query_syntax=plain&mode=" + given.mode + "&k=" + std::to_string(given.k);
  if (given.deadline > 0) path += "&deadline=" + std::to_string(given.deadline);
  return "GET " + path + " HTTP/1.1\r\nHost: " + given.server + "\r\n\r\n";
}

std::string line_of(const Arguments& given, const std::string& text) {
  JsonWriter json;
  json.begin_object();
  json.member("q", text);
  json.member("query_syntax", "plain");
  json.member("mode", given.mode);
  json.member("k", static_cast<std::uint64_t>(given.k));
  if (given.deadline > 0) json.member("deadline", given.deadline);
  json.end_object();
  return json.take() + "\n";
}

std::vector<std::string> requests_of(const Arguments& given,
                                     const std::vector<std::string>& texts) {
  std::vector<std::string> requests;
  const auto batch = static_cast<std::size_t>(given.batch);
  for (std::size_t first = 0; first < texts.size(); first += batch) {
    if (batch == 1) {
      requests.push_back(single_request(given, texts[first]));
      continue;
    }
    std::string body;  // the last ones begin again with the first
    for (std::size_t i = 0; i < batch; ++i)
      body += line_of(given, texts[(first + i) % texts.size()]);
    requests.push_back(
        "POST /v1/" + given.index + "/search/batch HTTP/1.1\r\nHost: " + given.server +
        "\r\nContent-Type: application/x-ndjson\r\nContent-Length: " + std::to_string(body.size()) +
        "\r\n\r\n" + body);
  }
  return requests;
}

HttpLoadSettings settings_of(const Arguments& given, std::span<const std::string> requests) {
  HttpLoadSettings settings;
  const std::size_t colon = given.server.rfind(':');
  if (colon == std::string::npos) throw UsageError("--server takes HOST:PORT");
  settings.address = given.server.substr(0, colon);
  settings.port = static_cast<std::uint16_t>(
      whole_number_of("--server HOST:PORT", given.server.substr(colon + 1)));
  settings.requests = requests;
  settings.connections = checked_number("--connections", given.connections, 1, 100'000);
  settings.threads = checked_number("--threads", given.threads, 1, 1024);
  settings.seconds = given.seconds;
  return settings;
}

/// Each request once, from all connections at once.
void warm_up(HttpLoadSettings settings) {
  std::vector<Micros> at_once(settings.requests.size(), 0);
  settings.arrivals = at_once;
  run_http_load(settings, InterruptGuard::check);
}

std::vector<HttpLoadSummary> run_loads(const Arguments& given, HttpLoadSettings settings) {
  warm_up(settings);
  std::vector<HttpLoadSummary> loads;
  if (given.rates.empty()) {
    loads.push_back(summarise_http_load(run_http_load(settings, InterruptGuard::check), 0));
  }
  for (const std::string& text : split_list(given.rates)) {
    const double rate = whole_number_of("--rate", text);
    const std::vector<Micros> arrivals = arrival_times(ArrivalKind::kPoisson, rate, given.seconds,
                                                       static_cast<std::uint64_t>(given.seed));
    settings.arrivals = arrivals;
    loads.push_back(summarise_http_load(run_http_load(settings, InterruptGuard::check), rate));
  }
  return loads;
}

}  // namespace

int run_http(const std::vector<std::string>& arguments) {
  Arguments given;
  CommandLine command("http", "INDEX --queries FILE [options]", kAbout, kNotes);
  add_options(command, given);
  if (!command.parse(arguments)) return 0;
  checked_number("-k", given.k, 1, 1'000'000);
  checked_number("--batch", given.batch, 1, 1'000'000);
  const InterruptGuard guard;
  const std::vector<std::string> requests = requests_of(given, read_texts(given.queries));
  const std::vector<HttpLoadSummary> loads = run_loads(given, settings_of(given, requests));
  const auto per_request = static_cast<std::size_t>(given.batch);
  if (given.json.empty()) {
    print_http_loads(loads, per_request, std::cout);
  } else {
    write_output(given.json, http_loads_to_json(loads, per_request));
  }
  return 0;
}

}  // namespace warpdex::tools
