# shellcheck shell=bash
# debian.sh: Debian packages on the system itself. Sourced.

# debian PACKAGE...: installs Debian packages where a CI's root may.
debian() {
	local missing=() package
	for package in "$@"; do
		dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
	done
	[ ${#missing[@]} -eq 0 ] && return
	if [ "${CI:-}" != true ] || [ "$(id -u)" != 0 ]; then
		echo "missing Debian packages: ${missing[*]}" >&2
		return 1
	fi
	apt-get update -qq >&2 && apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}
