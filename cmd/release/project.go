package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"
)

//go:embed project.json
var projectJSON []byte

// project is what all manifests say of the project. Where it is published is
// written in project.json alone.
type project struct {
	Name            string `json:"name"`
	Title           string `json:"title"`
	Description     string `json:"description"`
	License         string `json:"license"`
	Repository      string `json:"repository"`
	Homepage        string `json:"homepage"`
	Maintainer      string `json:"maintainer"`
	VSCodePublisher string `json:"vscodePublisher"`
	NPMPackage      string `json:"npmPackage"`
	NPMScope        string `json:"npmScope"`
	MCPName         string `json:"mcpName"`
}

func loadProject() (project, error) {
	var p project
	if err := json.Unmarshal(projectJSON, &p); err != nil {
		return p, fmt.Errorf("read project.json: %w", err)
	}
	return p, nil
}

// Slug is the owner and the name of the repository at its host.
func (p project) Slug() string {
	parts := strings.Split(p.Repository, "/")
	return strings.Join(parts[len(parts)-2:], "/")
}

// Owner is who the repository belongs to.
func (p project) Owner() string {
	owner, _, _ := strings.Cut(p.Slug(), "/")
	return owner
}

// Download is where an asset of a release is fetched from.
func (p project) Download(version, file string) string {
	return fmt.Sprintf("%s/releases/download/v%s/%s", p.Repository, version, file)
}

func checkVersion(v string) error {
	if v == "" {
		return fmt.Errorf("no version\n  try: make release VERSION=1.2.3")
	}
	if !semver.IsValid("v"+v) || semver.Canonical("v"+v) != "v"+v {
		return fmt.Errorf("%q is no semantic version\n  try: 1.2.3 or 1.2.3-rc.1, without a v", v)
	}
	return nil
}

// tree is the checkout that a release is made from.
type tree struct {
	root   string
	module string
	commit string    // empty outside of git
	date   time.Time // of the commit: the only time that a release knows
}

func openTree() (tree, error) {
	out, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return tree{}, fmt.Errorf("find the module: %w", err)
	}
	t := tree{root: filepath.Dir(strings.TrimSpace(string(out)))}
	data, err := os.ReadFile(filepath.Join(t.root, "go.mod"))
	if err != nil {
		return t, err
	}
	t.module = modfile.ModulePath(data)
	out, err = t.command("git", "log", "-1", "--format=%H %ct").Output()
	if err != nil {
		return t, fmt.Errorf("ask git for the commit: %w\n  try: a release is made in a git checkout", err)
	}
	var seconds int64
	if _, err := fmt.Sscan(string(out), &t.commit, &seconds); err != nil {
		return t, fmt.Errorf("read the commit: %w", err)
	}
	t.date = time.Unix(seconds, 0).UTC()
	return t, nil
}

// command is one that runs in the checkout.
func (t tree) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir = t.root
	return cmd
}

func (t tree) path(rel string) string { return filepath.Join(t.root, filepath.FromSlash(rel)) }

// clean fails where files differ from the commit: a release of them could not be
// made again.
func (t tree) clean() error {
	out, err := t.command("git", "status", "--porcelain").Output()
	if err != nil {
		return err
	}
	if len(out) > 0 {
		return fmt.Errorf("files differ from the commit:\n%s  try: commit them, or SNAPSHOT=1", out)
	}
	return nil
}

// tagged fails unless the commit has the version's tag.
func (t tree) tagged(version string) error {
	out, err := t.command("git", "tag", "--points-at", "HEAD").Output()
	if err != nil {
		return err
	}
	for tag := range strings.FieldsSeq(string(out)) {
		if tag == "v"+version {
			return nil
		}
	}
	return fmt.Errorf("the commit is not tagged v%s\n  try: git tag v%s, or SNAPSHOT=1", version, version)
}
