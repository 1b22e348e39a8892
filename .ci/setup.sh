# shellcheck shell=bash disable=SC2034,SC2154 # root and program are set, the package lists used, by the script that sources this
# Shared by ./ndtune and ./test: what must be installed, and how the program is built. Sourced by bash; messages go to stderr.

# The planner alone.
build_packages=(g++ cmake ninja-build libfmt-dev libexpected-dev nlohmann-json3-dev libtomlplusplus-dev libyaml-cpp-dev
    libcli11-dev libboost-graph-dev)
# Tests, benchmarks, sanitizers, fuzzing, format and lint.
test_packages=("${build_packages[@]}" ccache libgtest-dev libgmock-dev libbenchmark-dev librapidcheck-dev libvalijson-dev
    zsh fish clang-19 clang-format-19 clang-tidy-19 libclang-rt-19-dev)

say() { echo "[$program] $*" >&2; }

# require_packages NAME...: installs the Debian packages that are missing (root), or says how to and stops with 5.
require_packages() {
    command -v dpkg-query >/dev/null || return 0 # not Debian: CMake names what it does not find
    local package missing=()
    for package in "$@"; do
        [[ $(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) == installed ]] || missing+=("$package")
    done
    ((${#missing[@]})) || return 0
    if ((EUID != 0)); then
        say "these Debian packages are missing: ${missing[*]}. Hint: sudo apt-get install -y ${missing[*]}"
        exit 5
    fi
    say "installing Debian packages: ${missing[*]}"
    local log
    log=$(mktemp)
    if ! { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${missing[@]}"; } \
        >"$log" 2>&1 </dev/null; then
        cat "$log" >&2
        rm -f "$log"
        say "apt-get could not install: ${missing[*]} (its output is above). Hint: check the network and /etc/apt/sources.list"
        exit 5
    fi
    rm -f "$log"
}

# build_quietly FOLDER TARGET [CMAKE ARGUMENTS]: configures if needed and builds; the whole log is shown only on failure.
build_quietly() {
    local folder=$1 target=$2
    shift 2
    mkdir -p "$folder" || {
        say "cannot create the build folder (${folder}). Hint: make the source folder writable"
        exit 1
    }
    local log=$folder/build.log
    if ! { cmake -S "$root" -B "$folder" -G Ninja "$@" && cmake --build "$folder" --target "$target"; } \
        >"$log" 2>&1 </dev/null; then
        cat "$log" >&2
        say "the build failed (its log is above and in $log)"
        return 1
    fi
}
