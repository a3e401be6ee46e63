#!/bin/sh
# Makes a base image of Debian's packages and this machine's Node and npm, where none can be pulled. As root, with debootstrap and
# podman:
#   scripts/baseImage.sh consilium-base
#   podman build --build-arg NODE_IMAGE=localhost/consilium-base --file site-agent/Dockerfile --tag consilium-site-agent:0.1.0 .
# Docker takes what Podman has built: podman save <image> | docker load.
set -eu
name="${1:?usage: scripts/baseImage.sh <name of the image>}"
scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT

debootstrap --variant=minbase --include=ca-certificates,libstdc++6 bookworm "$scratch/root"
local="$scratch/root/usr/local"
install -m 0755 "$(readlink -f "$(command -v node)")" "$local/bin/node"
mkdir -p "$local/lib/node_modules"
cp -a "$(dirname "$(dirname "$(readlink -f "$(command -v npm)")")")" "$local/lib/node_modules/npm"
ln -s ../lib/node_modules/npm/bin/npm-cli.js "$local/bin/npm"
chroot "$scratch/root" /usr/local/bin/node --version
tar -C "$scratch/root" -c . |
  podman import --change 'ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' - "localhost/$name"
