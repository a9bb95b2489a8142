package scope

import "strings"

// Real returns a pattern with the folders or the file that it begins with replaced by what links in them lead to, as real
// says of a path; it is the pattern itself where no link does, or where one leads out of the workspace. Paths are asked for by
// the names of files themselves, so the name of a link would match none.
func Real(pattern string, real func(path string) (string, bool)) string {
	g, negative := strings.CutPrefix(strings.TrimSpace(pattern), "!")
	g = slashes(g)
	for strings.HasPrefix(g, "./") || strings.HasPrefix(g, "/") {
		g = strings.TrimPrefix(strings.TrimPrefix(g, "."), "/")
	}
	begin := strings.TrimRight(g, "/")
	if i := strings.IndexAny(g, `*?[{\`); i >= 0 {
		begin = g[:max(0, strings.LastIndex(g[:i], "/"))]
	}
	if begin == "" || hasDotDot(begin) {
		return pattern
	}
	to, ok := real(begin)
	if !ok || to == "" || strings.EqualFold(to, begin) { // a file system that ignores case may say it in another one
		return pattern
	}
	to += g[len(begin):]
	if negative {
		return "!" + to
	}
	return to
}
