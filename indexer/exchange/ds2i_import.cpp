// Binary collections as foreign indexes: sequences of 32-bit numbers, each behind its length.
#include <algorithm>
#include <deque>
#include <memory>

#include "exchange/foreign_index.hpp"
#include "exchange/import_run.hpp"
#include "exchange/input_map.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/text_lines.hpp"
#include "warpdex/indexer/exchange/exchange.hpp"

namespace warpdex::exchange {
namespace {

namespace fs = std::filesystem;

using Words = std::span<const std::uint32_t>;

/// A file of sequences.
class SequenceFile {
 public:
  explicit SequenceFile(const fs::path& path) : file_(map_file(path)), name_(path.string()) {
    if (file_.size() % sizeof(std::uint32_t) != 0) {
      fail("its size is no multiple of 4 bytes: it was cut short, or holds no 32-bit numbers");
    }
  }

  std::uint64_t words() const { return file_.size() / sizeof(std::uint32_t); }

  /// The sequence whose length stands at `place`, in words.
  Words sequence(std::uint64_t place) const {
    if (place >= words()) fail("the file ends where a sequence should begin: it was cut short");
    const Words all(reinterpret_cast<const std::uint32_t*>(file_.bytes().data()), words());
    const std::uint32_t length = all[place];
    if (length > words() - place - 1) {
      fail("the file ends within a sequence of " + std::to_string(length) +
           " numbers: it was cut short");
    }
    return all.subspan(place + 1, length);
  }

  const std::string& name() const { return name_; }
  [[noreturn]] void fail(const std::string& what) const { throw InputError(name_ + ": " + what); }

 private:
  MappedFile file_;
  std::string name_;
};

/// A file with a name a line; or, where there is no file, the numbers of the lines. Lines end with
/// "\n" or "\r\n"; byte order marks at their starts are dropped.
class NameFile {
 public:
  NameFile() = default;
  explicit NameFile(const fs::path& path) : file_(map_file(path)), name_(path.string()) {
    const std::string_view text = bytes();
    check_encoding(text.substr(0, kEncodingBytes), name_);
    for (std::size_t at = 0; at < text.size();) {
      ends_.push_back(at = std::min(text.find('\n', at), text.size()));
      ++at;
    }
  }

  bool is_there() const { return !name_.empty(); }
  const std::string& name() const { return name_; }
  std::uint64_t size() const { return ends_.size(); }
  std::string_view line(std::uint64_t number) const {
    const std::size_t start = number == 0 ? 0 : ends_[number - 1] + 1;
    std::string_view line = bytes().substr(start, ends_[number] - start);
    if (line.ends_with('\r')) line.remove_suffix(1);
    line = without_byte_order_marks(line);
    const std::string fault = line_fault(line);
    if (!fault.empty()) throw InputError(name_ + ":" + std::to_string(number + 1) + " " + fault);
    return line;
  }
  std::uint64_t memory() const { return ends_.capacity() * sizeof ends_[0]; }

  /// Throws InputError unless there are so many lines.
  void check_size(std::uint64_t wanted, const std::string& what) const {
    if (!is_there() || size() == wanted) return;
    throw InputError(name_ + ": it has " + std::to_string(size()) +
                     (size() == 1 ? " line" : " lines") + ", and there are " +
                     std::to_string(wanted) + " " + what + "; it must have a line for each");
  }

 private:
  std::string_view bytes() const {
    return {reinterpret_cast<const char*>(file_.bytes().data()), file_.bytes().size()};
  }

  MappedFile file_;
  std::string name_;
  std::vector<std::size_t> ends_;  ///< where the line feeds are, and the end
};

fs::path with_ending(const fs::path& prefix, const char* ending) {
  fs::path path = prefix;
  path += ending;
  return path;
}

/// The file that was named, or PREFIX.ENDING if that is there, or none.
NameFile open_names(const fs::path& named, const fs::path& prefix, const char* ending) {
  if (!named.empty()) return NameFile(named);
  const fs::path usual = with_ending(prefix, ending);
  std::error_code ignored;
  return fs::exists(usual, ignored) ? NameFile(usual) : NameFile();
}

class Ds2iIndex final : public ForeignIndex {
 public:
  Ds2iIndex(const Ds2iFiles& files, const OnForeignRead& on_read)
      : docs_(with_ending(files.prefix, ".docs")),
        freqs_(with_ending(files.prefix, ".freqs")),
        sizes_(with_ending(files.prefix, ".sizes")),
        terms_(open_names(files.terms, files.prefix, ".terms")),
        names_(open_names(files.documents, files.prefix, ".documents")),
        name_(files.prefix.string()) {
    read_lengths();
    find_lists(on_read);
  }

  std::vector<ForeignList>& lists() override { return lists_; }

  void read(const ForeignList& list, std::vector<std::uint32_t>& docids,
            std::vector<std::uint32_t>& frequencies) const override {
    const Words of_docs = docs_.sequence(list.place);
    const Words of_freqs = freqs_.sequence(list.place - kSingleton);
    docids.assign(of_docs.begin(), of_docs.end());
    frequencies.assign(of_freqs.begin(), of_freqs.end());
    frequencies.resize(docids.size());  // a file that changed meanwhile
  }

  std::uint64_t documents() const override { return lengths_.size(); }

  ForeignDocument document(std::uint32_t docid) const override {
    if (names_.is_there()) return {names_.line(docid), lengths_[docid]};
    number_ = std::to_string(docid);
    return {number_, lengths_[docid]};
  }

  Location location(std::uint32_t docid) const override {
    return {names_.is_there() ? names_.name() : name_ + ":document", std::uint64_t{docid} + 1};
  }

  const std::string& name() const override { return name_; }

  std::uint64_t memory() const override {
    constexpr std::uint64_t kNumberedTerm = 40;
    return lists_.capacity() * sizeof(ForeignList) + terms_.memory() + names_.memory() +
           numbered_terms_.size() * kNumberedTerm;
  }

  std::vector<std::string> notes(std::uint64_t /*tokens*/) const override {
    std::vector<std::string> notes;
    if (!terms_.is_there()) {
      notes.push_back(name_ + ".terms is not there; terms are the lists' numbers, from 0 on");
    }
    if (!names_.is_there()) {
      notes.push_back(name_ + ".documents is not there; documents are named by their numbers, " +
                      "from 0 on");
    }
    return notes;
  }

 private:
  /// The words of the first sequence of docs, which freqs lack.
  static constexpr std::uint64_t kSingleton = 2;

  void read_lengths() {
    const Words first = docs_.words() == 0 ? Words() : docs_.sequence(0);
    if (first.size() != 1) {
      docs_.fail(
          "its first sequence is not the number of documents alone; give the prefix of a "
          "binary collection");
    }
    lengths_ = sizes_.sequence(0);
    if (lengths_.size() != first[0]) {
      sizes_.fail("it has the lengths of " + std::to_string(lengths_.size()) + " documents, and " +
                  docs_.name() + " counts " + std::to_string(first[0]));
    }
    if (sizes_.words() != lengths_.size() + 1) sizes_.fail("numbers follow the lengths");
    names_.check_size(lengths_.size(), "documents");
  }

  void find_lists(const OnForeignRead& on_read) {
    std::uint64_t count = 0;
    for (std::uint64_t place = kSingleton; place < docs_.words(); ++count) {
      place += 1 + docs_.sequence(place).size();
    }
    terms_.check_size(count, "lists");
    lists_.reserve(count);
    std::uint64_t place = kSingleton;
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint64_t postings = docs_.sequence(place).size();
      if (freqs_.sequence(place - kSingleton).size() != postings) {
        freqs_.fail("list " + std::to_string(i + 1) + " has not as many frequencies as " +
                    docs_.name() + " has docIDs");
      }
      lists_.push_back({term(i), place, postings});
      place += 1 + postings;
      on_read(place * sizeof(std::uint32_t), docs_.words() * sizeof(std::uint32_t));
    }
    if (freqs_.words() != docs_.words() - kSingleton) {
      freqs_.fail("it has more lists than " + docs_.name());
    }
  }

  std::string_view term(std::uint64_t list) {
    if (terms_.is_there()) return terms_.line(list);
    return numbered_terms_.emplace_back(std::to_string(list));
  }

  SequenceFile docs_;
  SequenceFile freqs_;
  SequenceFile sizes_;
  NameFile terms_;
  NameFile names_;
  std::string name_;
  Words lengths_;
  std::vector<ForeignList> lists_;
  std::deque<std::string> numbered_terms_;
  mutable std::string number_;  ///< the name that was handed out last, where there are none
};

}  // namespace

ImportReport import_ds2i(const Ds2iFiles& files, const ImportOptions& options) {
  return run_import(options, std::string(kImportedFields) + "ds2i",
                    [&](const std::filesystem::path&, const OnForeignRead& on_read) {
                      return std::make_unique<Ds2iIndex>(files, on_read);
                    });
}

}  // namespace warpdex::exchange
