// Which vector instructions this processor has; hot loops choose their form by it once.
#pragma once

namespace warpdex {

enum class Isa {
  kBaseline,  ///< x86-64 as every processor has it, or another architecture
  kAvx2,      ///< x86-64-v3: AVX2, BMI1, BMI2, FMA, LZCNT, POPCNT
  kAvx512,    ///< x86-64-v4: and AVX-512 F, BW, CD, DQ, VL
};

/// The best form that this processor runs. The environment variable WARPDEX_ISA (baseline, avx2,
/// avx512) lowers it, so that each form can be tested and measured; read once, at the first call.
Isa isa();

/// "baseline", "avx2" or "avx512".
const char* isa_name(Isa isa);

}  // namespace warpdex
