class Manicule < Formula
  desc {{json .Description}}
  homepage {{json .Homepage}}
  version {{json .Version}}
  license {{json .License}}

  on_macos do
    on_arm do
      url "{{.URL "darwin-arm64"}}"
      sha256 "{{(.By "darwin-arm64").SHA256}}"
    end
    on_intel do
      url "{{.URL "darwin-amd64"}}"
      sha256 "{{(.By "darwin-amd64").SHA256}}"
    end
  end

  on_linux do
    on_arm do
      url "{{.URL "linux-arm64"}}"
      sha256 "{{(.By "linux-arm64").SHA256}}"
    end
    on_intel do
      url "{{.URL "linux-amd64"}}"
      sha256 "{{(.By "linux-amd64").SHA256}}"
    end
  end

  def install
    bin.install "manicule", "manicule-hook"
    man1.install "man/manicule.1"
    bash_completion.install "completions/manicule.bash" => "manicule"
    zsh_completion.install "completions/_manicule"
    fish_completion.install "completions/manicule.fish"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/manicule version")
  end
end
