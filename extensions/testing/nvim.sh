#!/usr/bin/env bash
# nvim.sh VERSION: prints the path of a Neovim of that version (0.10 or 0.12).
#
# Debian 12's own Neovim is too old for the plugin, so the packages of a newer
# suite are unpacked, with everything that they need, into a cache folder.
# Nothing is installed on the system and no root is needed: apt-get runs on a
# private state. The programs' ELF interpreter and library path are pointed
# into that folder, so that the language servers that they start keep using
# the machine's own libraries. (Starting nvim through "ld.so --library-path"
# would not do: its terminal part re-executes /proc/self/exe.)
#
#   MANICULE_TOOLS   cache folder; default ${XDG_CACHE_HOME:-$HOME/.cache}/manicule-tools
#   NVIM_0_10, NVIM_0_12   use this binary instead
#
# Exit codes: 0 the path is on standard output; 2 wrong usage; 3 not possible here.
set -euo pipefail

tools=${MANICULE_TOOLS:-${XDG_CACHE_HOME:-$HOME/.cache}/manicule-tools}

cannot() {
	echo "nvim.sh: cannot get Neovim $version: $*" >&2
	echo "nvim.sh: install it yourself and name it in NVIM_${version/./_}" >&2
	exit 3
}

# suite_of prints the Debian suite that carries a version.
suite_of() {
	case $1 in
	0.10) echo trixie ;;
	0.12) echo forky ;;
	*) return 1 ;;
	esac
}

# is_version tells whether a binary runs and is of the wanted version.
is_version() {
	[ -x "$1" ] && "$1" --version 2>/dev/null | head -n 1 | grep -q "^NVIM v${version//./\\.}\."
}

# mirror prints the Debian mirror that this machine already uses.
mirror() {
	local found
	found=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null |
		grep -oE 'https?://[^ ]+/debian/?( |$)' | head -n 1 | tr -d ' ') || true
	echo "${found:-http://deb.debian.org/debian}"
}

# private_apt SUITE DIR ARG...: apt-get of a suite with its state in DIR.
private_apt() {
	local suite=$1 state=$2
	shift 2
	mkdir -p "$state/lists/partial" "$state/archives/partial" "$state/etc"
	: >"$state/status"
	echo "deb [signed-by=$keyring] $(mirror) $suite main" >"$state/etc/sources.list"
	apt-get -qq \
		-o Dir::State="$state" -o Dir::State::status="$state/status" \
		-o Dir::Cache="$state" -o Dir::Cache::archives="$state/archives" \
		-o Dir::Etc::sourcelist="$state/etc/sources.list" \
		-o Dir::Etc::sourceparts=/dev/null -o Dir::Etc::preferencesparts=/dev/null \
		-o APT::Install-Recommends=false -o APT::Sandbox::User= \
		-o APT::Get::List-Cleanup=false -o Debug::NoLocking=true \
		-o Acquire::Languages=none -o Acquire::Retries=3 "$@" >&2
}

# unpack SUITE DIR PACKAGE: a package and its dependencies, unpacked into DIR.
unpack() {
	local suite=$1 dir=$2 package=$3 state deb
	state=$(mktemp -d)
	private_apt "$suite" "$state" update || cannot "apt-get update of $suite does not work"
	private_apt "$suite" "$state" -y --download-only install "$package" ||
		cannot "apt-get cannot download $package of $suite"
	mkdir -p "$dir"
	for deb in "$state"/archives/*.deb; do
		dpkg-deb --fsys-tarfile "$deb" | tar -x -C "$dir" --keep-directory-symlink \
			--exclude=./usr/share/doc --exclude=./usr/share/man \
			--exclude=./usr/share/locale --exclude=./usr/share/i18n
	done
	rm -rf "$state"
}

# patchelf_path prints a patchelf: the machine's, or one of its own suite in the cache.
patchelf_path() {
	local own
	if command -v patchelf; then return; fi
	own=$tools/patchelf
	if [ ! -x "$own/usr/bin/patchelf" ]; then
		# shellcheck disable=SC1091
		unpack "$(. /etc/os-release && echo "$VERSION_CODENAME")" "$own" patchelf
	fi
	echo "$own/usr/bin/patchelf"
}

# relocate FROM TO: makes the programs in FROM run when the folder is named TO.
relocate() {
	local from=$1 to=$2 patchelf loader libs program
	patchelf=$(patchelf_path)
	loader=$(cd "$from" && find . -name 'ld-linux-*.so.*' \( -type f -o -type l \) | sort | head -n 1)
	[ -n "$loader" ] || cannot "the packages hold no dynamic loader"
	libs=$(cd "$from" && find . -name 'libc.so.6' -printf '%h\n' | sort -u | sed "s#^\.#$to#" | paste -sd:)
	find "$from/usr/bin" -maxdepth 1 -type f | while read -r program; do
		"$patchelf" --print-interpreter "$program" >/dev/null 2>&1 || continue
		"$patchelf" --set-interpreter "$to/${loader#./}" --force-rpath --set-rpath "$libs" "$program"
	done
}

version=${1:-}
suite=$(suite_of "$version") || {
	echo "usage: nvim.sh 0.10|0.12" >&2
	exit 2
}

given=NVIM_${version/./_}
if [ -n "${!given:-}" ]; then
	is_version "${!given}" || cannot "$given=${!given} is not that version"
	echo "${!given}"
	exit 0
fi

dir=$tools/nvim-$version
nvim=$dir/usr/bin/nvim
if is_version "$nvim"; then
	echo "$nvim"
	exit 0
fi

for program in apt-get dpkg-deb tar flock; do
	command -v "$program" >/dev/null || cannot "$program is not on this machine (Debian or Ubuntu is needed)"
done
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
[ -r "$keyring" ] || cannot "$keyring is missing (package debian-archive-keyring)"

mkdir -p "$tools"
exec 9>"$tools/.lock"
flock 9 # a second test run waits for the first one's download
if ! is_version "$nvim"; then
	rm -rf "$dir" "$dir.new"
	unpack "$suite" "$dir.new" neovim
	relocate "$dir.new" "$dir"
	mv "$dir.new" "$dir"
fi
is_version "$nvim" || cannot "$suite now carries $("$nvim" --version 2>&1 | head -n 1)"
echo "$nvim"
