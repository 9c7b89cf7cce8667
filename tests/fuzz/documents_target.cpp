// Readers of documents. The input's first byte chooses the format, the rest is the file; a text
// file's name comes first, up to a line feed.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "tests/fuzz/fuzz_support.hpp"
#include "warpdex/indexer/analysis/analyzer.hpp"
#include "warpdex/indexer/analysis/utf8.hpp"
#include "warpdex/indexer/readers/document_reader.hpp"
#include "warpdex/indexer/readers/memory_reader.hpp"

namespace warpdex::fuzz {
namespace {

constexpr std::array kFormats{
    DocumentFormat::kJsonl,  DocumentFormat::kTsv,  DocumentFormat::kTrec,   DocumentFormat::kText,
    DocumentFormat::kSparse, DocumentFormat::kCsv,  DocumentFormat::kJsonl,  DocumentFormat::kTsv,
    DocumentFormat::kTrec,   DocumentFormat::kText, DocumentFormat::kSparse, DocumentFormat::kHtml};

/// `name` as one that a file may have and that is not hidden.
std::string file_name(std::string_view name) {
  std::string fit(name.substr(0, 100));
  std::replace(fit.begin(), fit.end(), '/', '_');
  std::replace(fit.begin(), fit.end(), '\0', '_');
  return fit.empty() || fit[0] == '.' ? "_" + fit : fit;
}

/// Whether an id holds what a run could not name.
bool is_fit(char c) { return static_cast<unsigned char>(c) > ' ' && c != 0x7F; }

/// The file name that a text file's id stands for.
std::string unescaped(std::string_view id) {
  std::string name;
  for (std::size_t i = 0; i < id.size(); ++i) {
    if (id[i] != '%') {
      name += id[i];
      continue;
    }
    name += static_cast<char>(std::stoi(std::string(id.substr(i + 1, 2)), nullptr, 16));
    i += 2;
  }
  return name;
}

void check(const Document& document) {
  static const std::unique_ptr<Analyzer> english = make_analyzer("english");
  require(!document.id.empty(), "an id is not empty");
  require(std::all_of(document.id.begin(), document.id.end(), is_fit),
          "an id holds no white space and no control characters");
  require(analysis::find_invalid_utf8(document.id) == document.id.size(), "an id is UTF-8");
  require(analysis::find_invalid_utf8(document.text) == document.text.size(), "a text is UTF-8");

  std::vector<std::string_view> terms;
  english->analyze(document.text, terms);
  for (const std::string_view term : terms) {
    require(!term.empty() && term.size() <= kMaxTermBytes, "terms are of 1 to 65,535 bytes");
  }

  const auto reader = documents_from_memory({document});
  RawRecord record;
  require(reader->next(record), "a document is read again from memory");
  const Document again = reader->parse(record);
  require(again.id == document.id && again.text == document.text,
          "a document that a file may hold may come from memory");
}

void check_vector(const Document& document) {
  require(!document.id.empty() && document.text.empty(), "a vector has an id and no text");
  for (const TermWeight& entry : document.vector) {
    require(analysis::find_invalid_utf8(entry.term) == entry.term.size(), "a term is UTF-8");
  }
}

/// The document in a record; false if it is a bad one.
bool parse(const DocumentReader& reader, const RawRecord& record, Document& document) {
  try {
    document = reader.parse(record);
    return true;
  } catch (const BadDocument& error) {
    require(std::string_view(error.what()).starts_with(record.location.to_string() + ": "),
            "the message of a bad document starts with its place");
    return false;
  }
}

void read_all(const ReaderOptions& options, std::string_view name) {
  const auto reader = open_documents(options);
  RawRecord record;
  Document document;
  while (reader->next(record)) {
    require(reader->bytes_consumed() <= reader->bytes_total(),
            "no more bytes are read than there are");
    if (!parse(*reader, record, document)) continue;
    if (reader->has_vectors()) {
      check_vector(document);
      continue;
    }
    check(document);
    if (options.format == DocumentFormat::kText) {
      require(unescaped(document.id) == name, "the id of a text file stands for its name");
    }
  }
}

void run(InputBytes input) {
  ReaderOptions options;
  options.format = kFormats[input.byte() % kFormats.size()];
  options.fields = {"title", "contents"};
  std::string_view bytes = input.rest();
  std::string name = "documents";
  if (options.format == DocumentFormat::kText) {
    const std::size_t end = std::min(bytes.find('\n'), bytes.size());
    name = file_name(bytes.substr(0, end));
    bytes.remove_prefix(std::min(end + 1, bytes.size()));
  }
  const std::filesystem::path file = write_file(work_folder() / name, bytes);
  options.inputs = {file.string()};
  try {
    read_all(options, name);
  } catch (const InputError& error) {  // the file seems to be packed, and is not
    require(std::string_view(error.what()).find(file.string()) != std::string_view::npos,
            "the message of a file that cannot be unpacked names it");
  }
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace warpdex::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  warpdex::fuzz::run({data, size});
  return 0;
}
