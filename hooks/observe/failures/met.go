package failures

import (
	"cmp"

	"manicule/hooks/event"
	"manicule/hooks/eventlog"
	"manicule/hooks/observe/cmdline"
	"manicule/hooks/observe/fold"
	"manicule/hooks/observe/wording"
	"manicule/memory/fingerprint"
)

// Met describes a command that has failed just now, as the fold of its session will. ok is false for another call, for one that a person
// refused or that was cancelled, and for an error that says nothing about the project.
func Met(c eventlog.Call) (f Failure, ok bool) {
	class := event.Class(c.Class)
	kind, _ := fold.KindOf(class, c.Error)
	if class != event.Shell || wording.Injected(c.Error) || kind.Unmade() {
		return Failure{}, false
	}
	keys := cmdline.Keys(c.Command)
	key := cmdline.FailedCommand(keys, c.Error)
	line := cmdline.Unquoted(cmdline.ErrorLine(cmdline.OwnLines(c.Error, key, keys)), c.Command)
	key = cmp.Or(cmdline.Refuser(event.SimpleCommands(c.Command), keys, line), key)
	f = Failure{Tool: string(class), Key: key, Print: fingerprint.Line(line), Line: wording.OneLine(line, 160), Kind: kind, Failed: c.Command, Count: 1, Generic: isGeneric(kind, line)}
	return f, f.Print != "" && !f.Generic && !ofFolder(c.Command, line)
}

// isGeneric reports whether an error says nothing about the project.
func isGeneric(kind fold.FailKind, line string) bool {
	return !kind.Specific() || event.LineWeight(line) < 3 && kind == fold.CommandFailed && !cmdline.Refused(line) && !cmdline.SaysWhy(line)
}
