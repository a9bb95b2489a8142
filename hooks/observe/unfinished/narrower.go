package unfinished

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"manicule/hooks/observe/cmdline"
	"manicule/hooks/observe/fold"
)

// checkScope is what a run of a check was on. A kind that is empty leaves nothing out.
type checkScope struct {
	places []string // files, folders, packages
	names  []string // tests, or patterns of their names
	dir    string   // below the root, "" if unknown
}

// checkScopeOf returns what the run of a check's key was on, by its words.
func checkScopeOf(s fold.Step, key string) (out checkScope) {
	dir, whole := s.Dir, false
	for _, args := range s.Simple {
		if len(args) > 1 && args[0] == "cd" {
			if dir = path.Join(dir, args[1]); path.IsAbs(args[1]) {
				dir = "" // known only together with the root
				if s.Rel != nil {
					dir, _ = s.Rel(args[1])
				}
			}
			continue
		}
		if cmdline.KeyOf(args) != key {
			continue
		}
		out.dir = dir
		n := len(out.places) + len(out.names)
		out.words(args, strings.Fields(key))
		whole = whole || n == len(out.places)+len(out.names)
	}
	if whole { // one of several runs left nothing out
		out.places, out.names = nil, nil
	}
	return out
}

// words adds the operands of a command, and the values of options that leave something out.
func (c *checkScope) words(args, key []string) {
	for i := 0; i < len(args); i++ {
		w := args[i]
		if n := slices.Index(key, path.Base(w)); n >= 0 {
			key = slices.Delete(slices.Clone(key), n, n+1)
			continue
		}
		switch {
		case w == "--lib" || w == "--bins" || w == "--doc":
			c.names = append(c.names, w)
		case strings.HasPrefix(w, "-"):
			name, value, has := strings.Cut(strings.TrimLeft(w, "-"), "=")
			next := ""
			if !has && i+1 < len(args) && !strings.HasPrefix(args[i+1], "-") {
				next = args[i+1]
			}
			switch name {
			case "run", "k", "t", "m", "p", "package", "filter", "F", "grep", "g", "tests", "test", "testNamePattern", "test-name-pattern":
				if !has {
					value = next
				}
				if next != "" {
					i++
				}
				if value = strings.Trim(value, "^$'\""); value != "" && !strings.HasPrefix(value, "no:") {
					c.names = append(c.names, strings.Split(value, "|")...)
				}
			default:
				if next != "" && !placeLike(next) && w != "--" && len(strings.TrimLeft(w, "-")) > 1 {
					i++ // the value of an option that says how, not on what
				}
			}
		case strings.Trim(w, "0123456789.ms") == "" && w != ".": // a number or a time
		case placeLike(w):
			c.places = append(c.places, strings.TrimSuffix(strings.TrimSuffix(strings.TrimPrefix(w, "./"), "..."), "/"))
		default:
			c.names = append(c.names, strings.Trim(w, "^$"))
		}
	}
	if slices.ContainsFunc(c.places, func(p string) bool { return p == "" || p == "." }) { // all
		c.places = nil
	}
}

// placeLike reports whether a word names a file, a folder or a package.
func placeLike(w string) bool { return strings.ContainsAny(w, `/.\`) || strings.Contains(w, "::") }

// answers reports whether a check that passed says that what failed before passes now: it was run on as much, or on all that the
// failure names. A narrower run says nothing of what it left out.
func answers(passed, failed fold.Step, key string) bool {
	p, f := checkScopeOf(passed, key), checkScopeOf(failed, key)
	if p.dir != "" && f.dir != "" && p.dir != "." && p.dir != f.dir && !strings.HasPrefix(f.dir, p.dir+"/") {
		if f.dir != "." && !strings.HasPrefix(p.dir, f.dir+"/") {
			return false // of another folder
		}
		p.places = append(p.places, p.dir)
	}
	places, names := failing(failed.Text)
	if len(names) == 0 {
		names = places
	}
	return leavesNothing(p.places, f.places, places, inside) && leavesNothing(p.names, f.names, names, strings.Contains)
}

// leavesNothing reports whether a run on some operands covers one on others, or else all that failed in it.
func leavesNothing(on, was, failed []string, within func(name, operand string) bool) bool {
	covers := func(all []string) bool {
		return len(all) > 0 && !slices.ContainsFunc(all, func(x string) bool {
			return !slices.ContainsFunc(on, func(o string) bool { return within(x, o) })
		})
	}
	return len(on) == 0 || covers(was) || covers(failed)
}

// inside reports whether a place is an operand or below it. A package may be named by its whole path.
func inside(name, operand string) bool {
	if operand == "" {
		return false
	}
	for at := 0; ; {
		i := strings.Index(name[at:], operand)
		if i < 0 {
			return false
		}
		from, end := at+i, at+i+len(operand)
		if (from == 0 || name[from-1] == '/') && (end == len(name) || strings.ContainsRune("/:[", rune(name[end]))) {
			return true
		}
		at = from + 1
	}
}

// maxLocations bounds the places and tests that are read of one output.
const maxLocations = 20

// failing lists the places and the tests that the output of a check names as failing.
func failing(text string) (places, names []string) {
	for _, m := range failingTest().FindAllStringSubmatch(text, maxLocations) {
		names = append(names, m[1]+m[2])
	}
	for _, m := range failingPlace().FindAllStringSubmatch(text, maxLocations) {
		places = append(places, strings.TrimPrefix(m[1], "./"))
	}
	if len(places) == 0 {
		for _, m := range findingIn().FindAllStringSubmatch(text, maxLocations) {
			places = append(places, strings.TrimPrefix(m[1], "./"))
		}
	}
	return places, names
}

var (
	// failingTest matches a test that failed, as Go and Rust report it.
	failingTest = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?m)^\s*--- FAIL: (\S+)|^test (\S+) \.\.\. FAILED`)
	})
	// failingPlace matches a package or a file whose tests failed, as Go, pytest, Jest and Vitest report it.
	failingPlace = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?m)^\s*(?:FAIL|FAILED|ERROR|❯|×)\s+([\w@.+-]*[/.][\w@.+/:\[\]-]*)`)
	})
	// findingIn matches the place of a finding, or the line of its file above it.
	findingIn = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?m)^\s*(?:\[\w+\] |--> |[Ww]ould reformat:? )?((?:/|\./)?[\w@+-][\w@.+/-]*\.\w{1,6})(?:\s*$|:\d|\(\d)`)
	})
)
