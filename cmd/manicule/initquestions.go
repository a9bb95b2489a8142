package main

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"

	"manicule/grammars"
	"manicule/hooks/setup"
	"manicule/indexer/code"
	"manicule/memory"
	"manicule/memory/importer"
	"manicule/memory/services"
)

// asks reports whether a person is there to answer questions.
func (ic *initCommand) asks() bool {
	return ic.tty && ic.inputTTY && !ic.json && !ic.dryRun && !ic.undo && ic.agent() == ""
}

// confirm asks a question that enter answers with yes, or with no.
func (ic *initCommand) confirm(question string, yes bool) bool {
	choice := "[Y/n]"
	if !yes {
		choice = "[y/N]"
	}
	if ic.answers == nil {
		ic.answers = bufio.NewReader(ic.in)
	}
	for {
		ic.printf("%s %s ", question, choice)
		line, err := ic.answers.ReadString('\n')
		if err != nil && line == "" {
			ic.printf("\n")
			return false // whoever closes the input wants nothing more
		}
		switch strings.ToLower(strings.TrimSpace(line)) {
		case "":
			return yes
		case "y", "yes":
			return true
		case "n", "no":
			return false
		}
	}
}

// askAgents offers the agents that the person uses and that have nothing of Manicule here.
func (ic *initCommand) askAgents(s *setup.Setup) error {
	if len(ic.setup.Agents) > 0 || !ic.asks() {
		return nil
	}
	without, err := s.Plan(setup.Options{})
	if err != nil {
		return err
	}
	var found []string
	for _, name := range s.Found() {
		with, err := s.Plan(setup.Options{Agents: []string{name}, Shared: ic.setup.Shared, NoMCP: ic.setup.NoMCP})
		if err != nil {
			ic.warn("%s is not set up: %v", name, err)
			continue
		}
		if len(with) > len(without) {
			found = append(found, name)
		}
	}
	if len(found) > 0 && ic.confirm("You use "+join(found)+". Tell "+pronoun(len(found))+" what is remembered here?", true) {
		ic.setup.Agents = found
	}
	return nil
}

func pronoun(n int) string {
	if n == 1 {
		return "it"
	}
	return "them"
}

// importRules reads the rule files if the person wants it.
func (ic *initCommand) importRules(ctx context.Context) (rows []imported, err error) {
	if ic.noImport || !ic.doImport && !ic.asks() {
		return nil, nil
	}
	reader := &importCommand{cli: ic.cli}
	err = ic.with(ctx, func(w *services.Workspace) error {
		chunks, rep, err := reader.readRules(ctx, w, nil)
		if err != nil {
			return err
		}
		rows, err = importChunks(ctx, w, chunks, true)
		fresh := countNew(rows)
		if err != nil || fresh == 0 {
			return err
		}
		if !ic.doImport && !ic.confirm(fmt.Sprintf("%s: import %s?", ruleFilesFound(importer.TallyOf(chunks, rep)), count(fresh, "memory", "memories")), true) {
			rows = nil
			return nil
		}
		if rows, err = importChunks(ctx, w, chunks, false); err != nil {
			return err
		}
		if !ic.json {
			reader.printImport(rows, rep)
		}
		if _, err := ic.embedMissing(ctx, w); err != nil {
			ic.warn("the memories can't all be found by meaning: %v", err)
		}
		return nil
	})
	return rows, err
}

func countNew(rows []imported) int {
	n := 0
	for _, r := range rows {
		if r.Result == "new" {
			n++
		}
	}
	return n
}

// ruleFilesFound names the rule files that hold memories: "3 rule files (AGENTS.md, CLAUDE.md, …)".
func ruleFilesFound(tallies []importer.Tally) string {
	const named = 3
	var names []string
	for _, t := range tallies {
		if len(t.Types) > 0 {
			names = append(names, t.File)
		}
	}
	text := count(len(names), "rule file", "rule files")
	if len(names) > named {
		names = append(names[:named], "…")
	}
	return text + " (" + strings.Join(names, ", ") + ")"
}

// offerModel installs the model that finds memories by meaning, if there is none and the person
// wants it.
func (ic *initCommand) offerModel(ctx context.Context) {
	if !ic.asks() {
		return
	}
	installer := &modelInstallCommand{modelCommand: modelCommand{ic.cli}}
	kept, err := installer.models()
	if err != nil {
		return // `manicule model install` says why
	}
	m, err := modelByName(nil)
	if err != nil || kept.Installed(m) {
		return
	}
	size := humanize.Bytes(uint64(kept.DownloadSize(m))) // the question is not longer than a narrow terminal is wide
	if !ic.confirm("Find memories by meaning, too? That downloads a model of "+size+" once.", false) {
		return
	}
	if err := installFault(installer.install(ctx, kept, m, "")); err != nil {
		ic.warn("the model was not installed: %v", err)
		ic.warn("try: %s", services.Hint(err))
	}
}

// next shows what to know first, and where to look at it. Scripts that import nothing get a line, for which no memory is
// read.
func (ic *initCommand) next(ctx context.Context, memories string) error {
	const write = "☞ ready: `manicule remember TEXT --at FILE#Symbol` writes a memory, "
	if !ic.asks() && !ic.doImport {
		if holdsMemories(memories) {
			ic.printf(write + "`manicule list` shows those that are here\n")
		} else {
			ic.printf(write + "`manicule import` reads your rule files\n")
		}
		return nil
	}
	return ic.with(ctx, func(w *services.Workspace) error {
		list, total, _, err := starters(ctx, ic.cli, w)
		if err != nil {
			return err
		}
		if total == 0 {
			ic.printf(write + "`manicule import` reads your rule files\n")
			return nil
		}
		if len(list) > 0 {
			ic.printf("%s\n", ic.paint(bold, "☞ what to know first, of "+count(total, "memory", "memories")))
		}
		for _, f := range list {
			ic.hit(f.Hit)
		}
		shown := make([]memory.Hit, len(list))
		for i, f := range list {
			shown[i] = f.Hit
		}
		ic.printf("ready: `manicule recall %s` or an editor shows what is about a file, `manicule tui` all of it\n", plainPath(cmp.Or(fileAbout(ctx, w, shown), "FILE")))
		return nil
	})
}

// holdsMemories reports whether a folder of memories has a file.
func holdsMemories(dir string) bool {
	files, err := fs.Glob(os.DirFS(dir), "*/*.json")
	return err == nil && len(files) > 0
}

// fileAbout returns a file that one of the memories is about, the first with a place or else the first
// with a scope; "" for none. It prefers code to data and prose.
func fileAbout(ctx context.Context, w *services.Workspace, hits []memory.Hit) string {
	for _, h := range hits {
		if at := currentPlaces(h); len(at) > 0 {
			return at[0].File
		}
	}
	files, err := w.Files().List(ctx)
	if err != nil {
		return ""
	}
	view, second := w.View(), ""
	about := func(path string, uuid string) bool {
		return slices.ContainsFunc(view.ForPath(path, false), func(h memory.Hit) bool { return h.Memory.UUID == uuid && h.Match > memory.MatchProject })
	}
	for _, h := range hits {
		if len(h.Memory.Scope) == 0 {
			continue
		}
		for _, f := range files {
			switch {
			case !about(f, h.Memory.UUID):
			case isCode(f):
				return f
			case second == "" || code.IsDocument(second) && !code.IsDocument(f):
				second = f
			}
		}
	}
	return second
}

// isCode reports whether a file has functions that may call others: it is neither data nor prose.
func isCode(file string) bool {
	lang, ok := grammars.ForPath(file)
	return ok && lang.Resolution != grammars.ResolveNone
}
