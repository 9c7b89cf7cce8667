// warpdex serve: answers searches over HTTP.
#include <rapidjson/document.h>
#include <rapidjson/error/en.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <sstream>

#include "command.hpp"
#include "options/device_options.hpp"
#include "options/options.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/server/server.hpp"

namespace warpdex::tools {
namespace {

using std::chrono::milliseconds;

constexpr const char* kAbout =
    "Serves indexes over HTTP: searches, documents, changes, metrics. Each DIR is an index, which\n"
    "is served under its folder's name, or a folder of indexes, in which new ones can be made.";

constexpr const char* kNotes =
    "SIGTERM and SIGINT end it once requests under way are answered; SIGHUP makes it read --keys\n"
    "and open its logs again. It speaks plain HTTP/1.1: let a proxy in front speak TLS.\n"
    "\n"
    "examples:\n"
    "  warpdex serve indexes\n"
    "  curl 'http://127.0.0.1:7700/v1/articles/search?q=posting+lists&k=3'\n"
    "  warpdex serve indexes --listen 0.0.0.0:7700 --keys keys.txt --host search.example.com\n"
    "  warpdex serve indexes --config serve.json      ({\"threads\": 8, \"host\": "
    "[\"a.example\"]})";

struct Given {
  std::vector<std::string> folders;
  std::string listen = "127.0.0.1:7700";
  std::string config;
  DeviceOptions device{"each query on the one that serves it best; without a usable GPU, the CPU"};
  std::string keys;
  std::vector<std::string> hosts;
  std::vector<std::string> origins;
  std::string snapshots;
  std::string access_log;
  std::string slow_log;
  std::string writer_memory = "256M";
  std::string max_body = "64M";
  std::string max_waiting = "512M";
  std::int64_t slow = 500;
  std::int64_t threads = 0;
  bool document_blocks = false;
  std::int64_t io_threads = 0;
  std::int64_t probes = 16;
  std::int64_t refine = 0;
  std::int64_t max_connections = 10'000;
  std::int64_t max_queue = 1024;
  std::int64_t max_k = 10'000;
  std::int64_t max_words = 1024;
  std::int64_t max_p99 = 3000;
  std::int64_t max_search = 30'000;
  std::int64_t read_timeout = 30'000;
  std::int64_t send_timeout = 30'000;
  std::int64_t idle_timeout = 120'000;
  std::int64_t drain = 30'000;
  bool read_only = false;
};

/// The value of --config as arguments: {"threads": 8, "host": ["a", "b"], "read-only": true} are
/// --threads 8 --host a --host b --read-only. `arguments` come first; what is there is left out.
std::vector<std::string> with_config(const std::string& file,
                                     const std::vector<std::string>& arguments) {
  std::ifstream in(file);
  std::stringstream text;
  text << in.rdbuf();
  if (!in) throw IoError("the file '" + file + "' cannot be read; check --config");
  rapidjson::Document json;
  json.Parse(text.str().c_str());
  if (json.HasParseError() || !json.IsObject()) {
    throw InputError("the file '" + file + "' is no JSON object of options; check --config");
  }
  std::vector<std::string> all = arguments;
  for (const auto& member : json.GetObject()) {
    const std::string option = "--" + std::string(member.name.GetString());
    const bool is_given = std::ranges::any_of(arguments, [&](const std::string& argument) {
      return argument == option || argument.starts_with(option + "=");
    });
    if (is_given || option == "--config") continue;
    const auto add = [&](const rapidjson::Value& value) {
      if (value.IsString()) return all.push_back(option + "=" + value.GetString());
      if (value.IsInt64()) return all.push_back(option + "=" + std::to_string(value.GetInt64()));
      if (value.IsBool()) {
        if (value.GetBool()) all.push_back(option);
        return;
      }
      throw InputError("'" + option.substr(2) + "' of '" + file +
                       "' is no text, whole number, flag or array of texts");
    };
    if (member.value.IsArray()) {
      for (const auto& each : member.value.GetArray()) add(each);
    } else {
      add(member.value);
    }
  }
  return all;
}

void add_options(CommandLine& command, Given& given) {
  const auto number = [](std::int64_t* target) {
    return po::value(target)->value_name("N")->default_value(*target);
  };
  const auto ms = [](std::int64_t* target) {
    return po::value(target)->value_name("MS")->default_value(*target);
  };
  const auto text = [](std::string* target, const char* name) {
    return po::value(target)->value_name(name);
  };
  po::options_description serving = option_group("Serving");
  serving.add_options()("listen", text(&given.listen, "ADDRESS:PORT")->default_value(given.listen),
                        "where to listen; port 0: a free one. Other addresses than this machine's "
                        "own need --keys")(
      "config", text(&given.config, "FILE"),
      "a JSON object of these options, by their long names; those of the command line go before")(
      "read-only", po::bool_switch(&given.read_only), "refuse all changes")(
      "snapshots", text(&given.snapshots, "DIR"),
      "the folder in which POST /v1/INDEX/snapshot makes copies. Default: it is refused")(
      "drain", ms(&given.drain), "after SIGTERM, how long requests under way may take, in ms");
  command.add(serving);
  given.device.add_to(command, "It holds for each GPU, and all indexes together",
                      GpuCount::kShards);
  po::options_description work = option_group("Work");
  work.add_options()("threads", number(&given.threads), "threads that search; 0: all")(
      "io-threads", number(&given.io_threads),
      "threads that read requests; 0: one for 4 processors, with a GPU for 2")(
      "document-blocks", po::bool_switch(&given.document_blocks),
      "of indexes of impacts: hold them in memory (with --device gpu, the GPU's too) by blocks of "
      "documents as well, for OR over many terms")(
      "probes", number(&given.probes), "of indexes of vectors: lists that a query probes")(
      "refine", number(&given.refine),
      "of indexes of codes: rank the N best anew by their vectors")(
      "writer-memory", text(&given.writer_memory, "SIZE")->default_value(given.writer_memory),
      "memory of each index that is changed; at least 128M");
  command.add(work);
  po::options_description guards = option_group("Guards");
  guards.add_options()("keys", text(&given.keys, "FILE"),
                       "a line for each key: its role (read, write or admin), a space, and 16 to "
                       "256 visible ASCII characters. Default: everyone may do everything")(
      "host", po::value(&given.hosts)->value_name("NAME"),
      "a name by which this server is called, beside IP addresses and localhost; may be repeated")(
      "origin", po::value(&given.origins)->value_name("ORIGIN"),
      "pages of another server that may ask, as https://a.example; may be repeated");
  command.add(guards);
  po::options_description limits = option_group("Limits");
  limits.add_options()("max-connections", number(&given.max_connections), "connections")(
      "max-queue", number(&given.max_queue), "searches that may wait; others get 429")(
      "max-p99", ms(&given.max_p99),
      "searches get 429 while others wait and one in a hundred takes longer, in ms; 0: never")(
      "max-search-time", ms(&given.max_search),
      "then the best documents found so far are the answer, in ms")(
      "max-k", number(&given.max_k), "documents of an answer, those before `from` too")(
      "max-words", number(&given.max_words), "words of a query")(
      "max-body", text(&given.max_body, "SIZE")->default_value(given.max_body), "of a request")(
      "max-waiting-bodies", text(&given.max_waiting, "SIZE")->default_value(given.max_waiting),
      "of all requests together")("read-timeout", ms(&given.read_timeout),
                                  "for a request to come in, in ms")(
      "send-timeout", ms(&given.send_timeout), "for a client to take the next bytes, in ms")(
      "idle-timeout", ms(&given.idle_timeout), "between two requests of a connection, in ms");
  command.add(limits);
  po::options_description logs = option_group("Logs");
  logs.add_options()("access-log", text(&given.access_log, "FILE"),
                     "a JSON line for each request; - is standard output")(
      "slow-log", text(&given.slow_log, "FILE"), "a JSON line for each slow search")(
      "slow", ms(&given.slow), "how long a search takes that is slow, in ms");
  command.add(logs);
}

void split_address(const std::string& listen, server::ServerOptions& options) {
  const std::size_t colon = listen.rfind(':');
  const std::string port = colon == std::string::npos ? "" : listen.substr(colon + 1);
  const bool is_number = !port.empty() && port.size() <= 5 &&
                         port.find_first_not_of("0123456789") == std::string::npos;
  if (!is_number || std::stoi(port) > 65'535) {
    throw UsageError("--listen takes ADDRESS:PORT, as 127.0.0.1:7700 or [::1]:7700, not '" +
                     listen + "'");
  }
  options.port = static_cast<std::uint16_t>(std::stoi(port));
  options.address = listen.substr(0, colon);
  if (options.address.starts_with('[') && options.address.ends_with(']')) {
    options.address = options.address.substr(1, options.address.size() - 2);
  }
  if (options.address == "localhost") options.address = "127.0.0.1";
}

milliseconds timeout(const char* option, std::int64_t value, std::int64_t least = 1) {
  return milliseconds(checked_number(option, value, least, 86'400'000));
}

void set_limits(const Given& given, server::ServerLimits& limits) {
  limits.connections = checked_number("--max-connections", given.max_connections, 1, 1'000'000);
  limits.queue = checked_number("--max-queue", given.max_queue, 1, 1'000'000);
  limits.k = checked_number("--max-k", given.max_k, 1, 10'000);
  limits.clauses = checked_number("--max-words", given.max_words, 1, 65'536);
  limits.body_bytes = parse_size("--max-body", given.max_body);
  limits.waiting_bytes = parse_size("--max-waiting-bodies", given.max_waiting);
  limits.p99 = timeout("--max-p99", given.max_p99, 0);
  limits.search_time = timeout("--max-search-time", given.max_search);
  limits.read_timeout = timeout("--read-timeout", given.read_timeout);
  limits.send_timeout = timeout("--send-timeout", given.send_timeout);
  limits.idle_timeout = timeout("--idle-timeout", given.idle_timeout);
}

server::ServerOptions options_of(Given& given, const CommandLine& command) {
  server::ServerOptions options;
  for (const std::string& folder : given.folders) options.folders.emplace_back(folder);
  split_address(given.listen, options);
  given.device.check(command);
  options.shards = given.device.shards();
  given.device.start_gpus([&](std::span<const GpuChoice> gpus) {
    options.device = given.device.is_auto() ? Device::kAuto : Device::kGpu;
    options.gpus = open_gpus(gpus);
  });
  options.threads = checked_threads(given.threads);
  options.document_blocks = given.document_blocks;
  options.io_threads = checked_number("--io-threads", given.io_threads, 0, 64);
  options.probes = checked_number("--probes", given.probes, 1);
  options.refine = checked_number("--refine", given.refine, 0);
  options.is_read_only = given.read_only;
  options.keys = given.keys;
  options.hosts = given.hosts;
  options.origins = given.origins;
  options.snapshots = given.snapshots;
  options.writer_memory = parse_size("--writer-memory", given.writer_memory);
  options.access_log = given.access_log;
  options.slow_log = given.slow_log;
  options.slow = timeout("--slow", given.slow, 0);
  set_limits(given, options.limits);
  return options;
}

/// The signals that end or change a server, from here on to be read from a descriptor. Before any
/// thread starts, so that all threads leave them alone.
int signal_descriptor() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&signals, signal);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  return ::signalfd(-1, &signals, SFD_CLOEXEC);
}

int next_signal(int descriptor) {
  signalfd_siginfo info{};
  while (::read(descriptor, &info, sizeof info) != static_cast<ssize_t>(sizeof info)) {
  }
  return static_cast<int>(info.ssi_signo);
}

void reload(server::Server& server) {
  try {
    server.reload();
    std::cerr << "warpdex: the keys and the logs are read and opened again\n";
  } catch (const Error& error) {
    std::cerr << "warpdex: nothing is changed: " << error.what() << "\n";
  }
}

}  // namespace

int run_serve(const std::vector<std::string>& arguments) {
  Given given;
  CommandLine command("serve", "DIR… [options]", kAbout, kNotes);
  command.add_rest("DIR", &given.folders, "indexes, or folders of indexes");
  add_options(command, given);
  if (!command.parse(arguments)) return 0;
  CommandLine again("serve", "DIR… [options]", kAbout, kNotes);
  const bool has_config = command.given("config");
  if (has_config) {
    const std::string config = given.config;
    given = {};
    again.add_rest("DIR", &given.folders, "indexes, or folders of indexes");
    add_options(again, given);
    if (!again.parse(with_config(config, arguments))) return 0;
  }
  if (given.folders.empty()) throw UsageError("serve takes one or more folders; name them");
  const int signals = signal_descriptor();
  server::ServerOptions options = options_of(given, has_config ? again : command);
  options.on_problem = [](const std::string& problem) {
    std::cerr << "warpdex: note: " + problem + "\n";
  };
  server::Server server(options);
  for (const std::string& note : server.notes()) std::cerr << "warpdex: note: " << note << "\n";
  std::cerr << "warpdex: serving " << server.indexes().size() << " indexes at http://"
            << given.listen.substr(0, given.listen.rfind(':')) << ":" << server.port() << "/\n";
  while (next_signal(signals) == SIGHUP) reload(server);
  std::cerr << "warpdex: ending; requests under way are answered first\n";
  if (!server.drain(milliseconds(given.drain))) {
    std::cerr << "warpdex: some requests were not answered in time\n";
  }
  return 0;
}

}  // namespace warpdex::tools
