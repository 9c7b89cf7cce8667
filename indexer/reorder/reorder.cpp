// Finds an order for the documents of an index, and writes the index in it.
#include "warpdex/indexer/rewrite/rewrite.hpp"

#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "build/refuse_empty.hpp"
#include "build/segment_build.hpp"
#include "reorder/bisection.hpp"
#include "reorder/forward_index.hpp"
#include "rewrite/rewriter.hpp"
#include "rewrite/source.hpp"
#include "rewrite/stages.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/storage/check_sections.hpp"

namespace warpdex {
namespace {

using Clock = std::chrono::steady_clock;
using rewrite::Means;
using rewrite::Stages;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// What is freed at the end of a stage does not help the next one as long as the allocator keeps it.
void return_freed_memory() {
#ifdef __GLIBC__
  ::malloc_trim(0);
#endif
}

void check(const OrderSettings& settings) {
  if (settings.min_list < 2 || settings.leaf < 1 || settings.iterations < 1) {
    throw UsageError(
        "an order is found from lists of 2 postings or more, with leaves of 1 document or more and "
        "1 iteration or more; choose larger numbers");
  }
}

std::string mebibytes(std::uint64_t bytes) { return std::to_string((bytes >> 20) + 1) + " MiB"; }

/// The old docID of each new one.
std::vector<std::uint32_t> find_order(const Index& index, const OrderSettings& settings,
                                      const Means& means, const Stages& stages,
                                      ReorderReport& report) {
  const Clock::time_point start = Clock::now();
  const reorder::ForwardPlan plan = reorder::plan_forward_index(
      index, settings.min_list, means.memory, [&] { stages.tell_share("reading lists", 0); });
  if (plan.memory > means.memory) {
    throw UsageError("reordering " + std::to_string(index.counts().documents) +
                     " documents needs more memory; allow " +
                     mebibytes(plan.memory + means.set_aside) + " or more");
  }
  report.min_list = plan.min_list;
  report.lists_used = plan.terms;
  report.postings_used = plan.postings;
  report.memory_for_all = plan.wished_memory + means.set_aside;
  const reorder::ForwardIndex forward = reorder::read_forward_index(
      index, plan, [&](double share) { stages.tell_share("reading lists", share); });
  reorder::BisectionSettings bisection;
  bisection.leaf = settings.leaf;
  bisection.iterations = settings.iterations;
  bisection.threads = means.threads;
  bisection.memory = means.memory;
  std::vector<std::uint32_t> order = reorder::bisect(
      forward, bisection, [&](double share) { stages.tell_share("ordering", share); });
  // Documents without terms come last.
  std::stable_partition(order.begin(), order.end(),
                        [&](std::uint32_t document) { return index.length_of(document) > 0; });
  report.order_seconds = seconds_since(start);
  return order;
}

/// From `index` to `writer`, up to the commit.
void write_reordered(const Index& index, const OrderSettings& order_settings, const Means& means,
                     const Stages& stages, IndexWriter& writer, ReorderReport& report) {
  check_before_copy(index, [&](double share) { stages.tell_share("checking", share); });
  const IndexCounts& counts = index.counts();
  report.documents = counts.documents;
  report.terms = counts.terms;
  report.postings = counts.postings;
  const Means left = means.without(writer.memory());
  const std::vector<std::uint32_t> order = find_order(index, order_settings, left, stages, report);
  return_freed_memory();
  // The order, the way back, and the writer's lengths.
  const std::uint64_t tables = 3 * sizeof(std::uint32_t) * counts.documents;
  rewrite::RewriteSettings settings;
  settings.index = index.settings();
  settings.order = order;
  const std::uint64_t memory = left.without(tables).memory;
  const std::uint64_t forward = settings.index.has_forward ? memory / 8 : 0;
  writer.set_forward_memory(forward);
  settings.memory = memory - forward;
  settings.threads = means.threads;
  const rewrite::RewriteSource source{&index};
  rewrite::rewrite_index({&source, 1}, settings, writer, [&](std::uint64_t done) {
    stages.tell("writing", done, counts.postings);
  });
}

}  // namespace

ReorderReport reorder_index(const RewriteOptions& options, const OrderSettings& settings) {
  const Clock::time_point start = Clock::now();
  const Means means = rewrite::means_of(options);
  check(settings);
  const Stages stages(options.on_progress);
  rewrite::check_places(options.input, options.output);
  const Index opened = Index::open(options.input);
  IndexWriter writer(options.output, opened.settings());
  const Index index = rewrite::open_again(opened, options.output);
  ReorderReport report;
  write_reordered(index, settings, means, stages, writer, report);
  report.notes = writer.commit([&] { stages.tell("writing", report.postings, report.postings); });
  report.seconds = seconds_since(start);
  return report;
}

BuildReport build_reordered_index(DocumentReader& reader, const BuildOptions& options,
                                  const OrderSettings& settings,
                                  const std::function<void(const RewriteProgress&)>& reordering,
                                  ReorderReport& report) {
  const Clock::time_point start = Clock::now();
  RewriteOptions rewriting;
  rewriting.memory = options.memory;
  rewriting.threads = options.threads;
  const Means means = rewrite::means_of(rewriting);
  check(settings);
  const Stages stages(reordering);
  // The target is locked and looked at before anything is read.
  IndexWriter writer(options.output, build::settings_of(reader, options));
  BuildOptions first = options;
  first.output = writer.scratch_folder() / "input-order";
  if (first.vectors) first.vectors->index = {};  // lists are made of the final order
  BuildReport built = build_index(reader, first);
  build::refuse_empty(built.documents, options.output);
  return_freed_memory();
  const Clock::time_point second = Clock::now();
  const Index index = Index::open(first.output);
  if (built.weights) writer.set_weights(*index.settings().impacts);
  write_reordered(index, settings, means, stages, writer, report);
  built.notes = writer.commit([&] { stages.tell("writing", report.postings, report.postings); });
  report.seconds = seconds_since(second);
  built.seconds = seconds_since(start);
  return built;
}

}  // namespace warpdex
