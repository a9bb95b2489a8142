#!/bin/sh
# Installs {{.Name}} {{.Version}}: curl -fsSL {{.Download .Version "install.sh"}} | sh
# TO is the folder that it goes to (~/.local/bin); FROM where archives are fetched from, an address or a folder.
set -eu

version={{.Version}}
from=${FROM:-{{.Repository}}/releases/download/v$version}
to=${TO:-$HOME/.local/bin}

fail() {
	echo "install: $1" >&2
	exit 1
}

case $(uname -s) in
Linux) os=linux ;;
Darwin) os=darwin ;;
*) fail "no archive for $(uname -s); see {{.Homepage}}" ;;
esac
case $(uname -m) in
x86_64 | amd64) cpu=amd64 ;;
aarch64 | arm64) cpu=arm64 ;;
*) fail "no archive for $(uname -m); see {{.Homepage}}" ;;
esac
id=$os-$cpu
# What is not glibc has no such loader: there the static programs run.
if [ $os = linux ] && [ ! -e /lib64/ld-linux-x86-64.so.2 ] && [ ! -e /lib/ld-linux-aarch64.so.1 ]; then
	id=$id-musl
fi
archive={{.Name}}_${version}_$id.tar.gz

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

get() {
	case $from in
	http://* | https://*)
		if command -v curl >/dev/null; then
			curl -fsSL "$from/$1" -o "$tmp/$1"
		else
			wget -q "$from/$1" -O "$tmp/$1"
		fi
		;;
	*) cp "$from/$1" "$tmp/$1" ;;
	esac
}

get "$archive" || fail "$archive can't be fetched from $from"
get checksums.txt || fail "checksums.txt can't be fetched from $from"
sum=$(sha256sum "$tmp/$archive" 2>/dev/null || shasum -a 256 "$tmp/$archive")
grep -q "^${sum%% *}  $archive\$" "$tmp/checksums.txt" || fail "$archive is not what checksums.txt says"
tar -xzf "$tmp/$archive" -C "$tmp"
mkdir -p "$to"
# Renamed into place: a program that runs is not written over.
for program in manicule manicule-hook; do
	cp "$tmp/{{.Name}}_${version}_$id/$program" "$to/.$program.new"
	chmod 755 "$to/.$program.new"
	mv -f "$to/.$program.new" "$to/$program"
done
echo "manicule $version is in $to"
case :$PATH: in
*:"$to":*) ;;
*) echo "try: export PATH=\"$to:\$PATH\"" ;;
esac
