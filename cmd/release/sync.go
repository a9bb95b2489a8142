package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"regexp"
)

// field is a place in a committed file that says what project.json or the version
// of the programs does.
type field struct {
	file    string
	pattern *regexp.Regexp // what it captures is replaced
	value   func(project, string) string
}

func workedOn(_ project, version string) string { return version }

func repositoryURL(p project, _ string) string { return p.Repository }

var fields = []field{
	{"extensions/vscode/package.json", regexp.MustCompile(`"version": "([^"]*)"`), workedOn},
	{"extensions/claude-code/.claude-plugin/plugin.json", regexp.MustCompile(`"version": "([^"]*)"`), workedOn},
	{"extensions/claude-code/.claude-plugin/marketplace.json", regexp.MustCompile(`"version": "([^"]*)"`), workedOn},
	{"extensions/gemini/gemini-extension.json", regexp.MustCompile(`"version": "([^"]*)"`), workedOn},
	{".claude-plugin/marketplace.json", regexp.MustCompile(`"version": "([^"]*)"`), workedOn},
	{"extensions/neovim/lua/manicule/version.lua", regexp.MustCompile(`return '([^']*)'`), workedOn},
	{"extensions/vscode/package.json", regexp.MustCompile(`"publisher": "([^"]*)"`), func(p project, _ string) string { return p.VSCodePublisher }},
	{"extensions/vscode/package.json", regexp.MustCompile(`"url": "([^"]*)\.git"`), repositoryURL},
	{"extensions/vscode/package.json", regexp.MustCompile(`"url": "([^"]*)/issues"`), repositoryURL},
	{"extensions/vscode/package.json", regexp.MustCompile(`"homepage": "([^"]*)#readme"`), repositoryURL},
}

// syncManifests writes them, or with -check fails where one differs.
func syncManifests(args []string) error {
	t, err := openTree()
	if err != nil {
		return err
	}
	p, err := loadProject()
	if err != nil {
		return err
	}
	check := len(args) > 0 && args[0] == "-check"
	version, err := t.currentVersion()
	if err != nil {
		return err
	}
	for _, f := range fields {
		if err := t.sync(f, f.value(p, version), check); err != nil {
			return err
		}
	}
	return nil
}

var versionLine = regexp.MustCompile(`var Version = "(\d+\.\d+\.\d+)`)

// currentVersion is the one that is worked on, without what follows its numbers.
func (t tree) currentVersion() (string, error) {
	data, err := os.ReadFile(t.path("cmd/internal/release/release.go"))
	if err != nil {
		return "", err
	}
	m := versionLine.FindSubmatch(data)
	if m == nil {
		return "", errors.New("cmd/internal/release/release.go has no version")
	}
	return string(m[1]), nil
}

func (t tree) sync(f field, want string, check bool) error {
	name := t.path(f.file)
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	at := f.pattern.FindSubmatchIndex(data)
	if at == nil {
		return fmt.Errorf("%s has no %s", f.file, f.pattern)
	}
	if string(data[at[2]:at[3]]) == want {
		return nil
	}
	if check {
		return fmt.Errorf("%s says %q, and not %q\n  try: go run ./cmd/release sync", f.file, data[at[2]:at[3]], want)
	}
	return os.WriteFile(name, bytes.Join([][]byte{data[:at[2]], []byte(want), data[at[3]:]}, nil), 0o644)
}
