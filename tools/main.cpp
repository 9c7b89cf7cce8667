// The program warpdex: finds the subcommand, and turns what it throws into a sentence and a status:
// 0 done, 1 failed, 2 asked for something that it does not take, 128 + n ended by signal n.
#include <algorithm>
#include <array>
#include <csignal>
#include <exception>
#include <iostream>
#include <new>
#include <string>
#include <vector>

#include "command_table.hpp"
#include "interrupt.hpp"
#include "warpdex/core/cpu_features.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/version.hpp"

namespace warpdex::tools {
namespace {

constexpr int kFailed = 1;
constexpr int kSignalled = 128;

constexpr std::array<Command, 20> kCommands{{
    {"index", "build an index from documents", run_index},
    {"add", "add documents to an index, or update them", run_add},
    {"delete", "delete documents from an index by their ids", run_delete},
    {"merge", "write segments of an index again as fewer, without deleted documents", run_merge},
    {"search", "answer words or a file of queries", run_search},
    {"bench", "measure how fast a file of queries is answered", run_bench},
    {"calibrate", "measure what queries cost, for the scheduler's predictions", run_calibrate},
    {"load", "measure delays under a load of queries that arrive by themselves", run_load},
    {"tune", "choose the weight of a hybrid search by judged queries", run_tune},
    {"stats", "what an index holds and what its parts take", run_stats},
    {"verify", "check every byte of an index", run_verify},
    {"reorder", "give documents that share terms docIDs near each other: a smaller index",
     run_reorder},
    {"convert", "change the codec of an index without its documents", run_convert},
    {"codecs", "compare codecs on an index's lists: size and decode rate", run_codecs},
    {"evaluate", "effectiveness of a run, as trec_eval computes it", run_evaluate},
    {"generate", "make an index and a query log like those of a large crawl", run_generate},
    {"import", "read an index of another program", run_import},
    {"export", "write an index for other programs", run_export},
    {"vector", "vectors: build, search, clusters, files; 'warpdex vector' lists it", run_vector},
    {"metric", "texts, sets and vectors by any distance; 'warpdex metric' lists it", run_metric},
}};

constexpr CommandTable kTable{"warpdex",
                              "Warpdex indexes text and answers AND, OR and AND+OR queries, best "
                              "documents first. It also finds\n"
                              "the nearest of vectors, texts and sets.",
                              kCommands, ";\n'warpdex --version' prints the version"};

int dispatch(const std::vector<std::string>& arguments) {
  if (!arguments.empty() && arguments.front() == "--version") {
    std::cout << "warpdex " << WARPDEX_VERSION << " (" << isa_name(isa()) << ")\n";
    return 0;
  }
  return run_command(kTable, arguments);
}

int complain(const std::string& sentence, int status) {
  std::cerr << "warpdex: " << sentence << "\n";
  return status;
}

int run(const std::vector<std::string>& arguments) {
  try {
    const int status = dispatch(arguments);
    std::cout.flush();
    if (!std::cout) throw IoError("cannot write standard output; make room there");
    return status;
  } catch (const Interrupted& interrupted) {
    return complain(interrupted.what(), kSignalled + interrupted.signal());
  } catch (const UsageError& error) {
    return complain(error.what(), kUsageStatus);
  } catch (const std::bad_alloc&) {
    return complain("out of memory; give the process more, or lower --memory, --threads or -k",
                    kFailed);
  } catch (const std::exception& error) {
    return complain(error.what(), kFailed);
  }
}

}  // namespace
}  // namespace warpdex::tools

int main(int count, char** values) {
  // A file that grows past the process's limit is an error to report, not a death.
  std::signal(SIGXFSZ, SIG_IGN);
  return warpdex::tools::run({values + 1, values + std::max(1, count)});
}
