# Libraries from the system's packages; tools/install-packages lists the packages by name. What the
# installed libraries need is looked for once more by warpdexConfig.cmake.in.
find_package(Threads REQUIRED)
find_package(Boost 1.74 REQUIRED CONFIG COMPONENTS program_options)
find_package(ICU 67 REQUIRED COMPONENTS uc)
find_path(STEMMER_INCLUDE_DIR libstemmer.h)
find_library(STEMMER_LIBRARY stemmer)
if(NOT STEMMER_INCLUDE_DIR OR NOT STEMMER_LIBRARY)
  message(FATAL_ERROR "Warpdex needs libstemmer: install the package libstemmer-dev.")
endif()
find_path(STOP_WORDS_FOLDER Lingua/StopWords/DE.pm PATHS /usr/share/perl5)  # a Perl module, read as text
if(NOT STOP_WORDS_FOLDER)
  message(FATAL_ERROR "Warpdex needs lists of stop words: install the package liblingua-stopwords-perl.")
endif()
find_package(ZLIB REQUIRED)
find_package(LibLZMA REQUIRED)
find_package(LibXml2 REQUIRED)  # documents of HTML
find_package(PkgConfig REQUIRED)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(XXHASH REQUIRED IMPORTED_TARGET libxxhash)
pkg_search_module(HDF5 REQUIRED IMPORTED_TARGET hdf5-serial>=1.10.7 hdf5>=1.10.7)  # vectors in HDF5 files
find_package(Protobuf REQUIRED)  # CIFF, an exchange format; protoc makes its messages
if(NOT TARGET protobuf::protoc)
  message(FATAL_ERROR "Warpdex needs protoc: install the package protobuf-compiler.")
endif()
find_path(RAPIDJSON_INCLUDE_DIR rapidjson/reader.h REQUIRED)
find_package(TBB 2021 QUIET CONFIG COMPONENTS tbb)  # threads of vector search, and of GPU batches
if(NOT TBB_FOUND)
  message(FATAL_ERROR "Warpdex needs oneTBB 2021 or later: install the package libtbb-dev.")
endif()
find_package(Eigen3 3.3 QUIET CONFIG)  # singular values, for rotations of vectors
if(NOT Eigen3_FOUND)
  message(FATAL_ERROR "Warpdex needs Eigen 3.3 or later: install the package libeigen3-dev.")
endif()
if(WARPDEX_CUDA)
  find_package(CUDAToolkit REQUIRED)
endif()
