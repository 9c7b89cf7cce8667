// Times the scans of binary codes alone, between events, beside their floors.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <deque>

#include "benchmarks/binary/binary.hpp"
#include "binary/gpu/code_rounds.hpp"
#include "binary/gpu/kernels.hpp"
#include "search/timing.hpp"
#include "warpdex/core/cuda/check_internal.hpp"
#include "warpdex/core/cuda/pinned.hpp"

namespace warpdex::tools {
namespace {

constexpr std::size_t kManyBytes = std::size_t{512} << 20;

}  // namespace

/// The larger of the floors of a scan for so many queries, in milliseconds.
double BinaryBenchmark::scan_floor(std::size_t queries) const {
  const double rows = static_cast<double>(vectors_.rows);
  const double words = static_cast<double>(codes_.view().quantizer.code_words());
  const double terms =
      (metric_ == vector::Metric::kL2 ? 4 : 0) + (settings_.binary.is_corrected ? 4 : 0);
  const double reading = rows * (4 * words + terms) / bandwidth_;
  const double counting = rows * words * static_cast<double>(settings_.query_bits) *
                          static_cast<double>(queries) / counts_a_second_;
  return std::max(reading, counting) * 1e3;
}

/// Some queries on the GPU, and what their rounds need.
struct BinaryBenchmark::KernelQueries {
  KernelQueries(const BinaryBenchmark& benchmark, const vector::GpuBinaryCodes& codes,
                std::size_t queries)
      : image(codes, queries, benchmark.settings_.query_bits),
        rounds(codes, queries, 10, benchmark.settings_.query_bits),
        prepared(vector::prepare_queries(benchmark.metric_, benchmark.vectors_.columns,
                                         benchmark.take_batch(queries))) {
    const auto cut = [&](void* begin) {
      Arena arena(begin);
      image.lay_out(arena);
      rounds.lay_out(arena);
      nearest = {arena.take<float>(queries * 10), arena.take<std::uint32_t>(queries * 10), 10};
      return arena.used();
    };
    memory = DeviceBuffer(cut(nullptr));
    cut(memory.data());
    pinned = PinnedBuffer(image.bytes());
    image.encode(prepared, 0, prepared.count, {}, pinned.data());
    send();
  }
  void send() { image.send(pinned.data(), prepared.count, stream); }
  /// Nothing is within NaN.
  void keep_nothing() const {
    check_cuda(cudaMemsetAsync(image.panels().limits, 0xFF, prepared.count * sizeof(float),
                               stream.handle()),
               "cudaMemsetAsync");
  }

  Stream stream;
  vector::QueryImage image;
  vector::CodeRounds rounds;
  vector::PreparedQueries prepared;
  vector::DeviceAnswers nearest;
  DeviceBuffer memory;
  PinnedBuffer pinned;
};

/// All codes against some queries that keep nothing.
void BinaryBenchmark::measure_kernels() {
  Resources resources;
  const vector::BinaryVectors view = codes_.view();
  // Of so many copies none is in the L2 cache when it is read again.
  const std::size_t copies = std::clamp<std::size_t>(kManyBytes / view.codes.size(), 1, 8);
  std::deque<vector::GpuBinaryCodes> codes;
  for (std::size_t i = 0; i < copies; ++i) codes.emplace_back(view, resources, 0);
  for (const std::size_t count : {1, 4, 15}) {
    KernelQueries queries(*this, codes.front(), count);
    measure_scans(codes, queries);
    add("rounds of scans", count, 10, 0, 0,
        time_on_gpu(queries.stream,
                    [&] {
                      queries.send();
                      queries.rounds.run(queries.image, nullptr, false, queries.nearest,
                                         queries.stream);
                    }),
        scan_floor(count));
  }
  for (const std::size_t count : settings_.batches) {
    if (count < 16) continue;
    KernelQueries queries(*this, codes.front(), count);
    measure_products(codes.front(), queries);
    add("rounds of products", count, 10, 0, 0, time_on_gpu(queries.stream, [&] {
          queries.send();
          queries.rounds.run(queries.image, nullptr, false, queries.nearest, queries.stream);
        }));
  }
}

/// One scan alone, whose launch and end are in its time, and the mean of many that follow each
/// other.
void BinaryBenchmark::measure_scans(const std::deque<vector::GpuBinaryCodes>& codes,
                                    const KernelQueries& queries) {
  const auto scan = [&](const vector::GpuBinaryCodes& all) {
    const vector::TileOrder order = queries.rounds.order();
    scan_to_lists({all.on_gpu(), queries.image.codes(), nullptr, order, 0, order.panels(),
                   all.overlaps_launches()},
                  queries.rounds.lists(queries.image), queries.image.panels().limits, false,
                  queries.stream);
  };
  const std::size_t count = queries.prepared.count;
  queries.keep_nothing();
  add("scan", count, 0, 0, 0, time_on_gpu(queries.stream, [&] { scan(codes.front()); }),
      scan_floor(count));
  constexpr std::size_t kScans = 40;
  const double time = time_on_gpu(queries.stream, [&] {
    for (std::size_t i = 0; i < kScans; ++i) scan(codes[i % codes.size()]);
  });
  add("scans in a row", count, 0, 0, 0, time / kScans, scan_floor(count));
}

/// Unpacking alone, and products alone, of all codes in parts as searches take them.
void BinaryBenchmark::measure_products(const vector::GpuBinaryCodes& codes,
                                       const KernelQueries& queries) {
  const auto number = vector::PanelNumber::kByte;
  if (std::max(settings_.binary.bits, settings_.query_bits) > vector::kMaxByteBits) return;
  const std::size_t panel_bytes = vector::code_panel_bytes(codes.dimension(), number);
  const vector::TileOrder order = queries.rounds.order();
  const auto part = std::min(order.panels(), static_cast<std::uint32_t>((32U << 20) / panel_bytes));
  const std::uint32_t query_panels = (queries.image.count() + 127) / 128;
  vector::UnpackedPanels slab;
  std::uint8_t* query_bytes = nullptr;
  const auto cut = [&](void* begin) {
    Arena arena(begin);
    slab.halves = arena.take<std::uint8_t>(part * panel_bytes);
    slab.columns = slab.offsets = arena.take<float>(part * vector::kPanelRows);
    if (settings_.binary.is_corrected) {
      slab.slacks = arena.take<float>(part * vector::kPanelRows);
      slab.columns = arena.take<float>(part * vector::kPanelRows * 2);
    }
    query_bytes = arena.take<std::uint8_t>(query_panels * panel_bytes);
    return arena.used();
  };
  const DeviceBuffer memory(cut(nullptr));
  cut(memory.data());
  queries.keep_nothing();
  unpack_queries(queries.image.codes(), codes.on_gpu(), number, query_bytes, queries.stream);
  const auto time_parts = [&](bool unpacks, bool multiplies) {
    return time_on_gpu(queries.stream, [&] {
      for (std::uint32_t panel = 0; panel < order.panels(); panel += part) {
        const std::uint32_t count = std::min(part, order.panels() - panel);
        if (unpacks) {
          unpack_codes({codes.on_gpu(), nullptr, order, panel, count, number}, slab,
                       queries.stream);
        }
        if (!multiplies) continue;
        vector::match_bits({.rows = slab,
                            .columns = slab.columns,
                            .row_panels = count,
                            .first_place = panel * vector::kPanelRows,
                            .query_panels = query_bytes,
                            .queries = queries.image.codes(),
                            .chunks = vector::code_chunks(codes.dimension(), number),
                            .number = number,
                            .is_l2 = codes.on_gpu().is_l2,
                            .max_term = codes.max_term(),
                            .max_factor = codes.max_factor(),
                            .limits = queries.image.panels().limits,
                            .lists = queries.rounds.lists(queries.image),
                            .takes_all = false},
                           queries.stream);
      }
    });
  };
  add("unpacking", queries.prepared.count, 0, 0, 0, time_parts(true, false));
  add("products", queries.prepared.count, 0, 0, 0, time_parts(false, true));
}

/// The median of several runs, in milliseconds between events.
double BinaryBenchmark::time_on_gpu(const Stream& stream, const std::function<void()>& work) const {
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
