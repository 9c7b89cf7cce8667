// Lists are decoded one at a time: what is written is far more than what is read.
#include "exchange/export_lists.hpp"

#include "warpdex/core/error.hpp"
#include "warpdex/core/storage/check_sections.hpp"

namespace warpdex::exchange {

void check_source(const Index& index, const OnExportProgress& on_progress) {
  if (index.texts() > 1) {
    throw UsageError("the index '" + index.folder().string() +
                     "' has several text fields, which other formats cannot carry; build an index "
                     "of one of them, and export that");
  }
  const ExportProgress none{0, index.counts().postings};
  check_before_copy(index, [&](double /*share*/) {
    if (on_progress) on_progress(none);
  });
}

void for_each_list(const Index& index, const OnExportProgress& on_progress, const OnList& visit) {
  constexpr std::uint64_t kStep = 1 << 16;
  ExportProgress progress{0, index.counts().postings};
  std::uint64_t next_told = 0;
  index.for_each_term([&](std::string_view term, const PostingsEntry& entry) {
    if (on_progress && progress.postings >= next_told) {
      on_progress(progress);
      next_told = progress.postings + kStep;
    }
    const Postings postings = read_postings(index, entry);
    visit(term, postings);
    progress.postings += postings.docids.size();
  });
  if (on_progress) on_progress(progress);
}

void check_written(const std::ostream& out) {
  if (!out) throw IoError("cannot write all of the export; make room for it");
}

}  // namespace warpdex::exchange
