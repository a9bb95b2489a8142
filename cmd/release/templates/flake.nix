{
  description = {{json .Description}};

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs = { self, nixpkgs }:
    let
      archives = {
        x86_64-linux = { url = "{{.URL "linux-amd64"}}"; hash = "{{sri (.By "linux-amd64").SHA256}}"; };
        aarch64-linux = { url = "{{.URL "linux-arm64"}}"; hash = "{{sri (.By "linux-arm64").SHA256}}"; };
        x86_64-darwin = { url = "{{.URL "darwin-amd64"}}"; hash = "{{sri (.By "darwin-amd64").SHA256}}"; };
        aarch64-darwin = { url = "{{.URL "darwin-arm64"}}"; hash = "{{sri (.By "darwin-arm64").SHA256}}"; };
      };
      package = system: archive:
        let pkgs = nixpkgs.legacyPackages.${system};
        in pkgs.stdenvNoCC.mkDerivation {
          pname = "{{.Name}}";
          version = {{json .Version}};
          src = pkgs.fetchurl archive;
          nativeBuildInputs = [ pkgs.installShellFiles ]
            ++ pkgs.lib.optional pkgs.stdenv.hostPlatform.isLinux pkgs.autoPatchelfHook;
          dontStrip = true;
          installPhase = ''
            install -Dm755 -t $out/bin manicule manicule-hook
            installManPage man/manicule.1
            installShellCompletion --bash --name manicule completions/manicule.bash
            installShellCompletion --zsh completions/_manicule
            installShellCompletion --fish completions/manicule.fish
          '';
          meta = {
            description = {{json .Description}};
            homepage = {{json .Homepage}};
            license = pkgs.lib.licenses.asl20;
            mainProgram = "manicule";
            platforms = builtins.attrNames archives;
          };
        };
    in {
      packages = builtins.mapAttrs (system: archive: { default = package system archive; }) archives;
      apps = builtins.mapAttrs (system: _: {
        default = { type = "app"; program = "${self.packages.${system}.default}/bin/manicule"; };
      }) archives;
    };
}
