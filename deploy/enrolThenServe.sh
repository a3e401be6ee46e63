#!/bin/sh
# A hospital in a container. The first start enrols with the invitation token, given as a file; the arguments are those of
# `consilium site enroll`, such as --table patients=/data/patients.parquet; CONSILIUM_CSV_HEADER=yes adds --csv-header,
# which says that the first row of CSV tables holds the column names. Later starts only serve: what was enrolled is in
# config.yaml in the state folder, and belongs to the hospital. Only `listen`, where the pages are, follows
# CONSILIUM_CONSOLE at every start, where that is set, and the tables follow /config/tables.yaml, if that file is mounted:
# CONSILIUM_TABLES names another. CONSILIUM_TABLE=patients=/data/patients.parquet adds that --table to the first start.
#
# With --agent-only before those arguments the agent runs alone: the console in a container of its own asks it over
# /run/consilium/agent.sock, and a container of another user reads its tables, if CONSILIUM_DOOR names that one's socket. Otherwise all
# runs here, as one user.
set -eu

only=""
if [ "${1:-}" = --agent-only ]; then
  only=agent
  shift
fi

identity() {
  for chain in "$CONSILIUM_HOME"/sites/*/identity/chain.pem; do
    if [ -f "$chain" ]; then
      dirname "$(dirname "$chain")"
      return
    fi
  done
}

if [ -z "$(identity)" ]; then
  token="${CONSILIUM_INVITATION:-/invitation/token}"
  if [ ! -f "$token" ]; then
    echo "This hospital has not enrolled yet, and there is no invitation token $token. Ask the federation's operator" \
      "for one (consilium invite), and mount it there." >&2
    exit 1
  fi
  if [ "${CONSILIUM_CSV_HEADER:-}" = yes ]; then set -- --csv-header "$@"; fi
  if [ -n "${CONSILIUM_TABLE:-}" ]; then set -- --table "$CONSILIUM_TABLE" "$@"; fi
  consilium site enroll --token-file "$token" "$@"
fi
tables="${CONSILIUM_TABLES:-/config/tables.yaml}"
if [ -f "$tables" ]; then consilium site table set "$tables" --state "$(identity)"; fi
if [ "$only" = agent ]; then
  # Without a door, as in compose files of before, the agent's own user reads the tables.
  exec node /app/site-agent/dist/main.js --state "$(identity)" --socket /run/consilium/agent.sock \
    ${CONSILIUM_DOOR:+--tables "$CONSILIUM_DOOR"}
fi
# In a container the pages' port is published from all of its interfaces, and may be another one than before.
if [ -n "${CONSILIUM_CONSOLE:-}" ]; then
  sed -i "s/^\( *listen:\).*/\1 \"$CONSILIUM_CONSOLE\"/" "$(identity)/config.yaml"
fi
exec consilium serve site --state "$(identity)"
