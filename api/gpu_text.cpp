// Batches of several threads share one engine.
#include "shared_gpu_engine.hpp"
#include "text_engine.hpp"

namespace warpdex {
namespace {

class GpuText final : public TextEngine {
 public:
  GpuText(const GpuGroup& gpus, std::shared_ptr<const GpuBlocks> blocks, TextEngine& cpu)
      : gpus_(gpus, std::move(blocks)), cpu_(cpu) {}

  std::vector<TextAnswer> search(std::span<const PlannedQuery> plans,
                                 const SearchSettings& settings,
                                 const SearchLimits& limits) override {
    std::vector<TextAnswer> answers(plans.size());
    std::vector<std::size_t> left;
    std::vector<PlannedQuery> left_plans;
    limits.check_stop();
    ProgressReport report(limits);
    const auto take = [&](const BatchAnswers& batch) {
      for (std::size_t i = 0; i < plans.size(); ++i) {
        if (batch[i].is_answered) {
          answers[i].result = batch.result(i);
          answers[i].is_of_gpu = true;
        } else {
          left.push_back(i);
          left_plans.push_back(plans[i]);
        }
      }
    };
    // Where progress throws, that comes at the end.
    gpus_.run(plans, {&settings, 1}, take, [&] { report.goes_on(); });
    report.add(plans.size() - left.size());
    report.finish();
    limits.check_stop();
    if (left.empty()) return answers;
    std::vector<TextAnswer> others = cpu_.search(left_plans, settings, limits);
    for (std::size_t i = 0; i < left.size(); ++i) answers[left[i]] = std::move(others[i]);
    return answers;
  }

 private:
  SharedGpuEngine gpus_;
  TextEngine& cpu_;
};

}  // namespace

std::unique_ptr<TextEngine> make_gpu_text(const GpuGroup& gpus,
                                          std::shared_ptr<const GpuBlocks> blocks,
                                          TextEngine& cpu) {
  return std::make_unique<GpuText>(gpus, std::move(blocks), cpu);
}

}  // namespace warpdex
