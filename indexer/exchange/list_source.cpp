// Lists are read twice, checked and then written; so they are checked twice, as files may change.
#include "exchange/list_source.hpp"

#include <array>
#include <string>

#include "format/posting_code.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/indexer/readers/text_checks.hpp"

namespace warpdex::exchange {
namespace {

/// The memory of a longer list is given back to the system.
constexpr std::size_t kKeptPostings = 1 << 20;

void release_long(std::vector<std::uint32_t>& values) {
  if (values.capacity() > kKeptPostings) std::vector<std::uint32_t>().swap(values);
}

}  // namespace

void read_checked(const ForeignIndex& index, const ForeignList& list, const ListLimits& limits,
                  ListPostings& postings) {
  const auto fail = [&](const std::string& what) {
    throw InputError(index.name() + ": the list of '" + excerpt(list.term) + "' " + what);
  };
  index.read(list, postings.docids, postings.frequencies);
  if (postings.docids.size() != list.postings) fail("changed while it was read; import it again");
  for (std::size_t i = 0; i < postings.docids.size(); ++i) {
    const std::uint32_t docid = postings.docids[i];
    if (i > 0 && docid <= postings.docids[i - 1]) {
      fail("has docID " + std::to_string(docid) + " behind docID " +
           std::to_string(postings.docids[i - 1]) + "; docIDs must ascend");
    }
    if (docid >= limits.documents) {
      fail("has docID " + std::to_string(docid) + ", and there are " +
           std::to_string(limits.documents) + " documents, numbered from 0");
    }
    if (postings.frequencies[i] == 0) {
      fail("has a frequency of 0, in docID " + std::to_string(docid) + "; it must be 1 or more");
    }
    if (postings.frequencies[i] > limits.frequency) {
      fail("has a weight of " + std::to_string(postings.frequencies[i]) + ", in docID " +
           std::to_string(docid) + "; weights are from 1 to " + std::to_string(limits.frequency));
    }
  }
}

bool ListSource::next() {
  if (next_ == lists_.size()) return false;
  term_ = lists_[next_].term;
  bytes_ = lists_[next_].postings;
  ++next_;
  return true;
}

void ListSource::take(std::vector<std::uint8_t>& out) {
  read_checked(index_, lists_[next_ - 1], limits_, postings_);
  const std::size_t start = out.size();
  std::uint32_t last = 0;
  for (std::size_t i = 0; i < postings_.docids.size(); ++i) {
    std::array<std::uint8_t, build::kMaxPostingBytes> code;
    const std::uint8_t* const end =
        build::write_posting(code.data(), postings_.docids[i] - last, postings_.frequencies[i]);
    out.insert(out.end(), static_cast<const std::uint8_t*>(code.data()), end);
    last = postings_.docids[i];
  }
  bytes_ = out.size() - start;
  release_long(postings_.docids);
  release_long(postings_.frequencies);
}

}  // namespace warpdex::exchange
