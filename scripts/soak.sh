#!/usr/bin/env bash
# The long forms with their figures; not in CI. Write what it prints, with the commit, into docs/performance.md.
set -uo pipefail
cd "$(dirname "$0")/.."
export PATH="$PWD/node_modules/.bin:$PATH"
failed=0
run() {
  echo && echo "=== $*"
  "$@" || failed=1
}

run npm run --silent build
run npm run --silent histories --workspace @muster/model
run npm run --silent bench --workspace @muster/model
run node bench/wire.ts

run npm run --silent lab -- up engine aws
run node bench/cli.ts

# The same tests on the older engine: another version needs other data.
run npm run --silent lab -- down engine --wipe
run npm run --silent lab -- up engine --es-version 8.19.8
run vitest run --project engine
run npm run --silent lab -- down engine --wipe
exit $failed
