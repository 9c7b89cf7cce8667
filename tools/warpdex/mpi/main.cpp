// warpdex-mpi: answers a file of queries over an index in parts, by the ranks of an MPI job.
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <future>
#include <iostream>
#include <span>

#include "mpi/part_ranks.hpp"
#include "options/places.hpp"
#include "output/interrupt.hpp"
#include "output/output_file.hpp"
#include "output/query_notes.hpp"
#include "output/term_notes.hpp"
#include "output/text.hpp"
#include "program.hpp"
#include "search/answers.hpp"
#include "search/open_searcher.hpp"
#include "warpdex/index_reader.hpp"

namespace warpdex::tools {
namespace {

constexpr const char* kAbout =
    "Answers a file of queries as warpdex search does over one index of all documents. Rank 0 of "
    "N\n"
    "reads the queries and writes the answers; part p is searched by rank p mod N, on --threads\n"
    "threads.";
constexpr const char* kNotes =
    "example:\n"
    "  warpdex split INDEX --into 8 --output PARTS\n"
    "  mpirun -n 8 warpdex-mpi search PARTS --queries topics.tsv -k 1000 --output run.txt";

/// part-0, part-1 and so on, as many as there are folders of such names.
std::vector<std::string> folders_of_parts(const std::filesystem::path& folder) {
  std::vector<std::string> folders;
  std::error_code failure;
  for (const auto& entry : std::filesystem::directory_iterator(folder, failure)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("part-") || name.find_first_not_of("0123456789", 5) != name.npos)
      continue;
    folders.push_back(folder / ("part-" + std::to_string(folders.size())));
  }
  if (!folders.empty()) return folders;
  throw IoError("there are no parts in '" + folder.string() +
                "': folders part-0, part-1 and so on, as warpdex split makes them");
}

void write_batch(const PartedBatch& batch, std::span<const QueryText> texts,
                 const warpdex::SearchOptions& options, ResultWriter& writer) {
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const PartedAnswer& answer = batch.answers[i];
    std::vector<NamedHit> hits;
    for (const PartedHit& hit : answer.hits)
      hits.push_back({.document = hit.id, .score = hit.score});
    writer.write({.id = texts[i].id,
                  .hits = hits,
                  .matches = answer.matches,
                  .matches_exact = options.count,
                  .fell_back_to_or = answer.fell_back_to_or});
  }
}

struct Arguments {
  std::string folder;
  SearchOptions search;
  std::string device = "cpu";
  AnswerOptions answers;
};

void check(const Arguments& given, const CommandLine& command) {
  if (!given.search.has_query_file()) throw UsageError("--queries is missing; name a file");
  if (given.search.query_format() == QueryFormat::kSparse) {
    throw UsageError("parts take no --query-format sparse; search one index by it");
  }
  if (command.given("count") && !given.answers.is_json()) {
    throw UsageError("a run has no place for --count; add --output-format json");
  }
  given.answers.check(command, false);
  given.search.check_mode(command);
  check_outputs_outside(given.folder, {given.answers.output()});
}

void answer(const Arguments& given, const IndexSettings& index, PartRanks& ranks,
            std::size_t parts) {
  const std::vector<QueryText> texts =
      given.search.read_query_file(index, !given.answers.is_json());
  warpdex::SearchOptions options = searcher_options(given.search.settings());
  options.searched = given.search.searched();
  options.syntax = given.search.syntax(QuerySyntax::kPlain);
  const InterruptGuard guard;
  const TextAnalyzers analyzers(index);
  print_notes(query_notes(texts, options.syntax, analyzers[0]));
  const PartedSearcher searcher(
      parts, [&](const std::vector<PartMessage>& messages) { return ranks.ask(messages); });
  OutputFile output(given.answers.output());
  const auto writer = given.answers.make_writer(output.stream());
  const auto start = std::chrono::steady_clock::now();
  const std::size_t at_once = std::clamp<std::size_t>((4U << 20) / options.k, 1, 1024);
  std::future<void> writing;  // of the batch before, while ranks search the next
  for (std::size_t first = 0; first < texts.size(); first += at_once) {
    InterruptGuard::check();
    const auto some = std::span(texts).subspan(first, std::min(at_once, texts.size() - first));
    std::vector<std::string_view> given_texts;
    for (const QueryText& text : some) given_texts.push_back(text.text);
    PartedBatch batch;
    try {
      batch = searcher.search(given_texts, options);
    } catch (const InputError&) {  // this one names the query by its own id
      parse_queries(some, options.syntax, analyzers, options.searched, nullptr, options.mode);
      throw;
    }
    if (writing.valid()) writing.get();
    writing = std::async(std::launch::async, [&options, &writer, some, batch = std::move(batch)] {
      write_batch(batch, some, options, *writer);
    });
  }
  if (writing.valid()) writing.get();
  InterruptGuard::check();  // one that came last
  writer->finish();
  output.commit();
  if (given.answers.is_to_standard_output()) return;
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  std::cout << counted(texts.size(), "query") << " in " << duration_text(seconds.count()) << ": "
            << counted(parts, "part") << " on " << counted(ranks.ranks(), "rank") << "\n";
}

int search_parts(const std::vector<std::string>& arguments) {
  Arguments given;
  CommandLine command("warpdex-mpi search", "FOLDER --queries FILE [options]", kAbout, kNotes);
  command.add_positional("FOLDER", &given.folder, "the folder of part-0, part-1 and so on");
  given.search.add_to(command);
  po::options_description device = option_group("Device");
  device.add_options()("device",
                       po::value(&given.device)->value_name("WHICH")->default_value(given.device),
                       "cpu or gpu: of N GPUs of a host, rank r there takes number r mod N");
  command.add(device);
  given.answers.add_to(command);
  if (!command.parse(arguments)) return 0;
  check(given, command);
  const std::vector<std::string> folders = folders_of_parts(given.folder);
  PartRanks ranks;
  ranks.open(folders, given.search.threads(), device_from_name(given.device) == Device::kGpu);
  const IndexSettings index = IndexReader(folders[0]).settings();
  given.search.check(command, index, folders[0]);
  answer(given, index, ranks, folders.size());
  return 0;
}

constexpr Command kCommands[] = {{"search", "answer a file of queries", search_parts}};
constexpr CommandTable kTable{"warpdex-mpi", "Warpdex over MPI: an index in parts, on many hosts.",
                              kCommands, ""};

}  // namespace
}  // namespace warpdex::tools

int main(int count, char** values) {
  using namespace warpdex::tools;
  int given = 0;
  MPI_Init_thread(&count, &values, MPI_THREAD_FUNNELED, &given);
  PartRanks ranks;
  int status = 0;
  if (ranks.rank() == 0) {
    status = run_program(kTable, count, values);
    ranks.end();
  } else {
    ranks.serve();
  }
  MPI_Finalize();
  return status;
}
