#!/usr/bin/env bash
# run-release.sh: makes a snapshot release twice, from two folders, compares them, and runs it: Linux here and in a chroot of
# a fresh Debian and an empty one, arm64 under qemu, Windows under wine, the packages (run-installs.sh), that of npm. It installs what
# that takes (Debian). Half an hour on two cores.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/../.."
version=$(sed -n 's/^var Version = "\([0-9.]*\).*/\1/p' cmd/internal/release/release.go)
apt-get install -y -q --no-install-recommends qemu-user-static libc6-arm64-cross wine wine64 gcc-mingw-w64-x86-64 debootstrap unzip minisign >/dev/null
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

step() { printf '\n== %s (%ds)\n' "$*" "$SECONDS"; }

step "two releases of one commit, from two folders"
go run aead.dev/minisign/cmd/minisign@v0.3.0 -G -W -p "$tmp/key.pub" -s "$tmp/key" >/dev/null
for folder in one two/deeper; do
	git clone -q . "$tmp/$folder"
	make -s -C "$tmp/$folder" release VERSION="$version" SNAPSHOT=1 KEY="$tmp/key"
done
dist=$tmp/one/dist
diff -r "$dist" "$tmp/two/deeper/dist"
(cd "$dist" && sha256sum --quiet -c checksums.txt)
minisign -V -p "$tmp/key.pub" -m "$dist/checksums.txt" # another implementation than the one that signed
name=$(basename "$dist"/manicule_*_linux-amd64.tar.gz _linux-amd64.tar.gz)
flow() { node extensions/testing/release-flow.mjs --archive "$dist/${name}_$1" "${@:2}"; }

step "linux-amd64"
flow linux-amd64

step "linux-amd64-musl, and in an empty chroot"
flow linux-amd64-musl
mkdir -p "$tmp/empty/tmp" "$tmp/empty/w"
tar -xzf "$dist/${name}_linux-amd64-musl.tar.gz" -C "$tmp/empty" --strip-components=1
printf 'package a\n\nfunc F() {}\n' >"$tmp/empty/w/a.go"
HOME=/tmp chroot "$tmp/empty" /manicule --root /w init
HOME=/tmp chroot "$tmp/empty" /manicule --root /w remember "x is y here" --type gotcha --at 'a.go#F'

for id in linux-arm64 linux-arm64-musl; do
	step "$id under qemu"
	flow $id --runner "qemu-aarch64-static -L /usr/aarch64-linux-gnu"
done

step "windows-amd64 under wine"
export WINEPREFIX=$tmp/wine WINEDEBUG=-all
wineboot -i
if [ ! -e "$WINEPREFIX/drive_c/windows/system32/bcryptprimitives.dll" ]; then
	x86_64-w64-mingw32-gcc -shared -O2 -o "$WINEPREFIX/drive_c/windows/system32/bcryptprimitives.dll" extensions/testing/wine/bcryptprimitives.c -ladvapi32
fi
flow windows-amd64 --windows --runner wine

step "a fresh Debian: one line, and the package"
debootstrap --variant=minbase bookworm "$tmp/debian" >/dev/null
cp "$dist"/manicule_*_amd64.deb "$dist/${name}_linux-amd64.tar.gz" "$dist/install.sh" "$dist/checksums.txt" "$tmp/debian/tmp/"
cp extensions/testing/fresh.sh "$tmp/debian/tmp/"
chroot "$tmp/debian" sh /tmp/fresh.sh

step "the packages, by their managers"
extensions/testing/run-installs.sh "$dist"

step "npm"
mkdir "$tmp/npm" && cd "$tmp/npm" && npm init -y >/dev/null
npm install --no-audit --no-fund --omit=optional "$dist"/npm/manicule-linux-x64-[0-9]*.tgz "$dist"/npm/manicule-[0-9]*.tgz
npx --no-install manicule version
echo '{}' | npx --no-install manicule-hook claude-code
echo "all passed in ${SECONDS}s"
