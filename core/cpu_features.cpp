// Asks the processor for its instructions, once; WARPDEX_ISA can ask for fewer.
#include "warpdex/core/cpu_features.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace warpdex {
namespace {

Isa detect() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
                  __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma") &&
                  __builtin_cpu_supports("popcnt");
  const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                  __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                  __builtin_cpu_supports("avx512vl");
  return v4 ? Isa::kAvx512 : v3 ? Isa::kAvx2 : Isa::kBaseline;
#else
  return Isa::kBaseline;
#endif
}

Isa choose() {
  const Isa best = detect();
  const char* wish = std::getenv("WARPDEX_ISA");
  if (wish == nullptr) return best;
  const std::string_view name(wish);
  if (name == "baseline") return Isa::kBaseline;
  if (name == "avx2") return std::min(best, Isa::kAvx2);
  return best;
}

}  // namespace

Isa isa() {
  static const Isa chosen = choose();
  return chosen;
}

const char* isa_name(Isa isa) {
  switch (isa) {
    case Isa::kAvx512: return "avx512";
    case Isa::kAvx2: return "avx2";
    default: return "baseline";
  }
}

}  // namespace warpdex
