# Libraries that run on an older glibc than this machine's (TRITON_GLIBC=2.28): they are linked with stubs of it, which have none of the newer versions of functions, and
# with shims for the few functions that are new.
set(TRITON_GLIBC "" CACHE STRING "the oldest glibc that the shared libraries are to run on, such as 2.28; empty: this machine's")

function(triton_use_glibc target)
  if(NOT TRITON_GLIBC)
    return()
  endif()
  set(stubs "${CMAKE_BINARY_DIR}/glibc-${TRITON_GLIBC}")
  if(NOT EXISTS "${stubs}/libc.so")
    find_package(Python REQUIRED COMPONENTS Interpreter)
    execute_process(COMMAND "${Python_EXECUTABLE}" "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../scripts/glibc_stubs.py" ${TRITON_GLIBC} "${stubs}" "${CMAKE_C_COMPILER}" -fuse-ld=lld
      COMMAND_ERROR_IS_FATAL ANY)
  endif()
  if(NOT TARGET TritonGlibcShims)
    add_library(TritonGlibcShims OBJECT "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/GlibcShims.c")
    target_compile_options(TritonGlibcShims PRIVATE -fPIC -fno-builtin)
  endif()
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:TritonGlibcShims>)
  target_link_options(${target} PRIVATE "-L${stubs}" -Wl,--push-state,--no-as-needed -lpthread -ldl -Wl,--pop-state)
endfunction()
