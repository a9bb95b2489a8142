package exporter

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"manicule/indexer/sorting"
	"manicule/memory/file"
)

// A topic that outgrows its file is also written as subtopics: a file for each folder that its memories are about, for each
// tag where they are about none, and one for the rest. A subtopic has all memories of its own, so that which ones stand first
// in the topic's file does not change it, in an order that a change of one memory does not move the others in.

// The limits of subtopics.
const (
	leastSubtopic = 3 // memories; fewer are among the rest
	maxSubtopics  = 40
	maxSubtopicID = 80 // characters of a file's name
)

// subtopic is the memories of a topic that are about one folder, or have one tag.
type subtopic struct {
	file, title string
	list        []*file.Memory
}

// subtopics divides the memories of a topic that has no room for them in its file. It returns none where they can't be
// told apart.
func subtopics(topic string, list []*file.Memory, limit int) []subtopic {
	folders := map[string][]*file.Memory{}
	rest := divide(list, "", limit, folders)
	tags := map[string][]*file.Memory{}
	if size(rest) > limit {
		rest = divideByTag(rest, tags)
	}
	var out []subtopic
	for _, folder := range slices.Sorted(maps.Keys(folders)) {
		out = append(out, subtopic{fileOf(topic, "--"+strings.ReplaceAll(folder, "/", "--"), folder), codeSpan(folder + "/"), folders[folder]})
	}
	for _, tag := range slices.Sorted(maps.Keys(tags)) {
		out = append(out, subtopic{fileOf(topic, "-tag--"+tag, tag), "tagged " + codeSpan(tag), tags[tag]})
	}
	sorting.StableFunc(out, func(a, b subtopic) int { return len(b.list) - len(a.list) })
	for _, s := range out[min(maxSubtopics, len(out)):] {
		rest = append(rest, s.list...)
	}
	out = out[:min(maxSubtopics, len(out))]
	if len(out) == 0 {
		return nil
	}
	sorting.Func(out, func(a, b subtopic) int { return strings.Compare(a.file, b.file) })
	if len(rest) > 0 {
		out = append(out, subtopic{strings.TrimSuffix(topic, ".md") + "-other.md", "elsewhere", rest})
	}
	return out
}

// divide sorts memories into groups by the folders below one, each folder again where its memories have no room in a file. It
// returns those of no group.
func divide(list []*file.Memory, below string, limit int, into map[string][]*file.Memory) (rest []*file.Memory) {
	groups := map[string][]*file.Memory{}
	for _, m := range list {
		next, ok := folderBelow(folderOf(m), below)
		if !ok {
			rest = append(rest, m)
			continue
		}
		groups[next] = append(groups[next], m)
	}
	for _, folder := range slices.Sorted(maps.Keys(groups)) {
		group := groups[folder]
		if len(group) < leastSubtopic {
			rest = append(rest, group...)
			continue
		}
		if size(group) > limit {
			group = divide(group, folder, limit, into)
		}
		switch {
		case len(group) >= leastSubtopic:
			into[folder] = group
		default:
			rest = append(rest, group...)
		}
	}
	return rest
}

// divideByTag sorts memories into groups by the tag that most of them share, but for tags that nearly all have.
func divideByTag(list []*file.Memory, into map[string][]*file.Memory) (rest []*file.Memory) {
	count := map[string]int{}
	for _, m := range list {
		for _, t := range m.Tags {
			count[t]++
		}
	}
	for _, m := range list {
		tags := slices.DeleteFunc(slices.Clone(m.Tags), func(t string) bool { return count[t] < leastSubtopic || 4*count[t] > 3*len(list) })
		if len(tags) == 0 {
			rest = append(rest, m)
			continue
		}
		t := slices.MinFunc(tags, func(a, b string) int { return cmp.Or(count[b]-count[a], strings.Compare(a, b)) })
		into[t] = append(into[t], m)
	}
	for t, group := range into {
		if len(group) < leastSubtopic {
			rest = append(rest, group...)
			delete(into, t)
		}
	}
	return rest
}

// folderOf returns the folder that all places of a memory lie in, "" for the root, or if it has no place.
func folderOf(m *file.Memory) string {
	var common []string
	for i, p := range folders(m) {
		parts := strings.FieldsFunc(p, func(r rune) bool { return r == '/' })
		if i == 0 {
			common = parts
			continue
		}
		n := 0
		for n < min(len(common), len(parts)) && common[n] == parts[n] {
			n++
		}
		common = common[:n]
	}
	return strings.Join(common, "/")
}

// folders lists the folders of a memory's places: of files that it is anchored in, and before the first wildcard of a scope.
func folders(m *file.Memory) (out []string) {
	for _, a := range m.Anchors {
		out = append(out, folderPart(a.Path))
	}
	for _, s := range m.Scope {
		if i := strings.IndexAny(s, "*?[{!"); i >= 0 {
			s = s[:i]
			out = append(out, s[:strings.LastIndexByte(s, '/')+1])
			continue
		}
		out = append(out, folderPart(s))
	}
	return out
}

func folderPart(p string) string {
	if d := path.Dir(p); d != "." {
		return d
	}
	return ""
}

// folderBelow returns the folder one level below another one that a folder lies in.
func folderBelow(folder, below string) (string, bool) {
	if below != "" {
		rest, ok := strings.CutPrefix(folder, below+"/")
		if !ok {
			return "", false
		}
		first, _, _ := strings.Cut(rest, "/")
		return below + "/" + first, true
	}
	first, _, _ := strings.Cut(folder, "/")
	return first, first != ""
}

// fileOf names the file of a subtopic. Names that look alike on some file system, or are cut, get a part of their digest.
func fileOf(topic, id, key string) string {
	name := strings.TrimSuffix(topic, ".md") + regexp.MustCompile(`[^A-Za-z0-9._-]+`).ReplaceAllString(id, "_")
	if plain := regexp.MustCompile(`^[a-z0-9._]+(-[a-z0-9._]+)*(/[a-z0-9._]+(-[a-z0-9._]+)*)*$`); !plain.MatchString(key) || strings.Contains(id, "/") || len(name) > maxSubtopicID {
		name = fmt.Sprintf("%s-%x", name[:min(len(name), maxSubtopicID)], sha256.Sum256([]byte(key)))[:min(len(name), maxSubtopicID)+7]
	}
	return name + ".md"
}

// isSubtopic reports whether a file has the name of a subtopic.
func isSubtopic(name string) bool {
	for _, t := range topics {
		stem := strings.TrimSuffix(t.name, ".md")
		if rest, ok := strings.CutPrefix(name, stem+"-"); ok && strings.HasSuffix(name, ".md") && (rest == "other.md" || strings.HasPrefix(rest, "-") || strings.HasPrefix(rest, "tag--")) {
			return true
		}
	}
	return false
}

// size estimates how many bytes the entries of memories take.
func size(list []*file.Memory) (n int) {
	for _, m := range list {
		n += len(longEntry(m))
	}
	return n
}

// indexOf is the section of a topic's file that leads to its subtopics.
func indexOf(list []subtopic) string {
	if len(list) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("\n## All of them, by place\n\n")
	for _, s := range list {
		fmt.Fprintf(&b, "- %s: [%s](%s), %d\n", s.title, s.file, s.file, len(s.list))
	}
	return b.String()
}

// text renders a subtopic: by type, then by place, so that a memory that changes moves no other one.
func (s subtopic) text(topic string, types []file.Type, limit int) string {
	fits := map[*file.Memory]bool{}
	head := markerLine + "# " + topic + ": " + s.title + "\n"
	room := limit - len(head)
	for _, t := range types {
		room -= len(typeHead(t)) + len(moreLine(len(s.list), t))
	}
	foremost := slices.Clone(s.list)
	sorting.StableFunc(foremost, byWeight)
	more := map[file.Type]int{}
	for _, m := range foremost {
		if n := len(longEntry(m)); n <= room {
			room -= n
			fits[m] = true
			continue
		}
		more[m.Type]++
	}
	list := slices.DeleteFunc(foremost, func(m *file.Memory) bool { return !fits[m] })
	sorting.StableFunc(list, func(a, b *file.Memory) int {
		return cmp.Or(strings.Compare(places(a), places(b)), strings.Compare(a.UUID, b.UUID))
	})
	byType := map[file.Type]string{}
	for _, m := range list {
		byType[m.Type] += longEntry(m)
	}
	return head + sections(types, byType, more)
}
