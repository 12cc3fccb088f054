#!/usr/bin/env bash
# Writes docs/pictures/cluster-cli.svg: real output of the real command on the lab's real engine, with one index that asks
# for more copies than there are nodes. Needs the lab (`npm run lab -- up engine`) and python3-venv.
set -euo pipefail
cd "$(dirname "$0")/.."
PATH="$PWD/node_modules/.bin:$PATH"
npm run --silent build
eval "$(npm run --silent lab -- env)"
cli=packages/cluster-cli/bin/cluster-cli.cjs
work=$(mktemp -d)
cleanup() {
  $cli --quiet api DELETE '/orders,logs-2026.11?ignore_unavailable=true' >/dev/null
  rm -rf "$work"
}
trap cleanup EXIT

make_index() { $cli api PUT "/$1" -d "{\"settings\": {\"number_of_shards\": $2, \"number_of_replicas\": $3}}" >/dev/null; }
make_index logs-2026.11 2 1
make_index orders 1 3
$cli api GET '/_cluster/health/logs-2026.11?wait_for_status=green&timeout=60s' >/dev/null
$cli api GET '/_cluster/health/orders?wait_for_active_shards=3&timeout=60s' >/dev/null

# `script` gives the command a terminal, so that it colours and fits its tables as it would for a person.
show() {
  printf '\033[1m$ cluster-cli %s\033[0m\n' "$*"
  script --quiet --return --command "stty cols 100; $cli $*" /dev/null || true
  echo
}
{
  show cluster health
  show cat nodes
  show cat shards --index "'orders,logs-*'" --sort state
} | tr -d '\r' >"$work/screen"

python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet rich==15.0.0
"$work/venv/bin/python" - "$work/screen" docs/pictures/cluster-cli.svg <<'PYTHON'
import re
import sys
from rich.console import Console
from rich.text import Text
screen, picture = sys.argv[1:]
console = Console(record=True, width=100, file=open("/dev/null", "w"), force_terminal=True)
console.print(Text.from_ansi(open(screen).read().rstrip()))
svg = console.export_svg(title="cluster-cli", unique_id="cluster-cli")
# No fonts from elsewhere: a picture in a README must not call out.
open(picture, "w").write(re.sub(r"@font-face \{.*?\}", "", svg, flags=re.S))
PYTHON
