// CIFF files as foreign indexes. One walk finds where lists and document records stand.
#include <ciff.pb.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "exchange/ciff_messages.hpp"
#include "exchange/foreign_index.hpp"
#include "exchange/import_run.hpp"
#include "exchange/input_map.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/indexer/exchange/exchange.hpp"
#include "warpdex/indexer/readers/text_checks.hpp"

namespace warpdex::exchange {
namespace {

constexpr std::int32_t kVersion = 1;

std::string of_all(std::uint64_t number, std::uint64_t all) {
  return std::to_string(number + 1) + " of " + std::to_string(all);
}

class CiffIndex final : public ForeignIndex {
 public:
  CiffIndex(MappedFile file, std::string name, const OnForeignRead& on_read)
      : file_(std::move(file)), name_(std::move(name)) {
    MessageCursor cursor(file_.bytes(), name_);
    read_header(cursor);
    find_lists(cursor, on_read);
    find_documents(cursor, on_read);
    if (cursor.bytes_left() > 0) {
      fail(
          std::to_string(cursor.bytes_left()) +
          " bytes follow the last message; its header counts fewer lists or documents than it has");
    }
  }

  std::vector<ForeignList>& lists() override { return lists_; }

  void read(const ForeignList& list, std::vector<std::uint32_t>& docids,
            std::vector<std::uint32_t>& frequencies) const override {
    if (!read_ciff_postings(message_at(list.place), docids, frequencies)) {
      fail("the list of '" + excerpt(list.term) +
           "' is damaged: a docID or tf is negative or past 2147483647, or a posting is cut short");
    }
  }

  std::uint64_t documents() const override { return records_.size(); }

  ForeignDocument document(std::uint32_t docid) const override {
    record_ = parse_record(message_at(records_[docid]), docid);
    if (record_.doclength() < 0) {
      fail("the document '" + excerpt(record_.collection_docid()) + "' has a length of " +
           std::to_string(record_.doclength()) + "; lengths are from 0 on");
    }
    return {record_.collection_docid(), static_cast<std::uint32_t>(record_.doclength())};
  }

  Location location(std::uint32_t docid) const override {
    return {name_ + ":document", std::uint64_t{docid} + 1};
  }

  const std::string& name() const override { return name_; }
  std::string description() const override { return header_.description(); }

  std::uint64_t memory() const override {
    return lists_.capacity() * sizeof(ForeignList) + records_.capacity() * sizeof(std::uint64_t);
  }

  std::vector<std::string> notes(std::uint64_t tokens) const override;

 private:
  [[noreturn]] void fail(const std::string& what) const { throw InputError(name_ + ": " + what); }

  /// A message that was found before, by where its size stands.
  MessageBytes message_at(std::uint64_t place) const {
    return MessageCursor(file_.bytes().subspan(place), name_).next("a message");
  }

  ciff::DocRecord parse_record(MessageBytes message, std::uint64_t number) const {
    ciff::DocRecord record;
    if (!record.ParseFromArray(message.data(), static_cast<int>(message.size()))) {
      fail("document record " + of_all(number, documents()) + " is damaged; get the file again");
    }
    return record;
  }

  void read_header(MessageCursor& cursor);
  void find_lists(MessageCursor& cursor, const OnForeignRead& on_read);
  void find_documents(MessageCursor& cursor, const OnForeignRead& on_read);

  MappedFile file_;
  std::string name_;
  ciff::Header header_;
  std::vector<ForeignList> lists_;
  std::vector<std::uint64_t> records_;  ///< by docID: where the record's size stands
  mutable ciff::DocRecord record_;      ///< whose name was handed out last
};

void CiffIndex::read_header(MessageCursor& cursor) {
  if (file_.bytes().empty()) fail("the file is empty; name a file that an export wrote");
  const MessageBytes message = cursor.next("its header");
  if (!header_.ParseFromArray(message.data(), static_cast<int>(message.size()))) {
    fail("it has no CIFF header; give a file of the Common Index File Format");
  }
  if (header_.version() != kVersion) {
    fail("its header says version " + std::to_string(header_.version()) +
         " of CIFF, this program reads version " + std::to_string(kVersion));
  }
  if (header_.num_postings_lists() < 0 || header_.num_docs() < 0) {
    fail("its header counts fewer than 0 lists or documents; the file is damaged");
  }
}

void CiffIndex::find_lists(MessageCursor& cursor, const OnForeignRead& on_read) {
  const auto count = static_cast<std::uint64_t>(header_.num_postings_lists());
  lists_.reserve(std::min(count, cursor.bytes_left() / 4));  // a list's least bytes
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t place = cursor.position();
    CiffList list;
    if (!read_ciff_list(cursor.next("posting list " + of_all(i, count)), list)) {
      fail("posting list " + of_all(i, count) + " is damaged; get the file again");
    }
    if (std::cmp_not_equal(list.df, list.postings)) {
      fail("the list of '" + excerpt(list.term) + "' has a df of " + std::to_string(list.df) +
           " and " + std::to_string(list.postings) + " postings; the two must agree");
    }
    lists_.push_back({list.term, place, list.postings});
    on_read(cursor.position(), file_.size());
  }
}

void CiffIndex::find_documents(MessageCursor& cursor, const OnForeignRead& on_read) {
  const auto count = static_cast<std::uint64_t>(header_.num_docs());
  if (count > cursor.bytes_left()) {
    fail("its header counts " + std::to_string(count) + " documents, and only " +
         std::to_string(cursor.bytes_left()) + " bytes follow the lists: it was cut short");
  }
  constexpr std::uint64_t kNone = 0;  // where the header stands
  records_.assign(count, kNone);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t place = cursor.position();
    const ciff::DocRecord record =
        parse_record(cursor.next("document record " + of_all(i, count)), i);
    if (record.docid() < 0 || std::cmp_greater_equal(record.docid(), count)) {
      fail("document record " + of_all(i, count) + " has the docid " +
           std::to_string(record.docid()) + "; docids are from 0 to one less than the documents");
    }
    std::uint64_t& known = records_[static_cast<std::size_t>(record.docid())];
    if (known != kNone) {
      fail("two document records have the docid " + std::to_string(record.docid()));
    }
    known = place;
    on_read(cursor.position(), file_.size());
  }
}

std::vector<std::string> CiffIndex::notes(std::uint64_t tokens) const {
  std::vector<std::string> notes;
  const auto note = [&](const std::string& sentence) { notes.push_back(name_ + ": " + sentence); };
  if (header_.total_postings_lists() > header_.num_postings_lists()) {
    note("it holds " + std::to_string(header_.num_postings_lists()) + " of the collection's " +
         std::to_string(header_.total_postings_lists()) +
         " posting lists; searches for other terms find nothing");
  }
  if (header_.total_docs() > header_.num_docs()) {
    note("it holds " + std::to_string(header_.num_docs()) + " of the collection's " +
         std::to_string(header_.total_docs()) +
         " documents; scores are those of a collection of the former only");
  }
  if (std::cmp_not_equal(header_.total_terms_in_collection(), tokens)) {
    note("its header counts " + std::to_string(header_.total_terms_in_collection()) +
         " tokens, and the documents' lengths add up to " + std::to_string(tokens) +
         "; scores take the latter");
  }
  return notes;
}

}  // namespace

ImportReport import_ciff(const std::filesystem::path& file, const ImportOptions& options) {
  return run_import(options, std::string(kImportedFields) + "CIFF",
                    [&](const std::filesystem::path& scratch, const OnForeignRead& on_read) {
                      MappedFile mapped = map_input(
                          file, scratch, [&] { on_read(0, 0); }, unpack_limit_of(options.memory));
                      return std::make_unique<CiffIndex>(std::move(mapped), input_name(file),
                                                         on_read);
                    });
}

}  // namespace warpdex::exchange
