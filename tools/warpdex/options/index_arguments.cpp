// Declares the options of `warpdex index`, and checks them.
#include "options/index_arguments.hpp"

#include <optional>

#include "output/interrupt.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/indexer/analysis/analyzer.hpp"

namespace warpdex::tools {
namespace {

std::string joined(const std::vector<std::string>& names, const std::string& separator) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : separator) + name;
  return text;
}

std::optional<ImpactSettings> impact_settings(const IndexArguments& given,
                                              const CommandLine& command) {
  if (given.impacts) return ImpactSettings{.k1 = given.impact_k1, .b = given.impact_b};
  for (const char* option : {"impact-k1", "impact-b"}) {
    if (command.given(option)) {
      throw UsageError("--" + std::string(option) + " is for --impacts; add that or leave it out");
    }
  }
  return std::nullopt;
}

}  // namespace

void add_index_options(CommandLine& command, IndexArguments& given) {
  po::options_description documents = option_group("Documents");
  documents.add_options()("input",
                          po::value(&given.inputs)->value_name("FILE...")->multitoken()->required(),
                          "files to index, in this order; - is standard input")(
      "format", po::value(&given.format)->value_name("FORMAT")->required(),
      "jsonl, tsv, trec, text or sparse")(
      "fields", po::value(&given.fields)->value_name("A,B,...")->default_value(given.fields),
      "jsonl: the members to index, joined in this order; each must be in some document")(
      "store", po::value(&given.stored)->value_name("A,B,..."),
      "fields whose texts the index keeps, for 'warpdex search --show': jsonl and sparse: members "
      "that are strings or numbers; tsv, trec and text: text, all that is indexed. About 0.25 to "
      "0.4 bytes a byte of text. Default: none")(
      "vectors", po::value(&given.vectors.path)->value_name("FILE"),
      "a vector for each document, in the order of the documents (bad ones have one too): a file "
      "of 'warpdex vector', such as .npy or .fvecs; halves are stored as halves, others as "
      "floats. Or field:NAME, for jsonl: the member NAME of each document, an array of numbers. "
      "For 'warpdex search --vector-queries'. Default: none")(
      "vector-metric",
      po::value(&given.vectors.metric)->value_name("M")->default_value(given.vectors.metric),
      "vectors: what is near: ip (inner product), cosine or l2")(
      "static", po::value(&given.static_scores)->value_name("FILE"),
      "a static score for documents, id<TAB>value, 0 or more, added to every score. Default: none")(
      "on-bad-document",
      po::value(&given.on_bad_document)->value_name("WHAT")->default_value(given.on_bad_document),
      "fail: end the build; skip: report it and go on");
  command.add(documents);

  po::options_description index = option_group("Index");
  index.add_options()("output", po::value(&given.output)->value_name("DIR")->required(),
                      "the index's folder: a new one, or an index of text to replace; it may hold "
                      "nothing else");
  given.codec.add_to(index);
  index.add_options()("analyzer",
                      po::value(&given.analyzer)->value_name("NAME")->default_value(given.analyzer),
                      ("one of " + joined(analyzer_names(), ", ")).c_str())(
      "reorder", po::bool_switch(&given.reorder),
      "give documents that share terms docIDs near each other, as warpdex reorder does: a smaller "
      "index, and longer to build")(
      "impacts", po::bool_switch(&given.impacts),
      "store BM25 in whole numbers from 1 to 255 in the place of frequencies: searches only add "
      "them up, and can no longer choose a scorer")(
      "impact-k1",
      po::value(&given.impact_k1)->value_name("X")->default_value(given.impact_k1, "0.9"),
      "impacts: BM25's k1, 0 or more")(
      "impact-b", po::value(&given.impact_b)->value_name("X")->default_value(given.impact_b, "0.4"),
      "impacts: BM25's b, 0 to 1")(
      "no-forward", po::bool_switch(&given.no_forward),
      "do not keep each document's terms, about 2 bytes a posting, which deletions need for exact "
      "statistics: without them, scores count deleted documents until 'warpdex merge'");
  command.add(index);

  po::options_description work = option_group("Work");
  work.add_options()("memory",
                     po::value(&given.memory)->value_name("SIZE")->default_value(given.memory),
                     "memory to stay within, as 512M or 2GiB; at least 64M")(
      "quiet", po::bool_switch(&given.quiet),
      "no progress and no report; errors and skipped documents are still told");
  add_threads_option(work, &given.threads);
  add_json_option(work, "report", &given.json);
  command.add(work);
}

ReaderOptions reader_options(const IndexArguments& given, const CommandLine& command) {
  ReaderOptions options;
  options.format = document_format_from_name(given.format);
  check_inputs_named(given.inputs);
  options.inputs = given.inputs;
  options.fields = split_list(given.fields);
  if (options.fields.empty()) throw UsageError("--fields names no field; name one or more");
  options.embedding = given.vectors.field(options.format);
  if (command.given("fields") && options.format != DocumentFormat::kJsonl) {
    throw UsageError("--fields is for --format jsonl; documents of " + given.format +
                     " have no fields, so leave it out");
  }
  if (options.format == DocumentFormat::kSparse) {
    for (const char* option : {"analyzer", "impacts", "impact-k1", "impact-b"}) {
      if (command.given(option) && (option != std::string("impacts") || given.impacts)) {
        throw UsageError("--" + std::string(option) +
                         " is for texts; vectors have terms and weights already, so leave it out");
      }
    }
  }
  options.stored = split_list(given.stored);
  if (command.given("store") && options.stored.empty()) {
    throw UsageError("--store names no field; name one or more, or leave it out");
  }
  options.memory = parse_size("--memory", given.memory);
  options.on_read = InterruptGuard::check;
  return options;
}

BuildOptions build_options(const IndexArguments& given, const CommandLine& command) {
  BuildOptions options;
  options.output = given.output;
  options.codec = given.codec.settings(command);
  make_analyzer(given.analyzer);  // throws for an unknown one, before anything is read
  options.analyzer = given.analyzer;
  options.fields = joined(split_list(given.fields), ",");
  options.stored_fields = split_list(given.stored);
  if (given.vectors.path.empty() && command.given("vector-metric")) {
    throw UsageError("--vector-metric is for --vectors; add that or leave it out");
  }
  options.static_scores = given.static_scores;
  options.forward = !given.no_forward;
  options.impacts = impact_settings(given, command);
  if (options.impacts) check_bm25_settings(options.impacts->k1, options.impacts->b);
  if (given.on_bad_document != "fail" && given.on_bad_document != "skip") {
    throw UsageError("--on-bad-document takes fail or skip, not '" + given.on_bad_document + "'");
  }
  options.on_bad_document =
      given.on_bad_document == "skip" ? OnBadDocument::kSkip : OnBadDocument::kFail;
  options.memory = parse_size("--memory", given.memory);
  if (options.memory < kMinBuildMemory) {
    throw UsageError("--memory " + given.memory + " is too little; give 64M or more");
  }
  options.threads = checked_threads(given.threads);
  return options;
}

}  // namespace warpdex::tools
