// Times the scans of binary codes alone, between events, beside their floors.
#include <cuda_runtime_api.h>

#include <algorithm>

#include "benchmarks/xfbq.hpp"
#include "timing.hpp"
#include "warpdex/core/cuda/check_internal.hpp"
#include "warpdex/core/cuda/pinned.hpp"
#include "xfbq/gpu/code_rounds.hpp"
#include "xfbq/gpu/scan_bits.hpp"

namespace warpdex::tools {

/// The larger of the floors of a scan for so many queries, in milliseconds.
double XfbqBenchmark::scan_floor(std::size_t queries) const {
  const double rows = static_cast<double>(vectors_.rows);
  const double words = static_cast<double>(codes_.view().quantizer.code_words());
  const double terms =
      (metric_ == vector::Metric::kL2 ? 4 : 0) + (settings_.xfbq.is_corrected ? 4 : 0);
  const double reading = rows * (4 * words + terms) / bandwidth_;
  const double counting = rows * words * static_cast<double>(settings_.query_bits) *
                          static_cast<double>(queries) / counts_a_second_;
  return std::max(reading, counting) * 1e3;
}

/// All codes against some queries that keep nothing.
void XfbqBenchmark::measure_kernels() {
  Resources resources;
  const vector::XfbqVectors view = codes_.view();
  const vector::GpuBinaryCodes codes(view, resources, 0);
  for (const std::size_t count : {1, 4, 16, 128, 1024}) {
    const std::size_t queries = std::min(count, queries_.rows);
    vector::QueryImage image(codes, queries, settings_.query_bits);
    vector::CodeRounds rounds(codes, queries, 10, settings_.query_bits);
    Arena measure(nullptr);
    image.lay_out(measure);
    rounds.lay_out(measure);
    const DeviceBuffer memory(measure.used() + 2 * queries * 10 * sizeof(float) + 4096);
    Arena arena(memory.data());
    image.lay_out(arena);
    rounds.lay_out(arena);
    vector::DeviceAnswers nearest{arena.take<float>(queries * 10),
                                  arena.take<std::uint32_t>(queries * 10), 10};
    const PinnedBuffer pinned(image.bytes());
    const Stream stream;
    const vector::PreparedQueries prepared = vector::prepare_queries(
        metric_, vectors_.columns, std::span(queries_.values).first(queries * vectors_.columns));
    image.send(prepared, 0, queries, {}, pinned.data(), stream);
    if (count <= 16) {
      const vector::ScanBitsTask task{
          codes.on_gpu(), image.codes(), nullptr, rounds.order(), 0, rounds.order().panels()};
      add("scan", queries, 0, 0, 0,
          time_on_gpu(stream,
                      [&] {
                        check_cuda(cudaMemsetAsync(image.panels().limits, 0xFF,
                                                   queries * sizeof(float), stream.handle()),
                                   "cudaMemsetAsync");  // NaN: nothing is within
                        scan_to_lists(task, rounds.lists(image), image.panels().limits, false,
                                      stream);
                      }),
          scan_floor(queries));
    }
    add(count < 16 ? "rounds of scans" : "rounds of products", queries, 10, 0, 0,
        time_on_gpu(stream,
                    [&] {
                      image.send(prepared, 0, queries, {}, pinned.data(), stream);
                      rounds.run(image, nullptr, false, nearest, stream);
                    }),
        count < 16 ? scan_floor(queries) : 0);
  }
}

/// The median of several runs, in milliseconds between events.
double XfbqBenchmark::time_on_gpu(const Stream& stream, const std::function<void()>& work) const {
  std::vector<double> times;
  for (int i = 0; i <= settings_.repetitions; ++i) {
    Event begin;
    Event end;
    begin.record(stream);
    work();
    end.record(stream);
    stream.synchronize();
    if (i > 0) times.push_back(end.seconds_since(begin) * 1e3);
  }
  return median(times);
}

}  // namespace warpdex::tools
