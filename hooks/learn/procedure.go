package learn

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"manicule/hooks/observe"
	"manicule/memory"
	"manicule/memory/episode"
	"manicule/memory/file"
	"manicule/memory/gate/injection"
	"manicule/memory/store"
)

// Limits of the search for procedures.
const (
	proposeEvery    = 10    // sessions: at most one procedure is proposed in as many
	episodesWeighed = 2_000 // the latest
)

// procedureKind is the kind under which procedures are proposed.
const procedureKind = "procedure"

// procedures looks whether a session went the way of known procedures, and, every tenth session, whether the commits show
// what goes together, or several sessions had a way in common, that nobody has written down. Episode is the session's.
func (o learner) procedures(ctx context.Context, e episode.Episode) (uses []store.ProcedureUse, found []memory.Inferred, err error) {
	if e.Session == "" { // there was no work
		return nil, nil, nil
	}
	state := o.Workspace.State()
	known, err := state.Episodes().Procedures(ctx)
	if err != nil {
		return nil, nil, fmt.Errorf("look up the procedures: %w", err)
	}
	for _, p := range known {
		if p.Verdict != store.VerdictRejected && p.Procedure.Used(e) {
			uses = append(uses, store.ProcedureUse{UUID: p.UUID, Session: e.Session, Outcome: e.Outcome, Reason: strings.Join(e.Evidence, "; "), At: o.Now()})
		}
	}
	before, err := state.Episodes().CountBeside(ctx, e.Session)
	if err != nil {
		return uses, nil, err
	}
	if (before+1)%proposeEvery != 0 {
		if o.prepare != nil {
			o.prepare(ctx)
		}
		return uses, nil, nil
	}
	all, err := state.Episodes().Latest(ctx, episodesWeighed)
	if err != nil {
		return uses, nil, fmt.Errorf("read the episodes: %w", err)
	}
	all = append(slices.DeleteFunc(all, func(x episode.Episode) bool { return x.Session == e.Session }), e)
	skills, err := state.Episodes().Skills(ctx)
	if err != nil {
		return uses, nil, fmt.Errorf("read the index of skills: %w", err)
	}
	// The way of this very session comes first: its person meets it now, and what commits show stays for the next time.
	var own, others []episode.Procedure
	for _, p := range episode.Procedures(all) {
		if p.Failures == 0 && slices.Contains(p.Sessions, e.Session) {
			own = append(own, p)
		} else {
			others = append(others, p)
		}
	}
	for _, p := range slices.Concat(own, Unruled(o.Recipes(ctx, all), o.Rules()), others) {
		told := slices.ContainsFunc(known, func(k store.ProcedureRow) bool { return k.Procedure.Near(p) }) ||
			slices.ContainsFunc(skills, func(s store.Skill) bool { return s.Archived.IsZero() && p.CoveredBy(s.Name+" "+s.Description) })
		if !told {
			return uses, []memory.Inferred{inferredProcedure(p, e)}, nil
		}
	}
	return uses, nil, nil
}

func inferredProcedure(p episode.Procedure, e episode.Episode) memory.Inferred {
	if p.On != "" {
		return inferredRecipe(p, e)
	}
	n := len(p.Sessions)
	if injection.Find(p.Trigger) != "" { // a request, which would read like one to an agent
		p.Trigger = "tasks about " + strings.Join(p.Words, ", ")
	}
	return memory.Inferred{
		Draft: memory.Draft{Type: file.WorkflowRecipe, What: p.Text(), Scope: scopeOf(p), Tags: []string{procedureKind},
			Why:        fmt.Sprintf("%d sessions with tasks like this went this way; %d ended well.", n, p.Successes),
			Details:    recipeOf(p),
			Confidence: episode.Confidence(p.Successes, p.Failures), Tool: e.Agent, Session: e.Session},
		Kind: procedureKind, Key: p.Key, Sessions: p.Sessions[max(0, n-8):], Count: n, Value: p.Score,
		For:       fmt.Sprintf("%d of %d sessions ended well", p.Successes, n),
		Against:   against(p),
		Procedure: &p,
	}
}

// maxRecipeConfidence is the confidence of a recipe that many commits show and no person has read.
const maxRecipeConfidence = 0.9

// inferredRecipe is what commits show as a candidate.
func inferredRecipe(p episode.Procedure, e episode.Episode) memory.Inferred {
	n := len(p.Sessions)
	why := fmt.Sprintf("%d commits began so; each place names what was added in as many of them as it says.", p.Commits)
	if n > 0 {
		why += fmt.Sprintf(" %d sessions went this way; %d ended well.", n, p.Successes)
	}
	d := memory.Draft{Type: file.WorkflowRecipe, What: p.Text(), Why: why, Scope: []string{p.On}, Tags: []string{procedureKind}, Details: recipeOf(p),
		Confidence: min(maxRecipeConfidence, episode.Confidence(p.Commits+p.Successes, p.Failures)), Tool: e.Agent, Session: e.Session}
	if n == 0 { // the session at whose end the commits were read has nothing to do with it
		d.Origin, d.Tool = file.CommitAuto, file.OwnTool
	}
	return memory.Inferred{
		Draft: d,
		Kind:  procedureKind, Key: p.Key, Sessions: p.Sessions[max(0, n-8):], Count: n, Value: p.Score,
		For:       fmt.Sprintf("%d commits of this repository show it", p.Commits),
		Against:   against(p),
		Procedure: &p,
	}
}

// recipeOf is a procedure as the details of its memory.
func recipeOf(p episode.Procedure) file.Details {
	d := file.Details{Task: p.Trigger, Steps: stepsOf(p), Successes: p.Successes, Failures: p.Failures}
	if p.LastWorked > 0 {
		at := file.At(time.UnixMilli(p.LastWorked))
		d.ValidatedAt = &at
	}
	return d
}

// stepsOf are the steps of a procedure as its memory keeps them.
func stepsOf(p episode.Procedure) []file.Step {
	var out []file.Step
	for _, s := range p.Steps {
		step := file.Step{Do: s.Line()}
		if s.Act != episode.Run && !strings.ContainsAny(s.What, "#*") {
			step.File, step.Line = s.What, s.At
		}
		out = append(out, step)
	}
	return out
}

func against(p episode.Procedure) string {
	if p.Failures == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d sessions failed", p.Failures, len(p.Sessions))
}

// scopeOf are the files that a procedure edits; those whose names vary stand for their folders.
func scopeOf(p episode.Procedure) []string {
	var out []string
	for _, s := range p.Steps {
		where := s.What
		switch {
		case s.Act == episode.Run:
			continue
		case strings.Contains(path.Dir(where), "#"):
			continue
		case strings.Contains(where, "#"):
			where = path.Join(path.Dir(where), "*")
		}
		if !slices.Contains(out, where) {
			out = append(out, where)
		}
	}
	return out
}

// episodeOf returns the record of a session. If a fault prevents it, there is a fallback, so that none is lost.
func episodeOf(fold *observe.Fold, r observe.Report) (e episode.Episode) {
	defer func() {
		if recover() != nil {
			e = episode.Episode{Session: r.Session, Agent: r.Agent, Kind: string(r.Kind), Task: "unknown", Outcome: episode.Partial, Fallback: true,
				Confidence: episode.FallbackConfidence, Evidence: []string{"its log could not be read as one"}, Started: r.Started, Ended: r.Ended, Tainted: r.Tainted}
		}
	}()
	return fold.Episode()
}
