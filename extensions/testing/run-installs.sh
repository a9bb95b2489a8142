#!/usr/bin/env bash
# run-installs.sh DIST: installs what `make release` wrote into DIST, with the package managers that Debian has: rpm, pacman, Nix,
# buildah. Where one is missing here (apk, Homebrew, Scoop, Mason) or wants its own servers (nixpkgs, Alpine's image), what it
# would do with our file is done without it, and the step says so. A manifest whose platforms were not built is skipped.
set -euo pipefail

dist=$(realpath "$1")
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
apt-get install -y -q --no-install-recommends rpm makepkg pacman-package-manager zstd libarchive-tools fakeroot nix-bin buildah busybox-static ruby mandoc zsh fish jq unzip >/dev/null
tmp=$(mktemp -d)
trap 'chmod -R u+w "$tmp" && rm -rf "$tmp"' EXIT
chmod 755 "$tmp"
version=$(basename "$(find "$dist" -maxdepth 1 -name 'manicule_*_linux-amd64.tar.gz')" _linux-amd64.tar.gz)
version=${version#manicule_}

step() { printf '\n== %s (%ds)\n' "$*" "$SECONDS"; }
have() { [ -e "$dist/$1" ] || { echo "skipped: $1 was not written"; return 1; }; }
# says runs an installed program and wants its version.
says() { local out && out=$("$@" version) && echo "$out" && grep -qF "$version" <<<"$out"; }

step "every sum in a manifest is one of checksums.txt"
cut -d' ' -f1 "$dist/checksums.txt" | sort >"$tmp/sums"
find "$dist" -mindepth 2 -type f \( -path '*/homebrew/*' -o -path '*/scoop/*' -o -path '*/aur/*' -o -path '*/docker/*' \) -print0 |
	xargs -0r grep -ohE '\b[0-9a-f]{64}\b' | sort -u >"$tmp/named"
[ -z "$(comm -23 "$tmp/named" "$tmp/sums")" ]
wc -l <"$tmp/named"

step "the manual page and the completions are well formed"
mkdir "$tmp/archive"
tar -xzf "$dist/manicule_${version}_linux-amd64.tar.gz" -C "$tmp/archive" --strip-components=1
mandoc -T lint -W error "$tmp/archive/man/manicule.1"
bash -n "$tmp/archive/completions/manicule.bash"
zsh -n "$tmp/archive/completions/_manicule"
fish --no-execute "$tmp/archive/completions/manicule.fish"
jq -e '.bomFormat == "CycloneDX" and (.components | length > 20)' "$dist/manicule_${version}_linux-amd64.tar.gz.cdx.json"

step "rpm"
root=$tmp/rpm
mkdir "$root"
file=$(find "$dist" -name '*.x86_64.rpm')
rpm -K --nosignature "$file"
rpm -qp --requires "$file" | grep -F 'glibc >= 2.17'
rpm --root "$root" --initdb
rpm --root "$root" -i --nodeps "$file" # Debian's database has no glibc
rpm --root "$root" -V --nodeps manicule
says "$root/usr/bin/manicule"
rpm --root "$root" -e manicule
[ ! -e "$root/usr/bin/manicule" ]

step "apk, unpacked as apk does: a chain of tar files"
file=$(find "$dist" -name '*x86_64*.apk')
mkdir "$tmp/apk"
tar -xzf "$file" -C "$tmp/apk" --warning=no-unknown-keyword
grep -E '^(pkgname|pkgver|arch|license|depend|datahash) = ' "$tmp/apk/.PKGINFO"
# As apk's own scanner reads versions.
grep -qE '^pkgver = [0-9]+(\.[0-9]+)*(_(alpha|beta|pre|rc)[0-9]*)?-r[0-9]+$' "$tmp/apk/.PKGINFO"
python3 - "$file" "$tmp/apk/.PKGINFO" <<'PY'
import hashlib, re, sys, zlib
data, parts = open(sys.argv[1], "rb").read(), []
while data:  # gzip members one after the other; the last has the files
    d = zlib.decompressobj(31)
    d.decompress(data)
    parts.append(data[: len(data) - len(d.unused_data)])
    data = d.unused_data
want = re.search(r"datahash = (\w+)", open(sys.argv[2]).read()).group(1)
assert hashlib.sha256(parts[-1]).hexdigest() == want, "datahash"
PY
says chroot "$tmp/apk" /usr/bin/manicule

if have aur/PKGBUILD; then
	step "makepkg and pacman"
	mkdir "$tmp/aur" "$tmp/pacman" "$tmp/pacman/db"
	cp "$dist/aur/PKGBUILD" "$dist"/manicule_*_linux-*.tar.gz "$tmp/aur"
	chown -R nobody "$tmp/aur"
	as() { (cd "$tmp/aur" && HOME=$tmp/aur PKGEXT=.pkg.tar.zst setpriv --reuid nobody --clear-groups "$@"); }
	as makepkg --printsrcinfo | diff - "$dist/aur/.SRCINFO"
	as makepkg --nodeps --noconfirm
	pacman --root "$tmp/pacman" --dbpath "$tmp/pacman/db" -U --noconfirm --nodeps --nodeps "$tmp"/aur/*.pkg.tar.zst
	says "$tmp/pacman/usr/bin/manicule"
fi

if have nix/flake.nix; then
	step "Nix, with a nixpkgs of the tests': the names that the flake uses, run by Debian's shell"
	mkdir -p "$tmp/nixpkgs" "$tmp/flake"
	cp "$here/nix/flake.nix" "$tmp/nixpkgs/"
	cp "$dist/nix/flake.nix" "$tmp/flake/"
	nix-instantiate --parse "$tmp/flake/flake.nix" >/dev/null
	export NIX_STORE_DIR=$tmp/nix/store NIX_STATE_DIR=$tmp/nix/var NIX_LOG_DIR=$tmp/nix/log RELEASE_DIST=$dist
	HOME=$tmp nix --extra-experimental-features 'nix-command flakes' --option sandbox false --option build-users-group '' --option substitute false \
		build --impure --no-write-lock-file --override-input nixpkgs "path:$tmp/nixpkgs" -o "$tmp/result" "path:$tmp/flake#packages.x86_64-linux.default"
	says "$tmp/result/bin/manicule"
	[ -e "$tmp/result/share/man/man1/manicule.1" ]
fi

if have homebrew/manicule.rb; then
	step "Homebrew's formula: Ruby, and its install method, by a stand-in for brew"
	ruby -wc "$dist/homebrew/manicule.rb"
	mkdir "$tmp/brew"
	(cd "$tmp/archive" && ruby "$here/brew.rb" "$dist/homebrew/manicule.rb" "$dist" "$tmp/brew")
	says "$tmp/brew/bin/manicule"
	[ -e "$tmp/brew/share/man/man1/manicule.1" ] && [ -e "$tmp/brew/etc/bash_completion.d/manicule" ]
fi

if have scoop/manicule.json; then
	step "Scoop's manifest: what it names is in the archive"
	zip=$dist/$(basename "$(jq -r '.architecture."64bit".url' "$dist/scoop/manicule.json")")
	folder=$(jq -r '.architecture."64bit".extract_dir' "$dist/scoop/manicule.json")
	for program in $(jq -r '.bin[]' "$dist/scoop/manicule.json"); do unzip -l "$zip" "$folder/$program"; done
fi

if have mason/package.yaml; then
	step "Mason's package: what it names is in the archives"
	ruby -ryaml -e '
		p = YAML.load_file(ARGV[0]); dist = ARGV[1]; v = p["source"]["id"][/@v(.*)/, 1]
		p["source"]["asset"].each do |a|
			file, bin = [a["file"], a["bin"]].map { |s| s.gsub(/\{\{.*?\}\}/, v) }
			path = File.join(dist, file)
			list = file.end_with?(".zip") ? `unzip -Z1 #{path}` : `tar -tzf #{path}`
			abort "#{file} lacks #{bin}" unless list.lines.map(&:chomp).include?(bin)
			puts "#{a["target"]}: #{bin}"
		end' "$dist/mason/package.yaml" "$dist"
fi

step "the MCP registry names the package that npm has"
jq -e --arg v "$version" '.version == $v and .packages[0].version == $v' "$dist/mcp/server.json"
tar -xzOf "$(find "$dist/npm" -name 'manicule-[0-9]*.tgz')" package/package.json | jq -e --slurpfile s "$dist/mcp/server.json" '.name == $s[0].packages[0].identifier'

if have docker/Dockerfile; then
	step "the Dockerfile, on an Alpine of the tests': busybox"
	mkdir -p "$tmp/alpine"/{bin,etc,tmp,home} "$tmp/image"
	cp "$(command -v busybox)" "$tmp/alpine/bin/busybox"
	"$tmp/alpine/bin/busybox" --install -s "$tmp/alpine/bin"
	find "$tmp/alpine/bin" -type l -exec ln -sf busybox {} \;
	printf 'root:x:0:0::/root:/bin/sh\n' >"$tmp/alpine/etc/passwd"
	printf 'root:x:0:\n' >"$tmp/alpine/etc/group"
	# Debian's busybox has no adduser, and there is no git to install.
	printf '#!/bin/sh\nprintf "#!/bin/sh\\n" >/bin/git\nchmod 755 /bin/git\n' >"$tmp/alpine/bin/apk"
	printf '#!/bin/sh\n[ "$*" = "-D -u 1000 manicule" ] && echo manicule:x:1000:1000::/tmp:/bin/sh >>/etc/passwd\n' >"$tmp/alpine/bin/adduser"
	chmod 755 "$tmp/alpine/bin/apk" "$tmp/alpine/bin/adduser"
	chmod 1777 "$tmp/alpine/tmp"
	tar -C "$tmp/alpine" -cf "$tmp/image/alpine.tar" .
	cp "$dist"/manicule_*-musl.tar.gz "$tmp/image/"
	# buildah adds no checksums, which are compared above, and the network is not ours.
	sed -E 's,^ADD --checksum=\S+ \S+/(\S+) (\S+)$,COPY \1 \2,; s,^FROM alpine:\S+,FROM localhost/alpine,' "$dist/docker/Dockerfile" >"$tmp/image/Dockerfile"
	b=(buildah --root "$tmp/containers" --runroot "$tmp/run" --storage-driver vfs)
	base=$("${b[@]}" from scratch)
	"${b[@]}" add "$base" "$tmp/image/alpine.tar" / >/dev/null
	"${b[@]}" commit -q "$base" localhost/alpine >/dev/null
	"${b[@]}" bud --isolation chroot --pull-never --build-arg TARGETARCH=amd64 -t manicule "$tmp/image"
	c=$("${b[@]}" from --pull-never localhost/manicule)
	says "${b[@]}" run --isolation chroot "$c" manicule
	"${b[@]}" run --isolation chroot "$c" sh -c 'id -un && manicule --root /tmp doctor --json >/dev/null; test $? -le 5' | grep manicule
	"${b[@]}" inspect --type image --format '{{.OCIv1.Config.Entrypoint}} {{.OCIv1.Config.Cmd}} {{.OCIv1.Config.User}}' localhost/manicule | grep -F '[manicule] [mcp] manicule'
	"${b[@]}" rm -a >/dev/null
	"${b[@]}" rmi -a >/dev/null
fi
echo "all passed in ${SECONDS}s"
