// Reads lists one by one.
#include "collections/list_sample.hpp"

#include "warpdex/indexer/format/postings.hpp"

namespace warpdex::tools {

void append_list(const Index& index, const PostingsEntry& entry, ListSample& sample) {
  const Postings postings = read_postings(index, entry);
  sample.docids.insert(sample.docids.end(), postings.docids.begin(), postings.docids.end());
  for (const std::uint32_t frequency : postings.frequencies) {
    sample.frequencies.push_back(frequency - 1);
  }
  sample.starts.push_back(sample.docids.size());
}

ListSample read_lists(const Index& index) {
  ListSample all;
  index.for_each_term([&](std::string_view, const PostingsEntry& entry) {
    if (entry.document_frequency > 1) append_list(index, entry, all);
  });
  return all;
}

}  // namespace warpdex::tools
