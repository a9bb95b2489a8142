package recipe

import (
	"maps"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"manicule/memory/episode"
)

// starred is a pattern of files, and what stands for its star in one of them.
type starred struct{ path, star string }

// patterns returns the kinds of files that a path may be one of: those of its folder with its ending, and those of its
// name in the folders beside its own.
func patterns(file string) []starred {
	dir, base := path.Split(file)
	stem, end := cutEnding(base)
	start := ""
	if name, ok := strings.CutPrefix(stem, "test_"); ok {
		start, stem = "test_", name
	}
	out := []starred{{dir + start + "*" + end, stem}}
	if dir != "" {
		above, folder := path.Split(strings.TrimSuffix(dir, "/"))
		out = append(out, starred{above + "*/" + base, folder})
	}
	return out
}

// cutEnding cuts a name before its ending, of which what says that a file is a test is a part.
func cutEnding(base string) (stem, end string) {
	end = path.Ext(base)
	if end == base {
		end = ""
	}
	stem = strings.TrimSuffix(base, end)
	for _, mark := range []string{".test", ".spec", "_test", "-test", "_spec", ".stories", ".d", ".module", ".generated", ".gen", ".pb", ".up", ".down"} {
		if s, ok := strings.CutSuffix(stem, mark); ok && s != "" {
			return s, mark + end
		}
	}
	return stem, end
}

// plain returns a name without what is written in different ways in different places: its case, its separators, a leading
// number.
func plain(name string) string {
	name = strings.TrimLeft(name, "0123456789_-.")
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
}

// folded returns a text in which names are written as [plain] writes them.
func folded(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '-' {
			return -1
		}
		return unicode.ToLower(r)
	}, text)
}

// minWord is the length below which a name is found in other words.
const minWord = 4

// telling reports whether a name tells one file from others.
func telling(word string) bool {
	switch word {
	case "index", "main", "init", "types", "type", "utils", "util", "readme", "skill", "page", "route", "routes", "layout", "test", "tests", "config", "package", "const",
		"constants", "helper", "helpers", "base", "core", "data", "docs", "common", "default", "model", "models", "error", "errors", "service", "client", "server",
		"schema", "styles", "style", "store", "hooks", "tsconfig", "state", "context", "plan", "setup", "build", "name", "file", "user", "list", "item", "view":
		return false
	}
	return utf8.RuneCountInString(word) >= minWord
}

// isTest reports whether a path is of a test or what one reads.
func isTest(p string) bool {
	for part := range strings.SplitSeq(path.Dir(p), "/") {
		switch strings.ToLower(part) {
		case "test", "tests", "__tests__", "spec", "specs", "e2e", "testdata", "fixtures", "__snapshots__", "snapshots", "__mocks__", "mocks":
			return true
		}
	}
	base := strings.ToLower(path.Base(p))
	_, end := cutEnding(base)
	stem := strings.TrimSuffix(base, path.Ext(base))
	return strings.HasPrefix(end, ".test") || strings.HasPrefix(end, ".spec") || strings.HasPrefix(end, "_test") || strings.HasPrefix(end, "-test") || strings.HasPrefix(end, "_spec") ||
		strings.HasPrefix(end, ".stories") || strings.HasPrefix(base, "test_") || strings.HasSuffix(stem, "test") && end != ".md"
}

// LockFile reports whether a tool writes a file for each change of what the project needs.
func LockFile(p string) bool {
	switch path.Base(p) {
	case "package-lock.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock", "bun.lockb", "Cargo.lock", "go.sum", "poetry.lock", "uv.lock", "Gemfile.lock", "composer.lock", "flake.lock":
		return true
	}
	return false
}

// passing reports whether a path is of what is written once and not kept: plans, notes of sessions, the log of changes.
func passing(p string) bool {
	for part := range strings.SplitSeq(path.Dir(p), "/") {
		switch strings.ToLower(part) {
		case ".planning", ".entire", ".beads", ".specstory", ".changeset", ".changes", "memory-bank", "plans", "plan", "archive", ".manicule", "node_modules", "dist", "vendor",
			"changelogs", "changelog", "reports", "screenshots", "logs", "tasks", "openspec", ".specify", ".taskmaster", "brainstorms", "handoffs", "prompts", ".backlog", "backlog",
			"_next", ".next", "out", "target", "coverage", "htmlcov", ".nyc_output", "lcov-report", "coveragereport":
			return true
		}
	}
	base := strings.ToLower(path.Base(p))
	if base == "package.json" {
		return false
	}
	switch base {
	case "lcov.info", "coverage.xml", "coverage.json", "coverage.out", "coverage.txt", "coverage.html", "coverage-final.json", "coverage-summary.json", "cobertura.xml", "clover.xml", "jacoco.xml":
		return true // what a run of the tests writes
	}
	stem, end := cutEnding(base)
	for _, word := range strings.FieldsFunc(stem, func(r rune) bool { return r == '_' || r == '-' || r == '.' }) {
		switch word {
		case "changelog", "backlog", "todo", "progress", "roadmap", "handoff", "journal", "tasks":
			return true
		case "history", "status", "state", "notes", "plan", "log", "context", "current", "memory", "releases", "news", "claude", "agents", "gemini":
			if end == ".md" || end == ".mdx" {
				return true
			}
		}
	}
	switch path.Ext(base) {
	case ".svg", ".png", ".jpg", ".jpeg", ".gif", ".webp", ".ico", ".map", ".snap", ".csv", ".ipynb", ".pdf", ".lock", ".log", ".woff2", ".mp4":
		return true
	}
	return false
}

// inherent reports whether the language itself wants a place to name a new file.
func inherent(at place, pattern string) bool {
	if at.added {
		return path.Dir(at.path) == path.Dir(pattern) && path.Ext(at.path) == path.Ext(pattern)
	}
	switch path.Base(at.path) {
	case "mod.rs", "lib.rs", "main.rs", "__init__.py":
		return true
	}
	// What uses a new file stands beside it or below; only what lists such files tells something there.
	folder := path.Dir(pattern[:strings.IndexByte(pattern, '*')] + "x")
	return (path.Dir(at.path) == folder || strings.HasPrefix(at.path, folder+"/")) && language(at.path) == language(pattern) && !lists(at.path)
}

// lists reports whether a file has the name of those that list others.
func lists(p string) bool {
	stem, _ := cutEnding(strings.ToLower(path.Base(p)))
	for word := range strings.FieldsFuncSeq(stem, func(r rune) bool { return r == '_' || r == '-' || r == '.' }) {
		switch word {
		case "index", "registry", "registries", "register", "types", "router", "routes", "urls", "config", "constants", "all", "list", "catalog", "manifest", "loader", "factory", "builtins", "names",
			"settings", "schema", "app", "main", "root", "exports", "providers", "plugins", "commands", "handlers":
			return true
		}
	}
	return false
}

// language is the ending of a file, or what stands for the endings of one language.
func language(p string) string {
	switch end := path.Ext(p); end {
	case ".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".vue", ".svelte", ".astro":
		return "js"
	case ".c", ".h", ".cc", ".cpp", ".hpp", ".cxx":
		return "c"
	case ".kt", ".java":
		return "java"
	case ".py", ".pyi":
		return "py"
	case ".html", ".htm", ".css", ".scss":
		return "html"
	default:
		return end
	}
}

// nounOf names what is added: the innermost folder of a pattern whose name is a plural, in the singular, with its article.
func nounOf(pattern string) string {
	folders := strings.Split(path.Dir(pattern[:strings.IndexByte(pattern, '*')]+"x"), "/")
	for _, folder := range slices.Backward(folders) {
		name := strings.Trim(strings.ToLower(folder), "._")
		switch name {
		case "docs", "doc":
			return "a page of documentation"
		case "cmd":
			return "a command"
		case "apps", "tools", "utils", "libs", "services", "contents", "assets", "internals", "scripts":
			if name != "scripts" && name != "services" {
				continue
			}
		}
		noun := singular(name)
		if noun == name || strings.ContainsAny(noun, "_-. ") || len(noun) < 3 {
			continue
		}
		if strings.ContainsRune("aeio", rune(noun[0])) {
			return "an " + noun
		}
		return "a " + noun
	}
	return "a file"
}

func singular(w string) string {
	switch {
	case strings.HasSuffix(w, "ies") && len(w) > 4:
		return w[:len(w)-3] + "y"
	case strings.HasSuffix(w, "sses"), strings.HasSuffix(w, "xes"), strings.HasSuffix(w, "ches"):
		return w[:len(w)-2]
	case strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && !strings.HasSuffix(w, "us") && !strings.HasSuffix(w, "is"):
		return w[:len(w)-1]
	}
	return w
}

// wordsOf returns the words of a task that asks for an addition: those of most of the commits, and of the place.
func wordsOf(pattern string, subjects []string) []string {
	return slices.Compact(slices.Sorted(slices.Values(append(episode.Words("add "+nounOf(pattern)), wordsIn(subjects)...))))
}

// wordsIn returns the words that most of some commits' subjects have.
func wordsIn(subjects []string) []string {
	in := map[string]int{}
	for _, s := range subjects {
		for _, w := range episode.Words(s) {
			in[w]++
		}
	}
	var out []string
	for w, n := range in {
		if 2*n > len(subjects) {
			out = append(out, w)
		}
	}
	return out
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func sortedPlaces(m map[place][]int) []place {
	return slices.SortedFunc(maps.Keys(m), func(a, b place) int {
		if a.added != b.added {
			if a.added {
				return -1
			}
			return 1
		}
		return strings.Compare(a.path, b.path)
	})
}
