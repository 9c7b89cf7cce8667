// The analyzer "standard": Unicode words, case folded.
#include <optional>

#include "analysis/analyzers.hpp"
#include "analysis/one_form.hpp"
#include "analysis/term_storage.hpp"
#include "analysis/word_folder.hpp"
#include "analysis/word_segmenter.hpp"
#include "warpdex/indexer/analysis/utf8.hpp"

namespace warpdex::analysis {
namespace {

class StandardAnalyzer final : public Analyzer {
 public:
  explicit StandardAnalyzer(AnalysisPath path)
      : segmenter_(path.version, path.ascii_fast_path), folder_(path.version) {
    if (path.version >= kOneFormVersion) form_.emplace();
  }

  std::size_t analyze(std::string_view text, std::vector<std::string_view>& terms) override {
    require_utf8(text);
    storage_.clear();
    segmenter_.segment(form_ ? form_->of(text) : text, terms);
    std::size_t kept = 0;
    for (const std::string_view word : terms) {
      const std::string_view folded = folder_.fold(word);
      if (folded.empty()) continue;
      terms[kept++] = folded.data() != word.data() ? storage_.keep(folded) : word;
    }
    terms.resize(kept);
    return 0;
  }

 private:
  std::optional<OneForm> form_;
  WordSegmenter segmenter_;
  WordFolder folder_;
  TermStorage storage_;
};

}  // namespace

std::unique_ptr<Analyzer> make_standard_analyzer(AnalysisPath path) {
  return std::make_unique<StandardAnalyzer>(path);
}

}  // namespace warpdex::analysis
