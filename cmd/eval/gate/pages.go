package gate

import (
	"regexp"
	"strings"
)

var (
	heading = regexp.MustCompile(`^#{1,6} +(.*)$`)
	fence   = regexp.MustCompile("^\\s*```")
)

// blockKind is what a block of a page is by its marks.
type blockKind int

const (
	paragraph blockKind = iota
	item
	headline
)

// blocksOf hands on the headings, items and paragraphs of a page, without their marks. What is in a fence or a table is none.
func blocksOf(page string, each func(kind blockKind, text string)) {
	lines := strings.Split(strings.ReplaceAll(strings.ToValidUTF8(page, "\uFFFD"), "\r\n", "\n"), "\n")
	inFence := false
	for i := 0; i < len(lines); {
		l := lines[i]
		i++
		if fence.MatchString(l) {
			inFence = !inFence
			continue
		}
		trimmed := strings.TrimSpace(l)
		if inFence || trimmed == "" || strings.HasPrefix(trimmed, "|") {
			continue
		}
		if m := heading.FindStringSubmatch(l); m != nil {
			each(headline, strings.Trim(m[1], "# *"))
			continue
		}
		block := []string{trimmed}
		for ; i < len(lines) && strings.TrimSpace(lines[i]) != "" && !listMark.MatchString(lines[i]) && !heading.MatchString(lines[i]) && !fence.MatchString(lines[i]); i++ {
			block = append(block, strings.TrimSpace(lines[i]))
		}
		kind := paragraph
		if listMark.MatchString(l) {
			kind = item
		}
		each(kind, strings.TrimSpace(listMark.ReplaceAllString(strings.Join(block, "\n"), "")))
	}
}

// spread picks at most so many pages from all over a list.
func spread(paths []string, most int) []string {
	if len(paths) <= most {
		return paths
	}
	out := make([]string, 0, most)
	for i := range most {
		out = append(out, paths[i*len(paths)/most])
	}
	return out
}
