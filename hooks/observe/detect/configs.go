package detect

import (
	"path"
	"strings"

	"manicule/hooks/observe/fold"
	"manicule/hooks/observe/signal"
)

// configFile reports whether a file configures tools, instead of being code.
func configFile(p string) bool {
	base := strings.ToLower(path.Base(p))
	switch base {
	case "makefile", "dockerfile", "go.mod", "package.json", "cargo.toml", "pyproject.toml", "tsconfig.json":
		return true
	}
	if strings.Contains(base, "lock") || strings.HasPrefix(p, ".claude/") || strings.HasPrefix(p, ".cursor/") {
		return false
	}
	switch path.Ext(base) {
	case ".toml", ".yaml", ".yml", ".ini", ".cfg", ".env", ".properties":
		return true
	}
	return strings.HasSuffix(base, "rc") || strings.HasSuffix(base, "rc.json") || strings.HasSuffix(base, ".config.js") || strings.HasSuffix(base, ".config.ts")
}

// configs are configuration files that are edited together with code.
func configs(ses *fold.Session) []signal.Signal {
	var configs, others []fold.FileUse
	for _, u := range ses.Files() {
		switch {
		case u.Edits == 0:
		case configFile(u.Path):
			configs = append(configs, u)
		case path.Ext(u.Path) != ".md":
			others = append(others, u)
		}
	}
	if len(others) < 2 || len(configs) == 0 || len(others) > 12 {
		return nil
	}
	var out []signal.Signal
	for _, c := range configs {
		for _, o := range others {
			out = append(out, signal.Signal{Detail: signal.ConfigWithCode{Config: c.Path, Code: o.Path}, Key: c.Path + "\x00" + o.Path, Paths: []string{c.Path, o.Path}, N: 1, Evidence: []int{c.N, o.N},
				Acute: acuteConfig, Tainted: ses.Tainted})
		}
	}
	return out
}
