package ignore

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"manicule/indexer/must"
)

// TestByGit holds every answer against git's own.
func TestByGit(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	const personal = ".manicule/memories/technical/personal/x.json"
	for name, files := range map[string]map[string]string{
		"nothing":                {},
		"as written":             {".manicule/.gitignore": "/memories/*/personal/\n"},
		"let in":                 {".manicule/.gitignore": "/memories/*/personal/\n!/memories/*/personal/\n"},
		"let in by a file":       {".manicule/.gitignore": "/memories/*/personal/*\n!*.json\n"},
		"below a folder left":    {".manicule/.gitignore": "/memories/*/personal/\n!*.json\n"},
		"by the top":             {".gitignore": "personal\n"},
		"the top let in deeper":  {".gitignore": "personal/\n", ".manicule/.gitignore": "!personal/\n"},
		"the top whole":          {".gitignore": ".manicule/\n", ".manicule/.gitignore": "!*\n"},
		"the whole let in":       {".gitignore": ".*\n!.manicule\n"},
		"by the folder":          {".manicule/.gitignore": "!personal/\n", ".manicule/memories/technical/personal/.gitignore": "*\n"},
		"let in by the folder":   {".manicule/.gitignore": "personal/**\n", ".manicule/memories/technical/personal/.gitignore": "!*\n"},
		"two stars":              {".gitignore": "**/personal/**\n"},
		"json":                   {".gitignore": "*.json\n", ".manicule/memories/.gitignore": "!technical/personal/*.json\n"},
		"the repository's":       {".git/info/exclude": "personal/\n"},
		"the repository's, lost": {".git/info/exclude": "personal/\n", ".manicule/.gitignore": "!personal/\n"},
		"the user's":             {"../user": "personal\n"},
		"the user's, lost":       {"../user": "personal\n", ".git/info/exclude": "!personal\n"},
		"escaped":                {".gitignore": "\\!x\n/.manicule/memories/*/person?l\n"},
		"a class":                {".gitignore": "[p]ersonal/\n"},
		"spaces":                 {".gitignore": "personal/   \n# personal\n\n!x.json\n"},
		"another's name":         {".gitignore": "persona\n*.jso\nmemories/personal\n"},
		"anchored in the middle": {".gitignore": "memories/technical/personal\n"},
		"anchored":               {".manicule/.gitignore": "memories/technical/personal\n"},
		"a link of a file":       {".manicule/real": "/memories/*/personal/\n"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			top := filepath.Join(dir, "repo")
			if out, err := exec.CommandContext(t.Context(), "git", "init", "-q", top).CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			for rel, text := range files {
				write(t, filepath.Join(top, rel), text)
			}
			write(t, filepath.Join(top, personal), "{}")
			if name == "a link of a file" {
				if err := os.Symlink("real", filepath.Join(top, ".manicule", ".gitignore")); err != nil {
					t.Skip("no symbolic links here")
				}
			}
			user := filepath.Join(dir, "user")
			cmd := exec.CommandContext(t.Context(), "git", "-C", top, "-c", "core.excludesFile="+user, "status", "--porcelain", "--untracked-files=all", "--", personal)
			cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
			out, err := cmd.Output()
			must.OK(t, err)
			want := len(out) == 0
			if got := GitIgnores(top, user, filepath.Join(top, ".git", "info", "exclude"), personal); got != want {
				t.Errorf("left out: %v; git says %v (%s)", got, want, out)
			}
		})
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	must.Write(t, name, text)
}
