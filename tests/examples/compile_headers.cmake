# A test: compiles every header that install_and_embed.cmake installed by itself, with the plain C++
# compiler.
set(work ${WARPDEX_BUILD}/install-test)
set(prefix ${work}/prefix)

include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

file(GLOB_RECURSE headers RELATIVE ${prefix}/include ${prefix}/include/*.hpp)
list(LENGTH headers count)
if(count LESS 10)
  message(FATAL_ERROR "only ${count} headers were installed")
endif()
set(sources "")
foreach(header IN LISTS headers)
  string(MAKE_C_IDENTIFIER ${header} name)
  file(WRITE ${work}/headers/${name}.cpp "#include <${header}>\n#include <${header}>\n")
  string(APPEND sources " ${name}.cpp")
endforeach()
file(WRITE ${work}/headers/CMakeLists.txt
  "cmake_minimum_required(VERSION 3.25)\nproject(headers LANGUAGES CXX)\n"
  "find_package(warpdex REQUIRED)\nadd_library(headers OBJECT${sources})\n"
  "target_link_libraries(headers PRIVATE warpdex::warpdex)\n"
  "target_compile_options(headers PRIVATE -Wall -Wextra -Werror -fsyntax-only)\n")
run("configuring the headers" ${CMAKE_COMMAND} -S ${work}/headers -B ${work}/headers/build
    -G ${GENERATOR} -D CMAKE_PREFIX_PATH=${prefix} -D CMAKE_CXX_COMPILER=${CXX})
run("compiling each header alone" ${CMAKE_COMMAND} --build ${work}/headers/build --parallel 2)
message(STATUS "compiled ${count} headers alone")
