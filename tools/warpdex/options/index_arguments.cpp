// Declares the options of `warpdex index`, and checks them.
#include "options/index_arguments.hpp"

#include "options/build_options.hpp"
#include "output/interrupt.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::tools {
namespace {

/// Of --schema; without it, no fields.
Schema schema_of(const IndexArguments& given) {
  if (given.schema.empty()) return {};
  return read_schema(given.schema);
}

}  // namespace

void add_index_options(CommandLine& command, IndexArguments& given) {
  po::options_description documents = option_group("Documents");
  documents.add_options()("input",
                          po::value(&given.inputs)->value_name("FILE...")->multitoken()->required(),
                          "files to index, in this order; - is standard input")(
      "format", po::value(&given.format)->value_name("FORMAT")->required(),
      "jsonl, tsv, csv, trec, text, html or sparse")(
      "fields", po::value(&given.fields)->value_name("A,B,...")->default_value(given.fields),
      "the members of jsonl, or the columns of csv, to index, joined in this order; each must be "
      "in "
      "some document")(
      "store", po::value(&given.stored)->value_name("A,B,..."),
      "fields whose texts the index keeps, for 'warpdex search --show': jsonl and sparse: members "
      "that are strings or numbers; csv: columns; others: text, all that is indexed; html: title, "
      "too. About 0.25 to "
      "0.4 bytes a byte of text. Default: none")(
      "schema", po::value(&given.schema)->value_name("FILE.json"),
      "the fields of the documents, as {\"fields\": {\"title\": {\"type\": \"text\", \"weight\": "
      "2}, "
      "\"year\": {\"type\": \"int\"}}}; the names are members of jsonl, or columns of csv. text: "
      "searched in the place of --fields, each with its own words, \"analyzer\" and \"weight\" in "
      "searches that name no field (0: none). For --filter, --sort and --facet: keyword, int, "
      "float, date and bool, with \"multiple\": true for arrays. vector, of jsonl: an array of "
      "\"dimension\" numbers that each document has, with \"metric\" (ip, cosine or l2), \"store\" "
      "(float or half) and \"index\" (a kind, as of --vector-index), for 'warpdex search "
      "--vector-field'. Default: none")(
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
  given.analyzer.add_to(index);
  index.add_options()(
      "reorder", po::bool_switch(&given.reorder),
      "give documents that share terms docIDs near each other, as warpdex reorder does: a smaller "
      "index, and longer to build");
  index.add_options()("parts", po::value(&given.parts)->value_name("N"),
                      "write ranges of the documents as N indexes in --output, as warpdex split "
                      "does; not beside --reorder. Default: one index");
  given.impacts.add_to(index);
  index.add_options()("positions", po::bool_switch(&given.positions),
                      "keep where in its document each word stands, about a byte an occurrence: "
                      "then \"phrases\" can be searched for. Default: of text fields that ask for "
                      "it in the schema");
  index.add_options()(
      "no-forward", po::bool_switch(&given.no_forward),
      "do not keep each document's terms, about 2 bytes a posting, which deletions need for exact "
      "statistics: without them, scores count deleted documents until 'warpdex merge'");
  command.add(index);

  po::options_description lists = option_group("Lists and codes of vectors (--vectors)");
  given.vector_kind.add_kind_to(lists);
  given.vector_kind.add_lists_to(lists);
  given.vector_kind.add_bits_to(lists);
  command.add(lists);
  given.vector_kind.add_codes_to(command);

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
  const bool has_fields =
      options.format == DocumentFormat::kJsonl || options.format == DocumentFormat::kCsv;
  if (command.given("fields") && !has_fields) {
    throw UsageError("--fields is for --format jsonl and csv; documents of " + given.format +
                     " have no fields, so leave it out");
  }
  if (options.format == DocumentFormat::kSparse) {
    for (const char* option :
         {"analyzer", "stop-words", "positions", "impacts", "impact-k1", "impact-b"}) {
      if (command.given(option) && (option != std::string("impacts") || given.impacts.impacts())) {
        throw UsageError("--" + std::string(option) +
                         " is for texts; vectors have terms and weights already, so leave it out");
      }
    }
  }
  options.stored = split_list(given.stored);
  if (command.given("store") && options.stored.empty()) {
    throw UsageError("--store names no field; name one or more, or leave it out");
  }
  const Schema schema = schema_of(given);
  options.columns = columns_of(schema);
  options.text_fields = text_names_of(schema);
  options.vectors = vector_fields(schema);
  if (!options.text_fields.empty() && command.given("fields")) {
    throw UsageError(
        "--fields has no effect, since the schema has text fields, which are indexed; leave one of "
        "both out");
  }
  options.memory = parse_size("--memory", given.memory);
  options.on_read = InterruptGuard::check;
  return options;
}

vector::RowIndexSettings vector_index_settings(const IndexArguments& given,
                                               const CommandLine& command) {
  if (given.vectors.path.empty()) {
    given.vector_kind.refuse_all(command, "--vectors; add that");
    return {};
  }
  return row_settings(given.vector_kind.settings(command)).index;
}

BuildOptions build_options(const IndexArguments& given, const CommandLine& command) {
  BuildOptions options;
  options.output = given.output;
  options.codec = given.codec.settings(command);
  options.analyzer = given.analyzer.settings();
  options.schema = schema_of(given);
  const std::vector<std::string> texts = text_names_of(options.schema);
  for (const std::string& field : texts.empty() ? split_list(given.fields) : texts) {
    options.fields += (options.fields.empty() ? "" : ",") + field;
  }
  options.stored_fields = split_list(given.stored);
  if (given.vectors.path.empty() && command.given("vector-metric")) {
    throw UsageError("--vector-metric is for --vectors; add that or leave it out");
  }
  options.static_scores = given.static_scores;
  options.forward = !given.no_forward;
  options.positions = given.positions;
  options.impacts = given.impacts.settings(command);
  options.on_bad_document =
      skips_bad_documents(given.on_bad_document) ? OnBadDocument::kSkip : OnBadDocument::kFail;
  options.memory = parse_build_memory(given.memory);
  options.threads = checked_threads(given.threads);
  return options;
}

}  // namespace warpdex::tools
