# shellcheck shell=bash
# deb.sh: programs of newer Debian suites, unpacked into a cache folder. Sourced.
#
# Nothing is installed on the system and no root is needed: apt-get runs on a
# private state. The programs' ELF interpreter and library path are pointed
# into that folder, so that the language servers that they start keep using
# the machine's own libraries. (Starting nvim through "ld.so --library-path"
# would not do: its terminal part re-executes /proc/self/exe.)
#
# The script that sources this has a function `cannot` that says what is not
# possible and ends it.
#
#   MANICULE_TOOLS   cache folder; default ${XDG_CACHE_HOME:-$HOME/.cache}/manicule-tools

tools=${MANICULE_TOOLS:-${XDG_CACHE_HOME:-$HOME/.cache}/manicule-tools}
keyring=/usr/share/keyrings/debian-archive-keyring.gpg

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
	local suite=$1 dir=$2 package=$3 state
	state=$(mktemp -d)
	private_apt "$suite" "$state" update || cannot "apt-get update of $suite does not work"
	private_apt "$suite" "$state" -y --download-only install "$package" ||
		cannot "apt-get cannot download $package of $suite"
	extract "$state/archives" "$dir"
	rm -rf "$state"
}

# unpack_only SUITE DIR PACKAGE...: packages without what they need, unpacked into DIR.
unpack_only() {
	local suite=$1 dir=$2 state
	shift 2
	state=$(mktemp -d)
	private_apt "$suite" "$state" update || cannot "apt-get update of $suite does not work"
	mkdir -p "$state/only"
	(cd "$state/only" && private_apt "$suite" "$state" download "$@") || cannot "apt-get cannot download $* of $suite"
	extract "$state/only" "$dir"
	rm -rf "$state"
}

# extract FROM DIR: the packages in FROM, unpacked into DIR.
extract() {
	local dir=$2 deb
	mkdir -p "$dir"
	for deb in "$1"/*.deb; do
		dpkg-deb --fsys-tarfile "$deb" | tar -x -C "$dir" --keep-directory-symlink \
			--exclude=./usr/share/doc --exclude=./usr/share/man \
			--exclude=./usr/share/locale --exclude=./usr/share/i18n
	done
}

# can_unpack ends the script where packages can't be unpacked.
can_unpack() {
	local program
	for program in apt-get dpkg-deb tar flock; do
		command -v "$program" >/dev/null || cannot "$program is not on this machine (Debian or Ubuntu is needed)"
	done
	[ -r "$keyring" ] || cannot "$keyring is missing (package debian-archive-keyring)"
	mkdir -p "$tools"
}

# locked: a second test run waits for the first one's download.
locked() {
	exec 9>"$tools/.lock"
	flock 9
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
	find "$from/usr/bin" "$from/usr/lib" -maxdepth 2 -type f -perm -u+x ! -name '*.so*' | while read -r program; do
		"$patchelf" --print-interpreter "$program" >/dev/null 2>&1 || continue
		"$patchelf" --set-interpreter "$to/${loader#./}" --force-rpath --set-rpath "$libs" "$program"
	done
}
