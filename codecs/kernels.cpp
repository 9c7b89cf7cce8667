// Chooses among the forms of the kernels; the form for any processor.
#include "kernels.hpp"

#include "kernels_generic.hpp"

namespace warpdex {

/// Null on processors of another architecture.
const DecodeKernels* avx2_decode_kernels();
/// Null where the processor lacks VBMI and VBMI2 as well.
const DecodeKernels* avx512_decode_kernels();

namespace {

void unpack(const std::uint8_t* bytes, std::uint32_t count, std::uint32_t width,
            std::uint32_t* out) {
  generic::unpack(bytes, count, width, out);
}

std::uint32_t unpack_sum(const std::uint8_t* bytes, std::uint32_t count, std::uint32_t width,
                         std::uint32_t base, std::uint32_t* out) {
  generic::unpack(bytes, count, width, out);
  return generic::sum(out, count, base);
}

std::uint32_t sum(std::uint32_t* values, std::uint32_t count, std::uint32_t base) {
  return generic::sum(values, count, base);
}

std::uint32_t find_ones(const std::uint8_t* bytes, std::uint32_t start, const std::uint8_t* end,
                        std::uint32_t count, std::uint16_t* ends) {
  return generic::find_ones(bytes, start, end, count, ends);
}

std::uint32_t add_quotients(const std::uint16_t* ends, std::uint32_t count, std::uint32_t shift,
                            std::uint32_t* out) {
  return generic::add_quotients(ends, count, shift, out);
}

std::uint32_t add_quotient_sums(const std::uint16_t* ends, std::uint32_t count, std::uint32_t shift,
                                std::uint32_t* out) {
  return generic::add_quotient_sums(ends, count, shift, out);
}

constexpr DecodeKernels kBaselineKernels = {
    unpack, unpack_sum, sum, find_ones, add_quotients, add_quotient_sums,
};

}  // namespace

const DecodeKernels& decode_kernels_for(Isa isa) {
  const Isa usable = isa < warpdex::isa() ? isa : warpdex::isa();
  if (usable == Isa::kAvx512 && avx512_decode_kernels() != nullptr) return *avx512_decode_kernels();
  if (usable != Isa::kBaseline && avx2_decode_kernels() != nullptr) return *avx2_decode_kernels();
  return kBaselineKernels;
}

}  // namespace warpdex
