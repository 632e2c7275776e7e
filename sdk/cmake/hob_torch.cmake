# hob_find_torch([CUDA])
#
# Finds LibTorch and makes the target hob::torch; with CUDA, hob::torch_cuda as well. LibTorch's own
# package fails where no CUDA toolkit is, although its libraries run there, so these targets are ours.
#
# Looks in Torch_DIR (the folder of TorchConfig.cmake), then CMAKE_PREFIX_PATH, then HOB_TORCH_HINT.
# Sets HOB_TORCH_FOUND, and HOB_TORCH_PROBLEM (what was looked for, what to do) where it is false;
# HOB_TORCH_ROOT, HOB_TORCH_VERSION, HOB_TORCH_GIT and HOB_TORCH_CUDA_VERSION (empty without CUDA).

set(HOB_TORCH_MINIMUM 2.11)

# Reads {"KEY", "value"} from the list of build settings in caffe2/core/macros.h.
function(hob_torch_setting lines key out)
  set(value "")
  if("${lines}" MATCHES "\"${key}\", \"([^\"]*)\"")
    set(value "${CMAKE_MATCH_1}")
  endif()
  set(${out} "${value}" PARENT_SCOPE)
endfunction()

function(hob_torch_library target file)
  if(TARGET ${target})
    return()
  endif()
  add_library(${target} SHARED IMPORTED GLOBAL)
  set_target_properties(${target} PROPERTIES IMPORTED_LOCATION ${file})
endfunction()

macro(hob_find_torch_problem text)
  set(HOB_TORCH_FOUND FALSE PARENT_SCOPE)
  set(HOB_TORCH_PROBLEM "${text}" PARENT_SCOPE)
  return()
endmacro()

function(hob_find_torch)
  cmake_parse_arguments(PARSE_ARGV 0 arg "CUDA" "" "")
  set(advice "run scripts/setup, or name another LibTorch >= ${HOB_TORCH_MINIMUM} by Torch_DIR (the \
folder of its TorchConfig.cmake) or CMAKE_PREFIX_PATH")

  set(places ${HOB_TORCH_HINT})
  if(Torch_DIR)
    set(places ${Torch_DIR}/../../..)
    set(only NO_DEFAULT_PATH)
  endif()
  # Not kept in the cache: a changed Torch_DIR or a new .venv must not meet an old answer.
  find_path(root include/torch/headeronly/version.h HINTS ${CMAKE_PREFIX_PATH} ENV CMAKE_PREFIX_PATH
            ${places} NO_CACHE ${only})
  if(NOT root)
    hob_find_torch_problem("LibTorch was not found (looked for include/torch/headeronly/version.h in \
'${CMAKE_PREFIX_PATH}' and '${places}'): ${advice}")
  endif()
  get_filename_component(root ${root} REALPATH)

  file(STRINGS ${root}/include/torch/headeronly/version.h lines REGEX "define TORCH_VERSION_[A-Z]+ ")
  string(REGEX REPLACE ".*MAJOR ([0-9]+).*MINOR ([0-9]+).*PATCH ([0-9]+).*" "\\1.\\2.\\3" version
         "${lines}")
  if(version VERSION_LESS HOB_TORCH_MINIMUM)
    hob_find_torch_problem("${root} is LibTorch ${version}, and hob needs at least \
${HOB_TORCH_MINIMUM}: ${advice}")
  endif()

  set(names c10 torch_cpu)
  if(arg_CUDA)
    list(APPEND names c10_cuda torch_cuda)
  endif()
  foreach(name IN LISTS names)
    set(file ${root}/lib/lib${name}.so)
    if(NOT EXISTS ${file})
      hob_find_torch_problem("LibTorch in ${root} lacks lib/lib${name}.so: install it again, or \
${advice}")
    endif()
    hob_torch_library(hob::${name} ${file})
  endforeach()

  # std::string's name in c10's symbols tells the ABI that LibTorch was compiled with.
  file(STRINGS ${root}/lib/libc10.so symbols LIMIT_COUNT 1 REGEX "__cxx1112basic_string")
  if(NOT symbols)
    hob_find_torch_problem("LibTorch in ${root} has the old C++ ABI (_GLIBCXX_USE_CXX11_ABI=0), and \
hob is built with the new one: ${advice}")
  endif()

  if(NOT TARGET hob::torch)
    add_library(hob::torch INTERFACE IMPORTED GLOBAL)
    target_include_directories(hob::torch SYSTEM INTERFACE
                               ${root}/include ${root}/include/torch/csrc/api/include)
    target_link_libraries(hob::torch INTERFACE hob::torch_cpu hob::c10)
  endif()
  if(arg_CUDA AND NOT TARGET hob::torch_with_cuda)
    find_package(CUDAToolkit REQUIRED)
    add_library(hob::torch_with_cuda INTERFACE IMPORTED GLOBAL)
    target_link_libraries(hob::torch_with_cuda INTERFACE hob::torch hob::torch_cuda hob::c10_cuda
                                                         CUDA::cudart)
  endif()

  file(STRINGS ${root}/include/caffe2/core/macros.h settings REGEX "COMMIT_SHA|CUDA_VERSION")
  hob_torch_setting("${settings}" COMMIT_SHA git)
  hob_torch_setting("${settings}" CUDA_VERSION cuda)
  # Which build this is: a native plugin writes it into its descriptor, and hob compares.
  set_property(TARGET hob::torch PROPERTY INTERFACE_COMPILE_DEFINITIONS
               "HOB_TORCH_VERSION=\"${version}\"" "HOB_TORCH_GIT=\"${git}\""
               "HOB_TORCH_CUDA=\"${cuda}\"")
  set(HOB_TORCH_FOUND TRUE PARENT_SCOPE)
  set(HOB_TORCH_ROOT ${root} PARENT_SCOPE)
  set(HOB_TORCH_VERSION ${version} PARENT_SCOPE)
  set(HOB_TORCH_GIT "${git}" PARENT_SCOPE)
  set(HOB_TORCH_CUDA_VERSION "${cuda}" PARENT_SCOPE)
endfunction()
