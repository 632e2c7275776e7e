# hob_add_plugin(name SOURCES files... [NATIVE] [VERIFY arguments...])
#
# Builds the plugin name.so as the host wants it: hob_plugin_main is its one exported symbol, nothing
# in it is shared with another plugin, and it is never unloaded. A stable plugin links nothing of hob;
# a NATIVE one is bound to the LibTorch that hob::native found. Further libraries are linked by
# target_link_libraries as usual. Where the program hob is at hand and BUILD_TESTING is on, the test
# verify.<name> runs hob's conformance suite over the file, with the arguments of VERIFY, such as
# --param path=... for a dataset.

function(hob_add_plugin name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "NATIVE" "" "SOURCES;VERIFY")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_SOURCES)
    message(FATAL_ERROR "hob_add_plugin(${name}): expected SOURCES with at least one file, and NATIVE "
                        "and VERIFY or nothing; found '${ARGN}'")
  endif()
  if(arg_NATIVE AND NOT TARGET hob::native)
    message(FATAL_ERROR "hob_add_plugin(${name} NATIVE): hob::native is missing; write "
                        "find_package(hob COMPONENTS native)")
  endif()

  set(map ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/hob_plugin.map)
  add_library(${name} MODULE ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE hob::sdk $<$<BOOL:${arg_NATIVE}>:hob::native>)
  target_compile_features(${name} PRIVATE cxx_std_20)
  set_target_properties(${name} PROPERTIES
    PREFIX ""
    CXX_EXTENSIONS OFF
    C_VISIBILITY_PRESET hidden
    CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON
    CUDA_VISIBILITY_PRESET hidden
    CUDA_RUNTIME_LIBRARY Shared  # LibTorch's: one CUDA runtime in the process
    LINK_DEPENDS ${map})
  # A symbol of GNU's unique kind would be shared between plugins that were loaded apart.
  target_compile_options(${name} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fno-gnu-unique>)
  target_link_options(${name} PRIVATE -Wl,--version-script=${map} -Wl,-z,defs
                                      -Wl,-z,nodelete)
  if(HOB_PLUGIN_OUTPUT_DIR)
    set_target_properties(${name} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${HOB_PLUGIN_OUTPUT_DIR})
  endif()

  if(BUILD_TESTING AND TARGET hob::hob)
    # The limit of each test is wide, for others may run at the same time.
    add_test(NAME verify.${name}
             COMMAND hob::hob verify $<TARGET_FILE:${name}> --timeout 120 ${arg_VERIFY})
    set_tests_properties(verify.${name} PROPERTIES LABELS verify)
  endif()
endfunction()
