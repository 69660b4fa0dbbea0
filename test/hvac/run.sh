#!/usr/bin/env bash
# Runs the official Python client of such servers against this one. Needs Python 3 with venv and its package index.
set -euo pipefail
cd "$(dirname "$0")/../.."

command -v python3 >/dev/null || { echo "test:hvac needs python3 on PATH" >&2; exit 1; }
work=$(mktemp -d)
server=
cleanup() {
  if [[ -n $server ]]; then kill "$server" 2>/dev/null || true; wait "$server" 2>/dev/null || true; fi
  rm -rf "$work"
}
trap cleanup EXIT

python3 -m venv "$work/venv" || { echo "test:hvac needs the venv module of python3" >&2; exit 1; }
"$work/venv/bin/pip" install --quiet --disable-pip-version-check hvac==2.4.0 ||
  { echo "test:hvac needs the Python package index for hvac 2.4.0" >&2; exit 1; }

node dist/cli.js server --dev --simulator --dialect vault --mount azure --listen 127.0.0.1:0 --root-token root \
  >"$work/out" 2>"$work/log" &
server=$!
for _ in $(seq 100); do
  grep -q '^server ready' "$work/out" && break
  kill -0 "$server" 2>/dev/null || { cat "$work/log" >&2; exit 1; }
  sleep 0.1
done
grep -q '^server ready' "$work/out" || { echo "the server is not ready after 10 seconds" >&2; cat "$work/log" >&2; exit 1; }
"$work/venv/bin/python" test/hvac/client.py "$work/out"
