#!/bin/sh
# Makes the federation in docker-compose.yml's volumes, once. What an operator needs goes into a volume of its own
# (/operator): the token, where the servers are, and the root certificate, but no server's key and no root key.
set -eu
umask 077

if [ -f /operator/authority/root.pem ]; then
  echo "The federation is there already."
  exit 0
fi
if [ ! -f "$CONSILIUM_HOME/authority/root-key.pem" ]; then
  consilium init --name demo --aggregator-host aggregator --publisher-host publisher \
    --http-listen 0.0.0.0 --public-url http://localhost:7081 --json
  echo "Made the federation. Its root key is in the volume \`authority\`: for anything but a trial, take it away."
fi
mkdir -p /operator/aggregator /operator/publisher /operator/authority
cp "$CONSILIUM_HOME/aggregator/operator-token" /operator/aggregator/operator-token
printf '# Where the operator'\''s command finds the aggregator.\nlisten:\n  http: aggregator:7080\n' \
  > /operator/aggregator/config.yaml
printf '# Where the operator'\''s command finds the publisher.\nlisten:\n  http: publisher:7081\n' \
  > /operator/publisher/config.yaml
# Last: it says that all of this is done.
cp "$CONSILIUM_HOME/authority/root.pem" /operator/authority/root.pem.part
mv /operator/authority/root.pem.part /operator/authority/root.pem
