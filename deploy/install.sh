#!/bin/sh
# Installs Consilium from the folder that this script is in, without network: docs/OPERATING.md, "A machine without network".
#   ./install.sh [--to /opt/consilium] [--check] [--no-units]
# --check only verifies the files; --no-units leaves systemd and /usr/local/bin alone.
set -eu
umask 022
here="$(cd "$(dirname "$0")" && pwd -P)"
to=/opt/consilium
check=no
units=yes
fail() {
  echo "install.sh: $*" >&2
  exit 1
}
while [ $# -gt 0 ]; do
  case "$1" in
    --to) [ $# -gt 1 ] || fail "--to needs a folder"; to="$2"; shift 2 ;;
    --check) check=yes; shift ;;
    --no-units) units=no; shift ;;
    *) fail "unknown option $1: --to <folder>, --check, --no-units" ;;
  esac
done
case "$to" in /*[!/]*) ;; *) fail "--to takes an absolute path, got $to" ;; esac

# Every file and link as it was made, and none beside them.
cd "$here"
listed="$(sed 's/^[0-9a-f]*  //' SHA256SUMS)"
found="$(find . -type f ! -path ./SHA256SUMS | LC_ALL=C sort)"
[ "$found" = "$listed" ] || fail "the folder holds files that SHA256SUMS does not list, or lacks some: extract the bundle into an empty folder"
[ "$(find . -type l -printf '%p -> %l\n' | LC_ALL=C sort)" = "$(cat SYMLINKS)" ] || fail "symbolic links differ from SYMLINKS: extract the bundle into an empty folder"
sha256sum --check --strict --quiet SHA256SUMS >&2 || fail "files differ from SHA256SUMS: copy the bundle again"
echo "Verified $(echo "$listed" | wc -l) files."
[ "$check" = no ] || exit 0

platform="$(cat PLATFORM)"
if [ -x node/bin/node ]; then node="$here/node/bin/node"; else node="$(command -v node || true)"; fi
[ -n "$node" ] || fail "no Node on this machine, and none in the bundle: install Node 20.19 or later, or make the bundle with --node"
"$node" -e '
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major < 20 || (major === 20 && minor < 19)) { console.error(`this is Node ${process.versions.node}`); process.exit(1); }
  const libc = process.report.getReport().header.glibcVersionRuntime === undefined ? "-musl" : "";
  const here = `${process.platform}-${process.arch}${libc}`;
  if (here !== process.argv[1]) { console.error(`the bundle is for ${process.argv[1]}, this machine is ${here}`); process.exit(1); }
' "$platform" || fail "Node 20.19 or later on $platform is needed"

mkdir -p "$(dirname "$to")"
rm -rf "$to.new"
cp -R app "$to.new"
cp SHA256SUMS sbom.cdx.json "$to.new/"
if [ -x node/bin/node ]; then
  cp -R node "$to.new/node"
  # The units and the command use it.
  sed -i "s#/usr/bin/node#$to/node/bin/node#" "$to.new"/deploy/systemd/*.service
fi
[ "$to" = /opt/consilium ] || sed -i "s#/opt/consilium#$to#" "$to.new"/deploy/systemd/*.service
# A downgrade moves it back; the state folders must be of that version's backup.
if [ -e "$to" ]; then
  rm -rf "$to.previous"
  mv "$to" "$to.previous"
fi
mv "$to.new" "$to"
echo "Installed in $to."

[ "$units" = yes ] || exit 0
if [ -x "$to/node/bin/node" ]; then
  printf '#!/bin/sh\nexec %s %s "$@"\n' "$to/node/bin/node" "$to/cli/dist/main.js" > /usr/local/bin/consilium
  chmod 0755 /usr/local/bin/consilium
else
  ln -sfn "$to/cli/dist/main.js" /usr/local/bin/consilium
fi
if [ -d /run/systemd/system ]; then
  install -m 0644 "$to/deploy/systemd/consilium.sysusers.conf" /usr/lib/sysusers.d/consilium.conf
  systemd-sysusers
  install -d -m 0700 -o consilium -g consilium /var/lib/consilium
  install -m 0644 "$to"/deploy/systemd/*.service "$to"/deploy/systemd/*.timer /etc/systemd/system/
  systemctl daemon-reload
  echo "Installed the units of systemd; none was started. $to/deploy/systemd/README.md has the next steps."
fi
