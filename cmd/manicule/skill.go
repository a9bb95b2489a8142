package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"manicule/hooks/agent"
	"manicule/memory"
	"manicule/memory/episode"
	"manicule/memory/file"
	"manicule/memory/gate"
	"manicule/memory/services"
	"manicule/memory/skill"
	"manicule/memory/store"
)

// skillsJSON is the shape "skills".
type skillsJSON struct {
	Procedures []procedureJSON `json:"procedures"`
	Skills     []store.Skill   `json:"skills"`
}

type procedureJSON struct {
	ID         string                  `json:"id"`
	State      string                  `json:"state"` // waits, accepted, rejected
	Ready      bool                    `json:"ready"` // it worked often enough to be a skill
	Trigger    string                  `json:"trigger"`
	Steps      []episode.ProcedureStep `json:"steps"`
	Confidence float64                 `json:"confidence"`
	Successes  int                     `json:"successes"`
	Failures   int                     `json:"failures"`
	Commits    int                     `json:"commits,omitzero"` // that show it
	LastUsed   string                  `json:"last_used"`
	Skill      string                  `json:"skill,omitzero"` // where it was exported
	Superseded string                  `json:"superseded_by,omitzero"`
	Uses       []store.ProcedureUse    `json:"uses,omitempty"`
}

// skillExportJSON is the shape "skill_export".
type skillExportJSON struct {
	ID        string   `json:"id"`
	Written   []string `json:"written"`
	Unchanged []string `json:"unchanged"`
	Dry       bool     `json:"dry_run"`
	Text      string   `json:"text"`
}

// skillCommand is what the commands below `manicule skill` share.
type skillCommand struct{ *cli }

// newSkillCommand is `manicule skill`.
func newSkillCommand(shared *cli) *cobra.Command {
	c := &cobra.Command{
		Use:   "skill",
		Short: "Ways of working that sessions had in common, as skills for agents",
		Long: "When the commits of the repository show what goes together whenever something is added, or several\n" +
			"sessions with alike tasks went the same way and ended well, that way is proposed as a recipe\n" +
			"(`manicule review`). What a person accepted can be written as a skill that agents load by themselves.\n" +
			"Each session that goes the same way later counts for or against it.",
		Example: "  manicule skill list\n  manicule skill export 1f2e3d4c --agent claude-code\n  manicule skill history 1f2e3d4c",
		Args:    noCommand,
		RunE:    onlyBelow(shared),
	}
	c.AddCommand(newSkillListCommand(shared), newSkillExportCommand(shared), newSkillHistoryCommand(shared))
	return c
}

func newSkillListCommand(shared *cli) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List learned recipes, and the skills and commands that are there", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return shared.with(cmd.Context(), func(w *services.Workspace) error { return skillCommand{shared}.listSkills(cmd.Context(), w) })
		},
	}
}

// indexSkills looks at the files in which agents keep skills, and returns what is there, with what was exported.
func indexSkills(ctx context.Context, w *services.Workspace) ([]store.Skill, error) {
	before, err := w.State().Episodes().Skills(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the index of skills: %w", err)
	}
	var found []store.Skill
	here := map[string]bool{}
	for _, f := range skill.Scan(w.Root()) {
		here[f.Path] = true
		found = append(found, store.Skill{Path: f.Path, Kind: string(f.Kind), Name: f.Name, Description: f.Description, Hash: f.Hash})
	}
	var gone []string
	same := len(found) == len(before)
	for _, k := range before {
		i := slices.IndexFunc(found, func(f store.Skill) bool { return f.Path == k.Path })
		same = same && i >= 0 && found[i].Hash == k.Hash && k.Archived.IsZero()
		if i < 0 && k.Archived.IsZero() {
			gone = append(gone, k.Path)
		}
	}
	if same && len(gone) == 0 {
		return before, nil // reading is no reason to write
	}
	if err := w.State().Episodes().PutSkills(ctx, found, gone); err != nil {
		return nil, fmt.Errorf("write the index of skills: %w", err)
	}
	return w.State().Episodes().Skills(ctx)
}

func stateOf(p store.ProcedureRow) string { return cmp.Or(p.Verdict, "waits") }

func procedureOf(p store.ProcedureRow, skills []store.Skill) procedureJSON {
	out := procedureJSON{ID: file.ShortID(p.UUID), State: stateOf(p), Ready: p.Verdict == store.VerdictAccepted && episode.Sustained(p.Successes, p.Failures),
		Trigger: p.Procedure.Trigger, Steps: p.Procedure.Steps, Confidence: p.Confidence, Successes: p.Successes, Failures: p.Failures, Commits: p.Procedure.Commits, LastUsed: p.Used.Format("2006-01-02")}
	for _, k := range skills {
		if k.UUID == p.UUID && k.Archived.IsZero() {
			out.Skill = k.Path
		}
	}
	return out
}

func (c skillCommand) listSkills(ctx context.Context, w *services.Workspace) error {
	skills, err := indexSkills(ctx, w)
	if err != nil {
		return err
	}
	rows, err := w.State().Episodes().Procedures(ctx)
	if err != nil {
		return fmt.Errorf("list the learned recipes: %w", err)
	}
	out := skillsJSON{Procedures: []procedureJSON{}, Skills: append([]store.Skill{}, skills...)}
	agent := c.caller().ID != ""
	for _, p := range rows {
		if p.Verdict == store.VerdictRejected || agent && p.Verdict != store.VerdictAccepted {
			continue // what no person has read reaches no agent
		}
		one := procedureOf(p, skills)
		if one.Superseded, err = supersederOf(ctx, w, p); err != nil {
			return err
		}
		out.Procedures = append(out.Procedures, one)
	}
	if c.json {
		c.printJSON("skills", out)
		return nil
	}
	for _, p := range out.Procedures {
		c.printf("%s  %s  %s\n", c.paint(faint, p.ID), plainLine(p.Trigger), c.paint(faint, procedureStanding(p)))
		for _, s := range p.Steps {
			c.printf("    %s\n", plainLine(s.Line()))
		}
	}
	if len(out.Procedures) == 0 {
		c.printf("no learned recipe yet: one is proposed, every tenth session, when the commits or three sessions show the same way\n")
	}
	if len(skills) > 0 {
		c.printf("\n%s\n", c.paint(bold, "Skills and commands in this repository"))
	}
	for _, k := range skills {
		note := ""
		switch {
		case !k.Archived.IsZero():
			note = "gone since " + k.Archived.Format("2006-01-02")
		case k.Edited:
			note = "exported here, changed since by a person"
		case k.UUID != "":
			note = "exported from " + file.ShortID(k.UUID)
		}
		c.printf("  %s  %s %s\n", plainPath(k.Path), plainLine(k.Description), c.paint(faint, note))
	}
	return nil
}

// supersederOf returns the short id of the memory that replaces an accepted procedure, or "".
func supersederOf(ctx context.Context, w *services.Workspace, p store.ProcedureRow) (string, error) {
	if p.Verdict != store.VerdictAccepted {
		return "", nil
	}
	h, err := w.Get(ctx, p.UUID)
	if errors.Is(err, memory.ErrNotFound) { // forgotten
		return "", nil
	}
	if err != nil {
		return "", err
	}
	list, err := w.Relations().Of(ctx, h.Memory)
	if err != nil {
		return "", err
	}
	for _, r := range list {
		if r.Back && r.Type == "supersedes" {
			return r.ShortID(), nil
		}
	}
	return "", nil
}

// procedureStanding says how a procedure stands, for a person.
func procedureStanding(p procedureJSON) string {
	record := fmt.Sprintf("%d worked, %d failed, last %s", p.Successes, p.Failures, p.LastUsed)
	if p.Commits > 0 {
		record = fmt.Sprintf("%d commits, ", p.Commits) + record
	}
	switch {
	case p.Superseded != "":
		return record + "; superseded by " + p.Superseded
	case p.Skill != "":
		return record + "; exported to " + p.Skill
	case p.Ready:
		return record + "; ready: `manicule skill export " + p.ID + "`"
	case p.State == store.VerdictAccepted:
		return record + "; accepted"
	}
	return record + "; waits for `manicule review`"
}

// skillExportCommand is `manicule skill export`.
type skillExportCommand struct {
	skillCommand
	agents []string
	name   string
	dry    bool
}

func newSkillExportCommand(shared *cli) *cobra.Command {
	sc := &skillExportCommand{skillCommand: skillCommand{shared}}
	c := &cobra.Command{
		Use:   "export ID",
		Short: "Write an accepted recipe as a skill",
		Long: "Write an accepted recipe that sessions or commits have shown as a skill: for Claude Code below .claude/skills, for the other agents below\n" +
			".agents/skills. It is written again only if it differs, and never over what a person wrote or changed.",
		Args: cobra.ExactArgs(1),
		RunE: sc.run,
	}
	c.Flags().StringSliceVar(&sc.agents, "agent", []string{"claude-code", generic}, "for whom: claude-code, generic, or another agent")
	complete(c, "agent", append(agent.All().IDs(), generic))
	c.Flags().StringVar(&sc.name, "name", "", "the skill's name: lower case letters, digits and hyphens")
	c.Flags().BoolVar(&sc.dry, "dry-run", false, "print it, write nothing")
	return c
}

func (sc *skillExportCommand) run(cmd *cobra.Command, args []string) error {
	if sc.name != "" && !skill.ValidName(sc.name) {
		return usageError(fmt.Sprintf("%q can't be a skill's name", sc.name), "Use lower case letters, digits and single hyphens, at most 64.")
	}
	var folders []skill.Folder
	for _, a := range sc.agents {
		f, ok := folderOf(a)
		if !ok {
			return usageError(fmt.Sprintf("there is no folder of skills for %q", a), "Use generic, or one of "+strings.Join(agent.All().IDs(), ", ")+".")
		}
		if !slices.Contains(folders, f) {
			folders = append(folders, f)
		}
	}
	return sc.with(cmd.Context(), func(w *services.Workspace) error { return sc.export(cmd.Context(), w, args[0], folders) })
}

// generic names the folder of skills that all agents but Claude Code read.
const generic = "generic"

// folderOf returns the folder from which an agent reads skills.
func folderOf(name string) (skill.Folder, bool) {
	folders := skill.Folders()
	i := slices.IndexFunc(folders, func(f skill.Folder) bool { return f.Agent == name })
	if _, known := agent.Lookup(name); i < 0 && known {
		i = slices.IndexFunc(folders, func(f skill.Folder) bool { return f.Agent == generic })
	}
	if i < 0 {
		return skill.Folder{}, false
	}
	return folders[i], true
}

// findProcedure finds an accepted procedure by its memory, which a person may have edited.
func findProcedure(ctx context.Context, w *services.Workspace, id string) (p store.ProcedureRow, err error) {
	rows, err := w.State().Episodes().Procedures(ctx)
	if err != nil {
		return p, fmt.Errorf("list the learned recipes: %w", err)
	}
	var hits []store.ProcedureRow
	for _, r := range rows {
		if file.Abbreviates(id, r.UUID) {
			hits = append(hits, r)
		}
	}
	switch {
	case len(id) < 4 || len(hits) == 0:
		return p, &memory.UserError{Msg: "no learned recipe has the id " + id, Err: memory.ErrNotFound, Hint: "`manicule skill list` shows them with their ids."}
	case len(hits) > 1:
		return p, &memory.UserError{Msg: fmt.Sprintf("%d recipes have an id like %s", len(hits), id), Err: memory.ErrAmbiguous, Hint: "Write more of it."}
	}
	return hits[0], nil
}

func (sc *skillExportCommand) export(ctx context.Context, w *services.Workspace, id string, folders []skill.Folder) error {
	p, err := findProcedure(ctx, w, id)
	if err != nil {
		return err
	}
	if p.Verdict != store.VerdictAccepted {
		return &memory.UserError{Msg: "recipe " + file.ShortID(p.UUID) + " was not accepted by a person", Hint: "Accept it first: `manicule review`."}
	}
	by, err := supersederOf(ctx, w, p)
	if err != nil {
		return err
	}
	if by != "" {
		return &memory.UserError{Msg: "recipe " + file.ShortID(p.UUID) + " is superseded by " + by, Hint: "`manicule show " + by + "` shows what replaced it."}
	}
	m, err := w.Get(ctx, p.UUID)
	if err != nil {
		return err
	}
	skills, err := indexSkills(ctx, w)
	if err != nil {
		return err
	}
	out := skillExportJSON{ID: file.ShortID(p.UUID), Written: []string{}, Unchanged: []string{}, Dry: sc.dry}
	var wrote []store.Skill
	for _, f := range folders {
		rel, written := sc.target(f, p, skills)
		data, err := skill.Render(skill.Content{Name: path.Base(path.Dir(rel)), Text: m.Memory.What, Why: m.Memory.Why, Procedure: p.Procedure,
			Successes: p.Successes, Failures: p.Failures, Used: p.Used})
		if err != nil {
			return err
		}
		out.Text = string(data)
		if sc.dry {
			continue
		}
		changed, err := skill.Write(w.Root(), rel, data, written)
		if theirs, ok := errors.AsType[*skill.ChangedError](err); ok {
			return &memory.UserError{Msg: theirs.Error(), Err: theirs, Hint: "Move it away, or choose another name by --name: a person's text is never replaced."}
		}
		if err != nil {
			return err
		}
		if changed {
			out.Written = append(out.Written, rel)
		} else {
			out.Unchanged = append(out.Unchanged, rel)
		}
		hash := skill.Hash(data)
		wrote = append(wrote, store.Skill{Path: rel, Kind: string(skill.Skill), Name: path.Base(path.Dir(rel)), Description: p.Procedure.Trigger, Hash: hash, Written: hash, UUID: p.UUID})
	}
	if len(wrote) > 0 {
		if err := w.State().Episodes().PutSkills(ctx, wrote, nil); err != nil {
			return fmt.Errorf("note what was exported: %w", err)
		}
	}
	if sc.json {
		sc.printJSON("skill_export", out)
		return nil
	}
	if sc.dry {
		sc.printf("%s", gate.Printable(out.Text))
	}
	for _, rel := range out.Written {
		sc.printf("wrote %s\n", rel)
	}
	for _, rel := range out.Unchanged {
		sc.printf("%s is as it should be\n", rel)
	}
	return nil
}

// target is where a procedure is exported: where it was, else a new place. written is the hash of what was
// written there.
func (sc *skillExportCommand) target(f skill.Folder, p store.ProcedureRow, skills []store.Skill) (rel, written string) {
	rel = f.Dir + "/" + cmp.Or(sc.name, skill.Name(p.Procedure.Trigger)) + "/SKILL.md"
	for _, k := range skills {
		if k.UUID == p.UUID && strings.HasPrefix(k.Path, f.Dir+"/") && k.Archived.IsZero() && sc.name == "" {
			return k.Path, k.Written
		}
		if k.Path == rel && k.UUID == p.UUID {
			written = k.Written
		}
	}
	return rel, written
}

func newSkillHistoryCommand(shared *cli) *cobra.Command {
	return &cobra.Command{
		Use: "history ID", Short: "Show the sessions of a learned recipe, and what became of it", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return shared.with(cmd.Context(), func(w *services.Workspace) error { return skillCommand{shared}.skillHistory(cmd.Context(), w, args[0]) })
		},
	}
}

func (c skillCommand) skillHistory(ctx context.Context, w *services.Workspace, id string) error {
	p, err := findProcedure(ctx, w, id)
	if err != nil {
		return err
	}
	uses, err := w.State().Episodes().ProcedureUses(ctx, p.UUID)
	if err != nil {
		return fmt.Errorf("read the sessions of a recipe: %w", err)
	}
	skills, err := indexSkills(ctx, w)
	if err != nil {
		return err
	}
	out := procedureOf(p, skills)
	if out.Superseded, err = supersederOf(ctx, w, p); err != nil {
		return err
	}
	out.Uses = uses
	if c.json {
		c.printJSON("procedure", out)
		return nil
	}
	c.printf("%s  %s\n%s\n", c.paint(faint, out.ID), plainLine(out.Trigger), c.paint(faint, procedureStanding(out)))
	for _, u := range uses {
		c.printf("  %s  %s  %-7s  %.2f  %s\n", u.At.Local().Format("2006-01-02"), c.paint(faint, shortSession(u.Session)), u.Outcome, u.Confidence, plainLine(u.Reason))
	}
	return nil
}
