// Writes binary collections.
#include <span>

#include "exchange/export_lists.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/indexer/readers/text_checks.hpp"

namespace warpdex::exchange {
namespace {

void write_sequence(std::span<const std::uint32_t> values, std::ostream& out) {
  const auto length = static_cast<std::uint32_t>(values.size());
  out.write(reinterpret_cast<const char*>(&length), sizeof length);
  out.write(reinterpret_cast<const char*>(values.data()),
            static_cast<std::streamsize>(values.size_bytes()));
  check_written(out);
}

void write_line(std::string_view line, const char* what, std::ostream& out) {
  if (line.find('\n') != std::string_view::npos) {
    throw InputError(std::string("the ") + what + " '" + excerpt(line) +
                     "' holds a line feed, and ds2i has one a line; export CIFF");
  }
  out.write(line.data(), static_cast<std::streamsize>(line.size()));
  out.put('\n');
  check_written(out);
}

}  // namespace

ExportReport export_ds2i(const std::filesystem::path& folder, const Ds2iStreams& out,
                         const OnExportProgress& on_progress) {
  const Index index = Index::open(folder);
  check_source(index, on_progress);
  const auto documents = static_cast<std::uint32_t>(index.counts().documents);
  write_sequence({&documents, 1}, out.docs);
  write_sequence(index.lengths(), out.sizes);
  for (std::uint32_t docid = 0; docid < documents; ++docid) {
    write_line(index.document_name(docid), "document's id", out.documents);
  }
  for_each_list(index, on_progress, [&](std::string_view term, const Postings& postings) {
    write_line(term, "term", out.terms);
    write_sequence(postings.docids, out.docs);
    write_sequence(postings.frequencies, out.freqs);
  });
  return {documents, index.counts().postings};
}

}  // namespace warpdex::exchange
