package event

import "strings"

// plain normalizes the spelling of a tool's name: read_file, ReadFile, readFile.
func plain(tool string) string { return strings.ReplaceAll(strings.ToLower(tool), "_", "") }

// classOf returns the class of a tool by its name, for all agents.
func classOf(tool string) Class {
	switch plain(tool) {
	case "read", "view", "readfile", "readfiles", "readmanyfiles", "viewfile", "notebookread":
		return Read
	case "edit", "multiedit", "replace", "replaceinfile", "replacestringinfile", "multireplacestringinfile",
		"searchreplace", "replacefilecontent", "strreplaceeditor", "applypatch", "patch", "editor", "notebookedit",
		"editfiles", "editfile", "inserteditintofile", "delete", "deletefile":
		return Edit
	case "write", "create", "createfile", "writefile", "writetofile":
		return Create
	case "grep", "glob", "rg", "grepsearch", "filesearch", "searchfiles", "list", "ls", "listdirectory", "listdir",
		"semanticsearch", "codebasesearch", "textsearch":
		return Search
	case "bash", "shell", "powershell", "runshellcommand", "runterminalcmd", "runinterminal", "runterminalcommand",
		"runcommand", "runcommands", "executecommand", "execcommand", "localshell":
		return Shell
	case "webfetch", "websearch", "googlewebsearch", "fetch", "fetchwebpage", "githubrepo", "githubtextsearch":
		return Web
	}
	return OtherClass
}

// pathKeys are the members in which tools take the path of a file.
func pathKeys() []string {
	return []string{"file_path", "filePath", "notebook_path", "absolute_path", "AbsolutePath", "TargetFile", "path", "target_file", "file"}
}

// NewCall reads a tool call from the tool's name and its input, for all agents.
func NewCall(tool, id string, input Value) Call {
	if text := input.Text(); text != "" { // some agents send the arguments as JSON in a string
		if v, err := ScanString(text); err == nil {
			input = v
		} else if strings.HasPrefix(strings.TrimSpace(text), "*** Begin Patch") {
			return Call{Tool: tool, ID: id, Class: Edit, Targets: PatchTargets(text)}
		}
	}
	c := Call{Tool: tool, ID: id, Class: classOf(tool)}
	switch c.Class {
	case Read, Edit, Create:
		c.Targets = fileTargets(input, c.Class)
		c.Before, c.After, c.Put = edited(input)
	case Search:
		c.Query = input.Str("pattern", "query", "regex", "Query")
		c.Targets = searchTargets(input, namesFiles(tool))
	case Shell:
		c.Command = command(input)
		c.Targets = shellTargets(c.Command)
	case Web:
		c.URL = input.Str("url", "query")
	}
	if ofBrowser(tool) {
		c.URL = input.Str("url")
	}
	switch plain(tool) { // of a command in the background
	case "bashoutput", "taskoutput":
		c.Background = input.Str("task_id", "bash_id", "shell_id")
	case "writestdin":
		c.Background = input.Small("session_id")
	}
	if act := TodoActOf(tool); act != "" {
		c.Query = todoQuery(act, input)
	}
	if ask := AskOf(tool); ask != "" {
		c.Query = askQuery(ask, input)
	}
	return c
}

func command(input Value) string {
	if s := input.Str("command", "cmd", "command_line", "CommandLine"); s != "" {
		return s
	}
	words := input.Strings("command") // an argument vector: ["bash", "-lc", "cat x"]
	if len(words) == 0 {
		words = input.Strings("cmd")
	}
	if n := len(words); n >= 3 && strings.HasPrefix(words[n-2], "-") && strings.HasSuffix(words[n-2], "c") {
		return words[n-1]
	}
	return strings.Join(words, " ")
}

func fileTargets(input Value, class Class) []Target {
	var out targets
	for _, key := range []string{"command", "input", "patch", "patchText", "patch_text"} {
		if text := input.Str(key); strings.Contains(text, "*** Begin Patch") {
			return PatchTargets(text)
		}
	}
	if p := input.Str(pathKeys()...); p != "" {
		out.add(Target{Path: p, Class: class, Spans: spanOf(input), Replaced: replaced(input)})
	}
	for _, key := range []string{"paths", "file_paths", "filePaths", "files", "include"} {
		for _, p := range input.Strings(key) {
			out.add(Target{Path: p, Class: class})
		}
		for _, it := range input.Get(key).Items() {
			if p := it.Str(pathKeys()...); p != "" {
				out.add(Target{Path: p, Class: class})
			}
		}
	}
	for _, it := range input.Get("replacements").Items() {
		if p := it.Str(pathKeys()...); p != "" {
			out.add(Target{Path: p, Class: class, Replaced: replacement(it)})
		}
	}
	return out
}

// spanOf returns the lines that a reading tool asks for.
func spanOf(input Value) []Span {
	from, begins := input.Number("offset")
	most, ends := input.Number("limit")
	for _, names := range [][2]string{{"start_line", "end_line"}, {"startLine", "endLine"}} {
		if last, ok := input.Number(names[1]); ok {
			from, begins = input.Number(names[0])
			most, ends = last-from+1, true
		}
	}
	if !ends || most <= 0 || begins && from < 0 {
		return nil
	}
	first := max(1, int(from))
	return []Span{{first, first + int(most) - 1}}
}

// replaced returns the replacements of an edit in one file.
func replaced(input Value) []Replacement {
	out := replacement(input)
	for _, key := range []string{"edits", "replacements"} {
		for _, e := range input.Get(key).Items() {
			if e.Str(pathKeys()...) == "" {
				out = append(out, replacement(e)...)
			}
		}
	}
	return out
}

// replacement returns one replacement.
func replacement(v Value) []Replacement {
	e := Replacement{v.Str("old_string", "oldString", "old_str", "oldText"), v.Str("new_string", "newString", "new_str", "newText")}
	if e == (Replacement{}) {
		return nil
	}
	return []Replacement{e}
}

// namesFiles reports whether the tool's pattern is a glob over file names.
func namesFiles(tool string) bool {
	switch plain(tool) {
	case "glob", "filesearch":
		return true
	}
	return false
}

// searchTargets returns the searched folder: the given path, narrowed by the literal
// prefix of a glob, else the current folder.
func searchTargets(input Value, pattern bool) []Target {
	base := input.Str("path", "dir_path", "directory", "SearchPath", "DirectoryPath", "search_path", "includePattern")
	glob := input.Str("glob", "include", "glob_pattern")
	if pattern && glob == "" {
		glob = input.Str("pattern", "query", "glob_pattern")
	}
	if strings.ContainsAny(base, "*?[{") {
		base = GlobFolder(base)
	}
	if dir := GlobFolder(glob); dir != "" {
		switch {
		case base == "" || Absolute(dir):
			base = dir
		default:
			base = strings.TrimRight(base, `/\`) + "/" + dir
		}
	}
	if base == "" {
		base = "."
	}
	return []Target{{Path: base, Dir: true, Class: Search}}
}

// GlobFolder returns the folder in a glob's literal prefix, or "".
func GlobFolder(glob string) string {
	if i := strings.IndexAny(glob, "*?[{!"); i >= 0 {
		glob = glob[:i]
	}
	i := strings.LastIndexAny(glob, `/\`)
	if i <= 0 {
		return ""
	}
	return glob[:i]
}

// Absolute reports whether a path is absolute on Unix or on Windows.
func Absolute(p string) bool {
	return strings.HasPrefix(p, "/") || strings.HasPrefix(p, `\\`) || len(p) > 2 && p[1] == ':' && (p[2] == '\\' || p[2] == '/')
}

// maxTargets bounds the places of one call.
const maxTargets = 32

// targets collects places without duplicates.
type targets []Target

func (t *targets) add(n Target) {
	if n.Path == "" || len(n.Path) > 4096 || strings.ContainsRune(n.Path, 0) || len(*t) >= maxTargets {
		return
	}
	for i, have := range *t {
		if have.Path == n.Path {
			(*t)[i].join(n)
			return
		}
	}
	*t = append(*t, n)
}

// join adds what another call for the same place says.
func (t *Target) join(n Target) {
	t.Replaced = append(t.Replaced, n.Replaced...)
	if t.Spans == nil || n.Spans == nil {
		t.Spans = nil // one of them is of the whole file
		return
	}
	t.Spans = append(t.Spans, n.Spans...)
}

// PatchTargets finds the files that a patch in the apply_patch format changes.
func PatchTargets(patch string) []Target {
	var out targets
	var before, after strings.Builder
	flush := func() {
		if n := len(out); n > 0 && before.Len()+after.Len() > 0 {
			out[n-1].Replaced = append(out[n-1].Replaced, Replacement{before.String(), after.String()})
		}
		before.Reset()
		after.Reset()
	}
	for line := range strings.Lines(patch) {
		rest, ok := strings.CutPrefix(strings.TrimRight(line, "\r\n"), "*** ")
		if !ok {
			switch line[0] {
			case '@':
				flush()
			case ' ':
				before.WriteString(line[1:])
				after.WriteString(line[1:])
			case '-':
				before.WriteString(line[1:])
			case '+':
				after.WriteString(line[1:])
			}
			continue
		}
		flush()
		for head, class := range map[string]Class{"Add File: ": Create, "Update File: ": Edit, "Delete File: ": Edit, "Move to: ": Create} {
			if p, ok := strings.CutPrefix(rest, head); ok {
				out.add(Target{Path: strings.TrimSpace(p), Class: class})
			}
		}
	}
	flush()
	return out
}
