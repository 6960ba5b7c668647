# Sourced by the scripts beside it: where things are, and how to say what is going on.
#   step TEXT       a heading, with the seconds since the script began
#   fail TEXT       one line that says what is wrong; ends the script
#   shown LOG CMD…  runs CMD, indents what it prints, keeps a copy in LOG
set -euo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
VENV=${TRITON_VENV:-$ROOT/.venv}
BUILD=${TRITON_BUILD:-$ROOT/build}
LOGS=$BUILD/logs
mkdir -p "$LOGS"
# Python code of the tree, with the extension of this build.
export TRITON_BUILD=$BUILD PYTHONPATH=$ROOT/python${PYTHONPATH:+:$PYTHONPATH}
# NVIDIA's assembler as scripts/setup installs it, behind one of the machine's own.
for tools in "$VENV"/lib/python3*/site-packages/nvidia/cu*/bin; do
  [ ! -x "$tools/ptxas" ] || export PATH=$PATH:$tools
done

step() { printf '\033[1m==> [%3ds] %s\033[0m\n' "$SECONDS" "$*" | if [ -t 1 ]; then cat; else sed 's/\x1b\[[0-9]*m//g'; fi; }
fail() {
  printf '%s: error: %s\n' "$(basename "$0")" "$*" >&2
  exit 1
}
shown() {
  local log=$1
  shift
  "$@" 2>&1 | tee "$log" | sed -u 's/^/    /'
}
