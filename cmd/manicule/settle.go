package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"manicule/indexer/anchor"
	"manicule/memory/follow"
	"manicule/memory/gate"
	"manicule/memory/services"
)

// settleJSON is the shape "settle".
type settleJSON struct {
	UUID    string       `json:"uuid"`
	Act     follow.Act   `json:"act"`
	DryRun  bool         `json:"dry_run"`
	Version int          `json:"version"` // of the memory after it, or before a dry run
	Changes []rebaseJSON `json:"changes"`
}

// rebaseJSON is one anchor's record before and after.
type rebaseJSON struct {
	Number int            `json:"number"`
	Was    *anchor.Anchor `json:"was"` // null for a new one
	Now    anchor.Anchor  `json:"now"`
}

// settle does what a person decided about a memory's anchors, after a preview.
func (a *verifyCommand) settle(ctx context.Context, w *services.Workspace, t *follow.Tracker, q follow.Request, dry bool) error {
	if q.Act == follow.Reanchor {
		q.At = a.here(q.At)
	}
	p, err := t.Propose(ctx, q)
	if err != nil {
		return err
	}
	out := settleJSON{UUID: p.Memory.UUID, Act: q.Act, DryRun: dry, Version: p.Memory.Lineage.Version, Changes: []rebaseJSON{}}
	for _, c := range p.Changes {
		r := rebaseJSON{Number: c.Index + 1, Now: c.Now}
		if c.Was.Path != "" {
			r.Was = &c.Was
		}
		out.Changes = append(out.Changes, r)
	}
	if !dry {
		r, err := t.Apply(ctx, p)
		if err != nil {
			return err
		}
		if !r.Accepted {
			return refused(r)
		}
		out.Version = r.Memory.Lineage.Version
	}
	if a.json {
		a.printJSON("settle", out)
		return nil
	}
	a.printSettled(p, out)
	return nil
}

func (a *verifyCommand) printSettled(p follow.Proposal, out settleJSON) {
	verb := "settled"
	if out.DryRun {
		verb = "would settle"
	}
	a.printf("☞ %s: %s  %s\n", verb, p.Memory.ShortID(), firstLine(p.Memory.What))
	for _, c := range p.Changes {
		for _, line := range recordDiff(c.Was, c.Now) {
			colour := red
			if strings.HasPrefix(line, "+") {
				colour = green
			}
			a.printf("  %s\n", a.paint(colour, gate.Clean(line)))
		}
	}
	for _, r := range p.Rejects {
		a.printf("  it is not %s\n", gate.Clean(anchor.Place{Path: r.Path, Symbol: r.Symbol}.String()))
	}
	if len(p.Rejects) > 0 {
		return
	}
	if len(p.Changes) == 0 {
		a.printf("  its anchors are as they were\n")
	}
	if !out.DryRun {
		a.printf("  version %d; commit its file to share it\n", out.Version)
	}
}

// recordDiff lists the members of a record that change, as lines of a diff.
// Hashes tell a person nothing but that they changed; --json has them.
func recordDiff(was, now anchor.Anchor) []string {
	before, after := members(was), members(now)
	for _, m := range []map[string]string{before, after} {
		delete(m, "fingerprint")
		for _, name := range []string{"token_hash", "blob", "commit"} {
			if v := m[name]; len(v) > shortHash+1 {
				m[name] = v[:shortHash+1] + `…"`
			}
		}
	}
	var out []string
	for _, name := range []string{"kind", "path", "language", "symbol", "symbol_kind", "ordinal", "arity", "lines", "quote", "focus", "prefix", "suffix",
		"token_hash", "blob", "commit"} {
		x, y := before[name], after[name]
		if x == y {
			continue
		}
		if x != "" {
			out = append(out, fmt.Sprintf("- %s: %s", name, x))
		}
		if y != "" {
			out = append(out, fmt.Sprintf("+ %s: %s", name, y))
		}
	}
	return out
}

// shortHash is how many digits of a hash are shown.
const shortHash = 12

// members are a record's members as JSON, "" for those it lacks.
func members(r anchor.Anchor) map[string]string {
	out := map[string]string{}
	if r.Path == "" {
		return out
	}
	data, err := json.Marshal(r, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return out
	}
	var raw map[string]jsontext.Value
	if json.Unmarshal(data, &raw, jsontext.AllowInvalidUTF8(true)) != nil {
		return out
	}
	for name, v := range raw {
		out[name] = string(v)
	}
	return out
}
