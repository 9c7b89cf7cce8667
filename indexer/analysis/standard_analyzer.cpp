// The analyzer "standard": Unicode words, case folded.
#include "analysis/analyzers.hpp"
#include "analysis/case_folder.hpp"
#include "analysis/term_storage.hpp"
#include "analysis/word_segmenter.hpp"
#include "warpdex/indexer/analysis/utf8.hpp"

namespace warpdex::analysis {
namespace {

class StandardAnalyzer final : public Analyzer {
 public:
  explicit StandardAnalyzer(AnalysisPath path) : segmenter_(path.ascii_fast_path) {}

  void analyze(std::string_view text, std::vector<std::string_view>& terms) override {
    require_utf8(text);
    storage_.clear();
    segmenter_.segment(text, terms);
    for (std::string_view& term : terms) {
      const std::string_view folded = folder_.fold(term);
      if (folded.data() != term.data()) term = storage_.keep(folded);
    }
  }

 private:
  WordSegmenter segmenter_;
  CaseFolder folder_;
  TermStorage storage_;
};

}  // namespace

std::unique_ptr<Analyzer> make_standard_analyzer(AnalysisPath path) {
  return std::make_unique<StandardAnalyzer>(path);
}

}  // namespace warpdex::analysis
