package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"manicule/memory"
	"manicule/memory/change"
	"manicule/memory/sarif"
	"manicule/memory/services"
)

// violation is a place in the code that goes against a memory.
type violation struct {
	UUID    string    `json:"uuid"`
	What    string    `json:"what"`
	File    string    `json:"path"` // of the memory
	At      placeJSON `json:"at"`
	Missing bool      `json:"missing,omitzero"` // the file lacks what it must have

	hit memory.Hit
}

// unusable is a memory file of a change that nobody would be told: it is broken or in quarantine.
type unusable struct {
	File    string `json:"path"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Message string `json:"message"`
}

// addViolations adds what goes against the memories that say what their files may not have, or must have: with a revision
// what came with the changes since.
func (vc *verifyCommand) addViolations(ctx context.Context, w *services.Workspace, wanted map[string]bool, v verifyFlags, out *verifyJSON) error {
	var lines map[string]change.Lines
	touched := vc.within(ctx, w, out.asked)
	if v.diff != "" {
		c, err := change.Since(ctx, w.Root(), out.Since)
		if err != nil {
			return err
		}
		vc.addUnusable(ctx, w, c, v, out)
		lines = c.Lines()
		asked := touched
		touched = func(rel string) bool { _, ok := lines[rel]; return ok && asked(rel) }
	}
	bad, why := w.View().BadRules()
	for i, h := range bad {
		vc.warn("nothing goes against memory %s: %v", h.Memory.ShortID(), why[i])
	}
	found, err := w.View().Violations(ctx, w.Root(), touched)
	if err != nil {
		return err
	}
	for _, x := range found {
		if wanted != nil && !wanted[x.Memory.UUID] || v.diff != "" && !lines[x.File].Brought(x) {
			continue
		}
		out.Violations = append(out.Violations, violation{UUID: x.Memory.UUID, What: firstLine(x.Memory.What), File: relative(w.Root(), x.Path),
			At: placeJSON{File: x.File, Line: x.Line}, Missing: x.Missing, hit: x.Hit})
	}
	out.OK = out.OK && (v.failOn == failNever || len(out.Violations) == 0)
	return nil
}

// addUnusable adds the memory files of a change that can't be used. Without them a check of pull requests would pass what no
// colleague's agent is told, or what was written for it to obey.
func (vc *verifyCommand) addUnusable(ctx context.Context, w *services.Workspace, c *change.Change, v verifyFlags, out *verifyJSON) {
	paths := vc.pathsOf(ctx, w, out.asked)
	if len(out.asked) > len(paths) && len(paths) == 0 { // memories alone are asked for
		return
	}
	asked := below(paths)
	for _, p := range w.View().Problems() {
		if rel := relative(w.Root(), p.Path); c.BroughtOwn(rel) && asked(rel) {
			out.Unusable = append(out.Unusable, unusable{rel, p.Line, p.Column, p.Message})
		}
	}
	out.OK = out.OK && (v.failOn == failNever || len(out.Unusable) == 0)
}

// within returns whether a file is one that the arguments name, or below such a folder; all are, unless a path is among them.
func (vc *verifyCommand) within(ctx context.Context, w *services.Workspace, args []string) func(rel string) bool {
	return below(vc.pathsOf(ctx, w, args))
}

// pathsOf returns the paths among the arguments, relative to the root.
func (vc *verifyCommand) pathsOf(ctx context.Context, w *services.Workspace, args []string) (paths []string) {
	for _, arg := range args {
		if _, err := w.Get(ctx, arg); err == nil {
			continue
		}
		places, err := symbolsAt(ctx, w, vc.here, arg)
		if err != nil || len(places) == 0 {
			places = []string{vc.here(arg)}
		}
		for _, place := range places {
			if asked, inside := memory.Ask(w.Place(), place); inside {
				paths = append(paths, strings.TrimSuffix(asked.Path, "/"))
			}
		}
	}
	return paths
}

// below returns whether a file is one of the paths, or below one; all are, if there is none.
func below(paths []string) func(rel string) bool {
	return func(rel string) bool {
		return len(paths) == 0 || slices.ContainsFunc(paths, func(p string) bool { return p == "" || rel == p || strings.HasPrefix(rel, p+"/") })
	}
}

// printViolations prints each memory with the places that go against it.
func (vc *verifyCommand) printViolations(list []violation, limit int) {
	if len(list) == 0 {
		return
	}
	vc.printf("\n%s\n", vc.paint(bold, "the code goes against"))
	shown := room(limit, len(list))
	var order []string
	of := map[string][]violation{}
	for _, x := range list[:shown] {
		if of[x.UUID] == nil {
			order = append(order, x.UUID)
		}
		of[x.UUID] = append(of[x.UUID], x)
	}
	for _, uuid := range order {
		vc.lineOf(of[uuid][0].hit)
		for _, y := range of[uuid] {
			where := fmt.Sprintf("%s:%d", plainPath(y.At.File), y.At.Line)
			if y.Missing {
				where = plainPath(y.At.File) + " lacks what it must have"
			}
			vc.printf("          %s\n", vc.paint(red, where))
		}
	}
	moreLeft(vc.cli, len(list)-shown, "")
}

// printUnusable prints the files of the change that can't be used.
func (vc *verifyCommand) printUnusable(list []unusable) {
	if len(list) == 0 {
		return
	}
	vc.printf("\n%s\n", vc.paint(bold, "memory files of the change that nobody would be told"))
	for _, x := range list {
		vc.printf("  %s\n          %s\n", plainPath(fmt.Sprintf("%s:%d:%d", x.File, x.Line, x.Column)), vc.paint(red, plainLine(x.Message)))
	}
	vc.printf("  `manicule doctor` says what to do about each\n")
}

// sarifUnusable converts files that can't be used for code scanning.
func sarifUnusable(list []unusable) (out []sarif.Result) {
	for _, x := range list {
		out = append(out, sarif.Result{State: sarif.Unusable, Text: plainLine(x.Message), At: sarif.Place{File: x.File, Line: x.Line}, Memory: x.File,
			Key: x.File + ":unusable"})
	}
	return out
}

// sarifViolations converts violations for code scanning.
func sarifViolations(list []violation) (out []sarif.Result) {
	nth := map[string]int{} // of a memory's violations in a file: its lines move, their order hardly
	for _, x := range list {
		key := x.UUID + ":" + x.At.File
		nth[key]++
		text := fmt.Sprintf("goes against the %s “%s”", x.hit.Memory.Type.Label(), plainLine(x.What))
		if x.Missing {
			text = fmt.Sprintf("lacks what the %s “%s” wants", x.hit.Memory.Type.Label(), plainLine(x.What))
		}
		out = append(out, sarif.Result{State: sarif.Violated, Text: text, At: sarif.Place{File: x.At.File, Line: x.At.Line}, Memory: x.File,
			Key: fmt.Sprintf("%s:%d:violated", key, nth[key])})
	}
	return out
}
