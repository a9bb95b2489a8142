package event

import (
	"hash/fnv"
	"strconv"
	"strings"
)

// edited reads the texts that an edit inserts, and digests of what it removes and inserts.
func edited(input Value) (before, after, text string) {
	var old, put, lines strings.Builder
	pair := func(v Value) {
		inserted := v.Str("new_string", "newString", "new_str", "newText")
		old.WriteString(v.Str("old_string", "oldString", "old_str", "oldText"))
		put.WriteString(inserted)
		lines.WriteString(inserted + "\n")
	}
	pair(input)
	for _, key := range []string{"edits", "replacements"} {
		for _, e := range input.Get(key).Items() {
			pair(e)
		}
	}
	if put.Len() == 0 {
		lines.Reset()
		lines.WriteString(input.Str("content", "contents", "file_text", "CodeContent"))
	}
	return Digest(old.String()), Digest(put.String()), lines.String()
}

// Digest is a short mark of a text, for telling whether two are the same; "" of an empty one.
func Digest(text string) string {
	if text == "" {
		return ""
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(text)) // a hash never fails
	return strconv.FormatUint(h.Sum64(), 36)
}

// Result records the tool's result in a call: its size, the line that an edit changes, the number of a
// search's results, and the number of an item that was added to the agent's list.
func (c *Call) Result(response Value) {
	c.Bytes = response.Size()
	c.background(response)
	if ofBrowser(c.Tool) {
		c.look(strings.Join(append(response.texts(nil), c.Error), "\n"))
	}
	if n := itemNumber(response); n != "" && TodoActOf(c.Tool) == TodoAdds {
		c.Query = n + "\t" + c.Query
	}
	if c.Class == Edit {
		c.Line = patchedLine(response)
	}
	if c.Class != Search {
		return
	}
	for _, key := range []string{"numFiles", "numMatches", "numLines"} {
		if n, ok := response.Number(key); ok && (n > 0 || c.Found == nil) {
			found := int(n)
			c.Found = &found
		}
	}
	if files := response.Get("filenames"); c.Found == nil && files.kind == '[' {
		found := len(files.items)
		c.Found = &found
	}
}

// patchedLine returns the first line that the hunks of a result change, or 0: a hunk begins with lines
// that stay as they are.
func patchedLine(response Value) int {
	hunks := response.Get("structuredPatch").Items()
	if len(hunks) == 0 {
		return 0
	}
	start, ok := hunks[0].Number("newStart")
	if !ok || start < 1 {
		return 0
	}
	line := int(start)
	for _, text := range hunks[0].Strings("lines") {
		if !strings.HasPrefix(text, " ") {
			return line
		}
		line++
	}
	return int(start)
}

// Size returns the length of all texts in a value in bytes, as far as they were kept.
func (v Value) Size() int {
	n := len(v.text)
	for _, m := range v.members {
		n += m.value.Size()
	}
	for _, it := range v.items {
		n += it.Size()
	}
	return n
}

// texts appends all texts in a value.
func (v Value) texts(all []string) []string {
	if v.text != "" {
		all = append(all, v.text)
	}
	for _, m := range v.members {
		all = m.value.texts(all)
	}
	for _, it := range v.items {
		all = it.texts(all)
	}
	return all
}

// SimpleCommands splits a shell command line into the simple commands that it plainly
// runs: the words of each, without redirections, assignments and wrappers such as sudo.
// The commands inside `sh -c` replace it.
func SimpleCommands(line string) [][]string {
	var out [][]string
	for _, p := range Pipelines(line) {
		out = append(out, p...)
	}
	return out
}

// Pipelines returns the simple commands of a line, grouped by pipelines.
func Pipelines(line string) [][][]string { return pipelines(line, 0) }

func pipelines(line string, depth int) [][][]string {
	var out [][][]string
	var joined [][]string // the current pipeline
	piped := false        // followed by a pipe
	closed := false       // followed by a bracket: the next command begins a new pipeline, unless it is piped there
	end := func() {
		if len(joined) > 0 {
			out = append(out, joined)
		}
		joined, piped, closed = nil, false, false
	}
	r := shellReader{out: new(targets)}
	command := func() {
		args := unwrap(r.redirect())
		r.words = r.words[:0]
		if len(args) == 0 {
			return
		}
		if closed {
			end()
		}
		piped = false
		if inner := nestedLine(args); inner != "" && depth < maxNesting {
			all := pipelines(inner, depth+1)
			if n := len(all) - 1; n >= 0 { // its first command reads the pipe, its last one writes to the pipe
				joined = append(joined, all[0]...)
				if n > 0 {
					out = append(append(out, joined), all[1:n]...)
					joined = all[n]
				}
			}
			return
		}
		var texts []string
		for _, a := range args {
			texts = append(texts, a.text)
		}
		joined = append(joined, texts)
	}
	for _, w := range words(line) {
		if !w.op || redirection(w.text) {
			r.words = append(r.words, w)
			continue
		}
		command()
		switch {
		case w.text == "|" || w.text == "|&":
			piped, closed = true, false
		case w.text == ")":
			closed = true
		case piped && (w.text == ";" || w.text == "("): // a line may end with a pipe, or commands that read it begin
		default:
			end()
		}
	}
	command()
	end()
	return out
}

// nestedLine returns the command line passed to a shell, or "".
func nestedLine(args []word) string {
	if !isOneOf(program(args[0].text), "bash", "sh", "zsh", "dash") {
		return ""
	}
	for i, a := range args[1:] {
		if strings.HasPrefix(a.text, "-") && strings.HasSuffix(a.text, "c") && i+2 < len(args) {
			return args[i+2].text
		}
	}
	return ""
}
