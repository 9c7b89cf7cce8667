# A test: compiles every header that install_and_embed.cmake installed, with the plain C++ compiler.
# Before a header stand only headers that it includes itself, so each compiles alone, too.
cmake_minimum_required(VERSION 3.25)
set(work ${WARPDEX_BUILD}/install-test)
set(prefix ${work}/prefix)

include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

file(GLOB_RECURSE headers RELATIVE ${prefix}/include ${prefix}/include/*.hpp)
list(LENGTH headers count)
if(count LESS 10)
  message(FATAL_ERROR "only ${count} headers were installed")
endif()
set(included "")
foreach(header IN LISTS headers)
  file(STRINGS ${prefix}/include/${header} includes REGEX "^#include \"")
  list(TRANSFORM includes REPLACE "^#include \"([^\"]+)\".*" "\\1")
  set(includes_of_${header} ${includes})
  list(APPEND included ${includes})
endforeach()

# A file takes a header of those that are left, one that it includes, one that this includes, and so
# on; headers that no other includes come first. That makes 66 files of 124 headers, of which the
# standard library's take most of the time.
set(left ${headers})
list(REMOVE_ITEM left ${included})
list(APPEND left ${headers})
list(REMOVE_DUPLICATES left)
set(sources "")
while(left)
  list(GET left 0 header)
  string(MAKE_C_IDENTIFIER ${header} name)
  set(text "")
  while(header)
    list(REMOVE_ITEM left ${header})
    string(PREPEND text "#include <${header}>\n#include <${header}>\n")
    set(following ${includes_of_${header}})
    set(header "")
    foreach(include IN LISTS following)
      if(include IN_LIST left)
        set(header ${include})
        break()
      endif()
    endforeach()
  endwhile()
  file(WRITE ${work}/headers/${name}.cpp "${text}")
  string(APPEND sources " ${name}.cpp")
endwhile()
file(WRITE ${work}/headers/CMakeLists.txt
  "cmake_minimum_required(VERSION 3.25)\nproject(headers LANGUAGES CXX)\n"
  "find_package(warpdex REQUIRED)\nadd_library(headers OBJECT${sources})\n"
  "target_link_libraries(headers PRIVATE warpdex::warpdex)\n"
  "target_compile_options(headers PRIVATE -Wall -Wextra -Werror -fsyntax-only)\n")
run("configuring the headers" ${CMAKE_COMMAND} -S ${work}/headers -B ${work}/headers/build
    -G ${GENERATOR} -D CMAKE_PREFIX_PATH=${prefix} -D CMAKE_CXX_COMPILER=${CXX})
run("compiling each header alone" ${CMAKE_COMMAND} --build ${work}/headers/build --parallel 2)
message(STATUS "compiled ${count} headers alone")
