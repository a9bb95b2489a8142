package main

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"

	"github.com/go-json-experiment/json"

	"manicule/indexer/treefile"
	"manicule/memory/services"
)

// editorFolders are where editors that are VS Code, or made of it, keep extensions, in
// a person's home.
var editorFolders = []string{".vscode", ".vscode-server", ".vscode-insiders", ".vscode-server-insiders", ".vscode-oss", ".cursor", ".cursor-server", ".windsurf", ".windsurf-server", ".antigravity"}

// checkEditors compares the extensions in editors with this program. An extension
// that carries a program starts that one, and not what is on the PATH.
func (dc *doctorCommand) checkEditors(context.Context, *services.Workspace) []finding {
	home := dc.getenv("HOME")
	if home == "" {
		home = dc.getenv("USERPROFILE")
	}
	var out []finding
	for _, folder := range editorFolders {
		for _, name := range treefile.Glob(filepath.Join(home, folder, "extensions"), "*.manicule-*/package.json") {
			if f, ok := editorFinding(name); ok {
				out = append(out, f)
			}
		}
	}
	return append(out, dc.checkNeovim(home)...)
}

// neovimPackages are where Neovim's own packages and plugin managers keep plugins, below its data
// folder.
var neovimPackages = []string{"site/pack/*/start/*", "site/pack/*/opt/*", "lazy/*", "plugged/*"}

var neovimVersion = regexp.MustCompile(`return '([^']+)'`)

// checkNeovim compares the plugin of Neovim with this program.
func (dc *doctorCommand) checkNeovim(home string) []finding {
	data := dc.getenv("XDG_DATA_HOME")
	if data == "" {
		data = filepath.Join(home, ".local", "share")
	}
	var out []finding
	for _, packages := range neovimPackages {
		for _, name := range treefile.Glob(filepath.Join(data, "nvim"), packages+"/lua/manicule/version.lua") {
			text, err := treefile.ReadMade(name)
			if m := neovimVersion.FindSubmatch(text); err == nil && m != nil {
				plugin := filepath.Dir(filepath.Dir(filepath.Dir(name)))
				out = append(out, versionFinding(plugin, "plugin", string(m[1])))
			}
		}
	}
	return out
}

func editorFinding(name string) (finding, bool) {
	var manifest struct {
		Name    string `json:"name"`
		Version string `json:"version"`
	}
	data, err := treefile.ReadMade(name)
	if err != nil || json.Unmarshal(data, &manifest) != nil || manifest.Name != "manicule" {
		return finding{}, false // not ours, or being installed
	}
	return versionFinding(filepath.Dir(name), "extension", manifest.Version), true
}

// versionFinding compares the version of what an editor has in a folder, its extension or
// plugin, with this program's.
func versionFinding(folder, what, has string) finding {
	f := finding{Check: "editor", Status: statusOK, Text: fmt.Sprintf("%s: the %s %s is of this version", folder, what, has)}
	if has != numbers(version) {
		f.Status = statusNote
		f.Text = fmt.Sprintf("%s: the %s is version %s, this program is %s", folder, what, has, version)
		f.Hint = "Update the older one. They work together as far as the older one goes; two programs of different versions each keep caches of their own."
	}
	return f
}

// numbers is a version without what follows its numbers, as the Marketplace takes
// it.
func numbers(version string) string {
	for i, c := range version {
		if c == '-' || c == '+' {
			return version[:i]
		}
	}
	return version
}
