# What a flake of a release uses of nixpkgs, for a test without a network: archives are taken from RELEASE_DIST, with their
# hashes checked by Nix, and builders run the shell and the tools of this machine.
{
  outputs = { self }:
    let
      tools = "PATH=/usr/bin:/bin";
      run = system: name: script: extra: derivation ({
        inherit name system;
        builder = "/bin/bash";
        args = [ "-euc" "export ${tools}; ${script}" ];
      } // extra);
      dist = builtins.getEnv "RELEASE_DIST";
    in {
      legacyPackages = builtins.listToAttrs (map (system: {
        name = system;
        value = rec {
          fetchurl = { url, hash }: run system (baseNameOf url) "cp ${dist}/${baseNameOf url} $out" { outputHash = hash; outputHashMode = "flat"; };
          installShellFiles = "";
          autoPatchelfHook = "";
          stdenv.hostPlatform.isLinux = builtins.match ".*linux" system != null;
          lib = { optional = c: x: if c then [ x ] else [ ]; licenses.asl20 = "Apache-2.0"; };
          stdenvNoCC.mkDerivation = a: run system "${a.pname}-${a.version}" ''
            installManPage() { install -Dm644 -t $out/share/man/man1 "$@"; }
            installShellCompletion() { for f; do case $f in --*|manicule) ;; *) install -Dm644 -t $out/share/completions $f ;; esac; done; }
            tar -xzf ${a.src}; cd */
            ${a.installPhase}
          '' { };
        };
      }) [ "x86_64-linux" "aarch64-linux" "x86_64-darwin" "aarch64-darwin" ]);
    };
}
