// Writes CIFF: header, lists, documents.
#include <ciff.pb.h>

#include <limits>

#include "exchange/ciff_messages.hpp"
#include "exchange/export_lists.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/indexer/analysis/utf8.hpp"
#include "warpdex/indexer/format/bm25.hpp"
#include "warpdex/indexer/readers/text_checks.hpp"

namespace warpdex::exchange {
namespace {

void write(std::string_view bytes, std::ostream& out) {
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  check_written(out);
}

void write_delimited(const std::string& message, std::ostream& out) {
  std::string size;
  append_message_size(message.size(), size);
  write(size, out);
  write(message, out);
}

void check_text(std::string_view text, const char* what) {
  if (analysis::find_invalid_utf8(text) == text.size()) return;
  throw InputError(std::string("the ") + what + " '" +
                   excerpt(text.substr(0, analysis::find_invalid_utf8(text))) +
                   "...' is not UTF-8, which CIFF needs");
}

std::int32_t to_int32(std::uint64_t value, const char* what) {
  if (value > std::uint64_t{std::numeric_limits<std::int32_t>::max()}) {
    throw InputError("the index has more than 2147483647 " + std::string(what) +
                     ", which CIFF cannot count");
  }
  return static_cast<std::int32_t>(value);
}

ciff::Header header_of(const Index& index, const std::string& description) {
  const IndexCounts& counts = index.counts();
  const std::int32_t terms = to_int32(counts.terms, "terms");
  const std::int32_t documents = to_int32(counts.documents, "documents");
  ciff::Header header;
  header.set_version(1);
  header.set_num_postings_lists(terms);
  header.set_total_postings_lists(terms);
  header.set_num_docs(documents);
  header.set_total_docs(documents);
  header.set_total_terms_in_collection(static_cast<std::int64_t>(counts.tokens));
  header.set_average_doclength(
      CollectionStatistics{counts.documents, counts.tokens}.average_length());
  header.set_description(description);
  return header;
}

}  // namespace

ExportReport export_ciff(const std::filesystem::path& folder, const std::string& description,
                         std::ostream& out, const OnExportProgress& on_progress) {
  const Index index = Index::open(folder);
  check_source(index, on_progress);
  write_delimited(header_of(index, description).SerializeAsString(), out);
  std::string message;
  for_each_list(index, on_progress, [&](std::string_view term, const Postings& postings) {
    check_text(term, "term");
    if (!write_ciff_list(term, postings.docids, postings.frequencies, message)) {
      throw InputError(
          "the list of '" + excerpt(term) +
          "' takes 2 GiB or more, which no message of CIFF may; export another format");
    }
    write_delimited(message, out);
  });
  ciff::DocRecord record;
  for (std::uint32_t docid = 0; docid < index.counts().documents; ++docid) {
    const std::string_view name = index.document_name(docid);
    check_text(name, "document's id");
    record.set_docid(static_cast<std::int32_t>(docid));
    record.set_collection_docid(name.data(), name.size());
    record.set_doclength(to_int32(index.lengths()[docid], "tokens in a document"));
    write_delimited(record.SerializeAsString(), out);
  }
  return {index.counts().documents, index.counts().postings};
}

}  // namespace warpdex::exchange
