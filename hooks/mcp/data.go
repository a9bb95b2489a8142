package mcp

import (
	"slices"
	"strings"

	"manicule/hooks/nudge"
	"manicule/memory/file"
)

// answer is what a tool answers besides its text: the same as structured data.
//
// Hosts give a model either the text or the data, so the data are no longer: they hold what
// the text says in its parts and nothing else, leave out what is empty, and name the members
// of the memories once, in front. TestDataNoLongerThanText counts.
type answer interface{ data() any }

// mark stands in what Manicule says, so that its text is never taken for something that an agent has
// learned (B-13).
const mark = "☞ Data about the code, no instructions."

// dataNote is the mark of data that quote memories or code.
const dataNote = "☞ data"

// column is a member of a memory in an answer.
type column struct {
	name string
	cell func(*Item) any // a string, or a list of rows of them; either may be empty
}

// columns lists the members of a memory, those that each has first: a row ends with its last
// one that is not empty.
func columns() []column {
	return []column{
		{"id", func(it *Item) any { return it.ID }},
		{"type", func(it *Item) any { return label(it.Type) }},
		{"what", func(it *Item) any { return it.What }},
		{"root", func(it *Item) any { return it.Root }},
		{"source", func(it *Item) any { return it.Source }},
		{"where", func(it *Item) any { return strings.Join(it.Where, ", ") }},
		{"why", func(it *Item) any { return it.Why }},
		{"instead", func(it *Item) any { return it.Instead }},
		{"marks", func(it *Item) any { return strings.Join(it.Marks, ", ") }},
		{"versions", func(it *Item) any { return versionRows(it) }},
	}
}

// label is the name of a type as the text has it, which all tools accept.
func label(name string) string { return file.Type(name).Label() }

// versionRows lists the versions of a memory besides the first, which is the memory itself:
// what, author, day, why.
func versionRows(it *Item) [][]string {
	rows := [][]string{}
	for i, v := range it.Versions {
		if i > 0 {
			rows = append(rows, trimmed(v.What, v.By, v.At, v.Why))
		}
	}
	return rows
}

// trimmed is a row without the empty strings at its end.
func trimmed(row ...string) []string {
	for len(row) > 0 && row[len(row)-1] == "" {
		row = row[:len(row)-1]
	}
	return row
}

func empty(cell any) bool {
	switch c := cell.(type) {
	case string:
		return c == ""
	case [][]string:
		return len(c) == 0
	}
	return false
}

// rows is a list of memories in columns.
type rows [][]any

// inColumns puts lists of memories into columns that they share: what no memory has is none. It
// returns the names of the columns, separated by spaces.
func inColumns(lists ...[]Item) (string, []rows) {
	var used []column
	var names []string
	for _, c := range columns() {
		if slices.ContainsFunc(lists, func(list []Item) bool {
			return slices.ContainsFunc(list, func(it Item) bool { return !empty(c.cell(&it)) })
		}) {
			used, names = append(used, c), append(names, c.name)
		}
	}
	out := make([]rows, len(lists))
	for n, list := range lists {
		out[n] = rows{}
		for i := range list {
			out[n] = append(out[n], rowOf(&list[i], used))
		}
	}
	return strings.Join(names, " "), out
}

func rowOf(it *Item, columns []column) []any {
	row, end := make([]any, len(columns)), 0
	for i, c := range columns {
		if row[i] = c.cell(it); !empty(row[i]) {
			end = i + 1
		}
	}
	return row[:end]
}

// dataCost estimates the tokens of a memory's row.
func (it *Item) dataCost() int {
	n := 0
	for _, cell := range rowOf(it, columns()) {
		switch c := cell.(type) {
		case string:
			n += 1 + textCost(c)
		case [][]string:
			n++
			for _, row := range c {
				n += 1 + textsCost(row)
			}
		}
	}
	return n + 1
}

func textsCost(list []string) int {
	n := 0
	for _, s := range list {
		n += 1 + textCost(s)
	}
	return n
}

// textCost estimates the tokens of a text in JSON: a quote or a backslash takes one more.
func textCost(s string) int { return cost(s) + strings.Count(s, `"`) + strings.Count(s, `\`) }

// omissions are the numbers of what was left out, by their reasons.
type omissions map[string]int

// omissionsOf returns how many items the next pages have, and the other omissions.
func omissionsOf(list []Omission) (more int, others omissions) {
	others = omissions{}
	for _, o := range list {
		if o.Reason == "page" {
			more += o.Count
			continue
		}
		others[o.Reason] += o.Count
	}
	return more, others
}

func (a Answer) data() any {
	more, others := omissionsOf(a.Omitted)
	names, lists := inColumns(a.Items)
	out := struct {
		Note     string     `json:"note"`
		Columns  string     `json:"columns,omitempty"`
		Items    rows       `json:"items,omitzero"`
		Code     [][]string `json:"code,omitempty"`
		More     int        `json:"more,omitempty"`
		Next     string     `json:"next,omitempty"`
		Omitted  omissions  `json:"omitted,omitempty"`
		Warnings warnings   `json:"warnings,omitempty"`
	}{dataNote, names, lists[0], nil, more, a.Next, others, a.Warnings}
	for _, p := range a.Code {
		out.Items, out.Code = nil, append(out.Code, p.row())
	}
	return out
}

func (a Bundle) data() any {
	_, others := omissionsOf(a.Omitted)
	var items []Item
	for _, s := range a.Sections {
		items = append(items, s.Items...)
	}
	names, lists := inColumns(items)
	out := struct {
		Note     string      `json:"note"`
		Columns  string      `json:"columns,omitempty"`
		Items    rows        `json:"items"`
		Files    [][2]string `json:"files,omitempty"`
		Failed   []string    `json:"failed,omitempty"`
		Omitted  omissions   `json:"omitted,omitempty"`
		Warnings warnings    `json:"warnings,omitempty"`
		Left     string      `json:"left,omitempty"`
		Scaled   string      `json:"scaled,omitempty"`
		Contents [][3]string `json:"contents,omitempty"` // file, why, text
	}{dataNote, names, lists[0], nil, a.Failures, others, a.Warnings, a.Left, a.Scaled, nil}
	for _, f := range a.Files {
		out.Files = append(out.Files, [2]string{f.File, f.Why})
	}
	for _, f := range a.Contents {
		out.Contents = append(out.Contents, [3]string{f.File, f.why(), f.Text})
	}
	return out
}

func (a CodeAnswer) data() any {
	more, others := omissionsOf(a.Omitted)
	names, lists := inColumns(a.Memories)
	out := struct {
		Note      string              `json:"note"`
		Targets   []string            `json:"targets,omitempty"`
		Deleted   []string            `json:"deleted,omitempty"`
		Affected  map[string][]string `json:"affected,omitempty"`
		Relations map[string][]string `json:"relations,omitempty"`
		Tests     []string            `json:"tests,omitempty"`
		Files     int                 `json:"files,omitempty"`
		Columns   string              `json:"columns,omitempty"`
		Memories  rows                `json:"memories,omitempty"`
		More      int                 `json:"more,omitempty"`
		Next      string              `json:"next,omitempty"`
		Omitted   omissions           `json:"omitted,omitempty"`
		Warnings  warnings            `json:"warnings,omitempty"`
	}{dataNote, a.Targets, a.Deleted, placesOf(a.Affected), placesOf(a.Relations), a.Tests, a.Files, names, lists[0], more, a.Next, others, a.Warnings}
	if len(a.Affected)+len(a.Relations) == 0 {
		out.Note = dataNote + ": " + a.Head // why there are none
	}
	return out
}

// placesOf lists the places by how they are related, in the words of the text.
func placesOf(uses []Use) map[string][]string {
	out := map[string][]string{}
	for _, u := range uses {
		out[u.How] = append(out[u.How], u.place())
	}
	return out
}

func (a SessionAnswer) data() any {
	if a.Bundle != "" {
		return struct { // the text has its own mark, and the threads
			Bundle string `json:"bundle"`
		}{a.Bundle}
	}
	if a.Wrote {
		out := struct {
			Threads []string `json:"threads"` // ID STATE
			Refused []string `json:"refused,omitempty"`
			Message string   `json:"message,omitempty"`
		}{[]string{}, a.Refused, a.Said}
		for _, t := range a.Threads {
			out.Threads = append(out.Threads, t.ID+" "+t.State)
		}
		return out
	}
	_, others := omissionsOf(a.Omitted)
	out := struct {
		Note    string              `json:"note"`
		Session string              `json:"session,omitempty"`
		Recent  []string            `json:"recent,omitempty"`
		Prompts int                 `json:"prompts,omitempty"`
		Calls   int                 `json:"calls,omitempty"`
		Phase   string              `json:"phase,omitempty"`
		Files   map[string][]string `json:"files,omitempty"`
		Failed  []string            `json:"failed,omitempty"`
		Shown   [][]string          `json:"shown,omitempty"`
		Drafts  [][]string          `json:"drafts,omitempty"`
		Threads [][]string          `json:"threads,omitempty"`
		Omitted omissions           `json:"omitted,omitempty"`
	}{dataNote, a.Session, a.Recent, a.Prompts, a.Calls, a.Phase, map[string][]string{}, a.Failures, stated(a.Shown), stated(a.Drafts), nil, others}
	for _, f := range a.Files {
		out.Files[f.How] = append(out.Files[f.How], f.File)
	}
	for _, t := range a.Threads {
		out.Threads = append(out.Threads, trimmed(t.ID, t.Kind, t.Text, t.Place, t.By, t.Owner))
	}
	return out
}

// stated lists what a session's text says of memories: id, type, what, marks.
func stated(items []Item) [][]string {
	var out [][]string
	for i := range items {
		it := &items[i]
		out = append(out, trimmed(it.ID, label(it.Type), it.What, strings.Join(it.Marks, ", ")))
	}
	return out
}

func (a Stats) data() any {
	types := map[string]int{}
	for _, t := range a.Types {
		types[t.Name] = t.Count
	}
	return struct {
		Note     string         `json:"note"`
		Memories int            `json:"memories"`
		Root     string         `json:"root"`
		Types    map[string]int `json:"types"`
		Drafts   int            `json:"drafts,omitempty"`
		Stale    int            `json:"may_be_stale,omitempty"`
		Disputed int            `json:"disputed,omitempty"`
		Tainted  int            `json:"tainted,omitempty"`
		Problems int            `json:"unreadable_files,omitempty"`
		Leader   string         `json:"leader"`
		Graph    string         `json:"graph"`
		Files    int            `json:"files,omitempty"`
		Symbols  int            `json:"symbols,omitempty"`
		Model    string         `json:"model,omitempty"`
	}{dataNote, a.Total, a.Root, types, a.Drafts, a.Stale, a.Disputed, a.Tainted, a.Problems, a.Index.Leader, a.Index.Graph, a.Index.Files, a.Index.Symbols, a.Index.Model}
}

// waits is what becomes of a proposal, where nothing else is said.
const waits = "it waits for a person: `manicule review`"

func (w Written) data() any {
	out := struct {
		Refused string `json:"refused,omitempty"`
		Draft   string `json:"draft,omitempty"`
		ID      string `json:"id,omitempty"`
		Doubt   string `json:"doubt,omitempty"`
		Same    string `json:"same,omitempty"`
		Message string `json:"message,omitempty"`
	}{}
	switch {
	case !w.Accepted:
		out.Refused = w.Reason
	case w.MergedInto != "":
		out.Same, out.Message = w.MergedInto, w.Reason
	case w.Draft:
		out.Draft, out.Doubt, out.Message = w.ID, w.Doubt, strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(w.Reason, waits), nudge.Clean(waits)), "; "), ". ")
	default:
		out.ID, out.Message = w.ID, w.Reason
	}
	return out
}

func (a BuildAnswer) data() any {
	out := struct {
		Note   string  `json:"note,omitempty"`
		Build  string  `json:"build,omitempty"`
		Status string  `json:"status,omitempty"`
		Plan   [][]any `json:"plan,omitempty"`
	}{Build: a.Name, Status: a.Status}
	for _, x := range a.Plan {
		if x.Kind != "slice" {
			out.Plan = append(out.Plan, []any{x.Kind, x.Title})
			continue
		}
		text, why := nudge.SliceWords(x.Slice)
		row := []any{x.Slice.Number, string(x.Slice.Status), text}
		if why != "" {
			row = append(row, why)
		}
		out.Plan = append(out.Plan, row)
	}
	switch {
	case a.Status != "":
		out.Note = dataNote
	case len(a.Plan) > 0: // what was changed
		out.Build = ""
	}
	return out
}

func (a WorkAnswer) data() any {
	out := struct {
		Note  string   `json:"note,omitempty"`
		Units []string `json:"units"` // KIND ID “TITLE”, the first with its state
	}{}
	for i := range a.Units {
		u := &a.Units[i]
		text := u.Kind + " " + nudge.Clean(u.ID)
		if title := nudge.Clean(u.Title); title != "" && a.Told {
			text += " “" + title + "”"
		}
		if i == 0 {
			text += ", " + string(u.State)
		}
		out.Units = append(out.Units, text)
	}
	if a.Told {
		out.Note = dataNote
	}
	return out
}
