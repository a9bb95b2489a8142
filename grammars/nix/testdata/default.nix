{ pkgs ? import <nixpkgs> { } }:

pkgs.stdenv.mkDerivation {
  pname = "app";
  # How it is built.
  buildPhase = ''
    make all
    name = "no key";
  '';
  meta = {
    license = [ "asl20" ];
    hosts."example.org".flags' = [
      "mem_sleep_default=deep"
    ];
  };
}
