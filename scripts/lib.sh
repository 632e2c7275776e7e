# shellcheck shell=bash
# What the scripts share: sourced, never run.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root" || exit 1
export PATH="$root/.venv/bin:$PATH"    # CMake and Ninja, where scripts/setup had to bring them
export CCACHE_BASEDIR="$root"          # another checkout of the same text finds the same objects

say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }
fail() {
  say "$*"
  exit 1
}

# How many compilers run at once: a file with LibTorch's headers takes 2 GB.
jobs() {
  local cores memory_kb limit
  cores=$(nproc)
  memory_kb=$(awk '/^MemAvailable:/ {print $2}' /proc/meminfo)
  limit=$(cat /sys/fs/cgroup/memory.max 2>/dev/null || echo max)
  if [[ $limit != max ]] && ((limit / 1024 < memory_kb)); then
    memory_kb=$((limit / 1024))
  fi
  local by_memory=$((memory_kb / (2 * 1024 * 1024)))
  local n=$((by_memory < cores ? by_memory : cores))
  echo $((n < 1 ? 1 : n))
}

# configure PRESET: HOB_CMAKE_ARGS holds further arguments, separated by spaces.
configure() {
  # shellcheck disable=SC2086
  cmake --preset "$1" ${HOB_CMAKE_ARGS:-} ||
    fail "CMake could not configure the preset '$1': see its message above"
}

# build PRESET [TARGET...]
build() {
  local preset=$1 targets=()
  shift
  if (($#)); then targets=(--target "$@"); fi
  cmake --build --preset "$preset" -j "$(jobs)" "${targets[@]}" ||
    fail "the preset '$preset' does not build: see the compiler's message above"
}
