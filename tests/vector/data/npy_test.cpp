// .npy files made by hand: headers of all versions, all types, and what is refused.
#include <cmath>
#include <limits>

#include "tests/vector/data/files.hpp"
#include "warpdex/vector/data/matrix.hpp"

namespace warpdex::vector {
namespace {

using test::complaint;
using test::float_bytes;
using test::little;
using test::npy_bytes;
using test::npy_text;
using test::TemporaryFolder;
using test::write_file;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Npy : public ::testing::Test {
 protected:
  std::string write(const std::string& bytes) {
    write_file(folder_ / "a.npy", bytes);
    return folder_ / "a.npy";
  }
  std::string refused(const std::string& bytes) {
    const std::string path = write(bytes);
    return complaint<InputError>([&] {
      const auto reader = open_vectors(path);
      std::vector<std::uint64_t> room(reader->rows() * reader->dimension());
      reader->read_raw(reader->rows(), room.data());
    });
  }
  std::string refused_header(const std::string& header) { return refused(npy_bytes(header, "")); }

  TemporaryFolder folder_;
};

TEST_F(Npy, AllVersions) {
  const std::string array = float_bytes({1, 2, 3, 4, 5, 6});
  for (const int version : {1, 2, 3}) {
    const std::string path = write(npy_bytes(npy_text("<f4", "(2, 3)"), array, version));
    const Matrix<float> matrix = read_float_matrix(path);
    EXPECT_EQ(matrix.rows, 2U);
    EXPECT_EQ(matrix.columns, 3U);
    EXPECT_THAT(matrix.row(1), ElementsAre(4, 5, 6));
  }
  for (const int version : {0, 4, 255}) {
    EXPECT_THAT(refused(npy_bytes(npy_text("<f4", "(2, 3)"), array, version)),
                HasSubstr("of version " + std::to_string(version)));
  }
}

TEST_F(Npy, HeadersAsOthersWriteThem) {
  const std::string array = float_bytes({1, 2});
  for (const std::string header :
       {R"({"shape":(1,2),"descr":"<f4","fortran_order":False})",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1L, 2L), }",
        "  {\t'fortran_order' : False,\n'shape':( 1 , 2 , ) , 'descr':'=f4'}  "}) {
    EXPECT_THAT(read_float_matrix(write(npy_bytes(header, array))).values, ElementsAre(1, 2));
  }
  // Not padded at all.
  const std::string header = npy_text("<f4", "(1, 2)");
  EXPECT_THAT(read_float_matrix(write(std::string("\x93NUMPY\1\0", 8) + little(header.size(), 2) +
                                      header + array))
                  .values,
              ElementsAre(1, 2));
}

TEST_F(Npy, AllTypesOfVectors) {
  EXPECT_THAT(
      read_float_matrix(write(npy_bytes(npy_text("<f2", "(1, 3)"),
                                        little(0x3C00, 2) + little(0xC100, 2) + little(1, 2))))
          .values,
      ElementsAre(1, -2.5F, std::ldexp(1.0F, -24)));
  EXPECT_THAT(read_float_matrix(write(npy_bytes(npy_text("|i1", "(1, 3)"), "\x01\x80\xFF"))).values,
              ElementsAre(1, -128, -1));
  EXPECT_THAT(read_float_matrix(write(npy_bytes(npy_text("|u1", "(3, 1)"), "\x01\x80\xFF"))).values,
              ElementsAre(1, 128, 255));
  std::string doubles;
  for (const double value : {0.1, -3.4028234e38, 1e-60}) {
    doubles += little(std::bit_cast<std::uint64_t>(value), 8);
  }
  const std::string path = write(npy_bytes(npy_text("<f8", "(1, 3)"), doubles));
  EXPECT_EQ(open_vectors(path)->element(), Element::kFloat32);
  EXPECT_THAT(read_float_matrix(path).values,
              ElementsAre(0.1F, -std::numeric_limits<float>::max(), 0));
}

TEST_F(Npy, WholeNumbersAndFilters) {
  const std::string minus_two = little(0xFFFF'FFFF'FFFF'FFFE, 8);
  EXPECT_THAT(read_int_matrix(write(npy_bytes(npy_text("<i4", "(2,)"), minus_two))).values,
              ElementsAre(-2, -1));
  EXPECT_THAT(read_int_matrix(write(npy_bytes(npy_text("<i8", "(1,)"), minus_two))).values,
              ElementsAre(-2));
  EXPECT_EQ(read_int_matrix(write(npy_bytes(npy_text("<u4", "(2,)"), little(7, 8)))).rows, 2U);
  EXPECT_THAT(read_int_matrix(write(npy_bytes(npy_text("<u8", "(1, 1)"), little(7, 8)))).values,
              ElementsAre(7));
  const std::string large =
      npy_bytes(npy_text("<i8", "(2, 2)"), little(0, 24) + little(1ULL << 31, 8));
  EXPECT_THAT(complaint<InputError>([&] { read_int_matrix(write(large)); }),
              AllOf(HasSubstr("row 1, column 1"), HasSubstr("2147483648")));
  EXPECT_THAT(refused(npy_bytes(npy_text("<u8", "(2, 1)"), little(0, 8) + little(1ULL << 63, 8))),
              AllOf(HasSubstr("row 1, column 0"), HasSubstr("2^63")));

  const auto reader =
      open_vectors(write(npy_bytes(npy_text("|b1", "(3,)"), std::string("\1\0\1", 3))));
  std::vector<std::uint8_t> filter(3);
  ASSERT_EQ(reader->read_raw(3, filter.data()), 3U);
  EXPECT_EQ(reader->element(), Element::kBool);
  EXPECT_THAT(filter, ElementsAre(1, 0, 1));
  EXPECT_THAT(refused(npy_bytes(npy_text("|b1", "(3,)"), "\1\2\1")),
              AllOf(HasSubstr("row 1, column 0"), HasSubstr("neither true nor false")));
}

TEST_F(Npy, OneAxisIsNoVectors) {
  const std::string floats = npy_bytes(npy_text("<f4", "(2,)"), float_bytes({1, 2}));
  EXPECT_THAT(refused(floats), AllOf(HasSubstr("has one axis"), HasSubstr("(1, -1)")));
  EXPECT_THAT(refused(npy_bytes(npy_text("|u1", "(2,)"), "ab")), HasSubstr("has one axis"));
  EXPECT_THAT(complaint<InputError>([&] { open_vectors(write(floats), Role::kQueries); }),
              HasSubstr("has one axis"));
  EXPECT_THAT(read_float_matrix(write(floats), Role::kDistances).values, ElementsAre(1, 2));
  EXPECT_THAT(
      read_float_matrix(write(npy_bytes(npy_text("<f4", "(2, 1)"), float_bytes({1, 2})))).values,
      ElementsAre(1, 2));
}

TEST_F(Npy, ValuesThatAreNoNumbers) {
  EXPECT_THAT(refused(npy_bytes(npy_text("<f2", "(1, 2)"), little(0, 2) + little(0x7C00, 2))),
              HasSubstr("row 0, column 1"));
  const auto doubles = [](double value) {
    return npy_bytes(npy_text("<f8", "(1, 1)"), little(std::bit_cast<std::uint64_t>(value), 8));
  };
  EXPECT_THAT(refused(doubles(3.5e38)), HasSubstr("too large for a float"));
  EXPECT_THAT(refused(doubles(std::nan(""))), HasSubstr("NaN or infinite"));
  EXPECT_THAT(refused(doubles(HUGE_VAL)), HasSubstr("NaN or infinite"));
}

TEST_F(Npy, EmptyArrays) {
  const auto reader = open_vectors(write(npy_bytes(npy_text("<f4", "(0, 8)"), "")));
  EXPECT_EQ(reader->rows(), 0U);
  EXPECT_EQ(reader->dimension(), 8U);
  float none = 0;
  EXPECT_EQ(reader->read(5, &none), 0U);
  EXPECT_THAT(refused_header(npy_text("<f4", "(5, 0)")), HasSubstr("1 to 4096"));
}

TEST_F(Npy, RefusesOtherArrays) {
  EXPECT_THAT(refused_header("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }"),
              HasSubstr("Fortran order"));
  EXPECT_THAT(refused_header(npy_text(">f4", "(2, 3)")), HasSubstr("high byte first"));
  for (const std::string type : {"<c8", "<i2", "<U7", "|O", "<f16", "<M8[us]"}) {
    EXPECT_THAT(refused_header(npy_text(type, "(2, 3)")), HasSubstr("'" + type + "'"));
  }
  EXPECT_THAT(
      refused_header("{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (2, 3), }"),
      HasSubstr("several fields"));
  EXPECT_THAT(refused_header(npy_text("\x1B[2J" + std::string(5000, 'x'), "(2, 3)")),
              HasSubstr("type '?[2J" + std::string(36, 'x') + "'"));
  EXPECT_THAT(refused_header(npy_text("<f4", "()")), HasSubstr("0 axes"));
  EXPECT_THAT(refused_header(npy_text("<f4", "(1, 2, 3)")), HasSubstr("3 axes"));
}

TEST_F(Npy, RefusesDamagedHeaders) {
  for (const std::string header :
       {"", "{", "{}", "nothing", "{'descr': '<f4', 'fortran_order': False}",
        "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (1, 1)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1)} more",
        "{'descr': '<f4', 'fortran_order': Maybe, 'shape': (1, 1)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1, -1)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 99999999999999999999999)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1 1)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': 1}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1)",
        "{'descr': '', 'fortran_order': False, 'shape': (1, 1)}",
        "{'descr': '<f4' 'fortran_order': False, 'shape': (1, 1)}",
        "{descr: '<f4', 'fortran_order': False, 'shape': (1, 1)}",
        "{'descr': '<f4', 'order': False, 'shape': (1, 1)}"}) {
    EXPECT_THAT(refused_header(header), HasSubstr("damaged header")) << header;
  }
  EXPECT_THAT(refused("\x93NUMPZ" + std::string(100, ' ')), HasSubstr("not a .npy file"));
  EXPECT_THAT(refused(std::string("\x93NUMPY\1\0\xFF\xFF", 10)),
              HasSubstr("ends within its header"));
  EXPECT_THAT(refused(std::string("\x93NUMPY\2\0\xFF\xFF\xFF\xFF", 12)),
              HasSubstr("damaged header"));
}

TEST_F(Npy, RefusesArraysThatDoNotFitTheFile) {
  EXPECT_THAT(refused(npy_bytes(npy_text("<f4", "(2, 3)"), float_bytes({1, 2, 3, 4, 5}))),
              HasSubstr("cut short"));
  EXPECT_THAT(refused(npy_bytes(npy_text("<f4", "(1, 1)"), float_bytes({1, 2}))),
              HasSubstr("each array as a file of its own"));
  // Sizes that overflow 64 bits.
  for (const std::string shape :
       {"(18446744073709551615, 4096)", "(4611686018427387904, 4)", "(1152921504606846976, 4)"}) {
    EXPECT_THAT(refused_header(npy_text("<f4", shape)), HasSubstr("cut short"));
  }
}

}  // namespace
}  // namespace warpdex::vector
