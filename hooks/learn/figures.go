package learn

import (
	"fmt"

	"manicule/memory"
	"manicule/memory/episode"
	"manicule/memory/file"
)

// Figure returns the candidate of a digest's figure, for a person who asks for it. But for lists of files of some folders none
// is made by itself: too few held in later sessions. tainted is whether one of its sessions read text of strangers.
func Figure(f episode.Finding, tainted bool) (memory.Inferred, bool) {
	where := "the project"
	var scope []string
	if f.Module != "" {
		where, scope = "`"+f.Module+"`", []string{f.Module + "/**"}
	}
	d := memory.Draft{Scope: scope, Tags: []string{digestKind}, Confidence: .5, Tainted: tainted}
	switch f.Kind {
	case episode.Prefetch:
		if f.Module == "" {
			return memory.Inferred{}, false
		}
		d = prefetchDraft(f)
		d.Tainted = tainted
	case episode.QA:
		d.Type, d.Origin, d.Scope = file.ErrorPattern, file.QAAuto, []string{f.File}
		d.What = fmt.Sprintf("When `%s` fails, look at `%s` first.", f.Check, f.File)
		d.Why = fmt.Sprintf("In %d of %d sessions in which it failed and passed again, that file was changed between.", f.Seen, f.Of)
	case episode.FixCommit:
		d.Type, d.Origin, d.Scope = file.Gotcha, file.CommitAuto, []string{f.File}
		d.What = fmt.Sprintf("Changes of `%s` break checks and are fixed afterwards: run the checks before its commit.", f.File)
		d.Why = fmt.Sprintf("The commits of %d sessions in which a check was mended there are fixes.", f.Seen)
	case episode.MCP:
		d.Type, d.Origin = file.Gotcha, file.MCPAuto
		d.What = fmt.Sprintf("The tool `%s` fails here with “%s”.", f.Tool, f.Line)
		d.Why = fmt.Sprintf("Seen in %d of the %d sessions that called it.", f.Seen, f.Of)
	case episode.Calibration:
		d.Type = file.TaskCalibration
		d.What = fmt.Sprintf("A %s in %s with a list of %.0f items takes %.0f calls and %.0f minutes, %.1f calls an item.", f.Work, where, f.Planned, f.Calls, f.Minutes, f.Ratio)
		d.Why = fmt.Sprintf("Medians of %d sessions that made a list.", f.Seen)
		d.Details = file.Details{Task: string(f.Work), Estimated: f.Planned, Actual: f.Calls, Unit: "calls"}
	default:
		return memory.Inferred{}, false
	}
	return memory.Inferred{Draft: d, Kind: digestKind, Key: f.Key, Sessions: f.Sessions, Count: f.Seen, Value: .4, For: fmt.Sprintf("%d of %d sessions", f.Seen, f.Of)}, true
}
