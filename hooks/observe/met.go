package observe

import (
	"cmp"
	"strings"

	"manicule/hooks/event"
	"manicule/hooks/eventlog"
	"manicule/hooks/observe/wording"
	"manicule/memory/fingerprint"
)

// Met describes a command that has failed just now, as the fold of its session will. ok is false for another call, for one that a person
// refused or that was cancelled, and for an error that says nothing about the project.
func Met(c eventlog.Call) (f Failure, ok bool) {
	class := event.Class(c.Class)
	kind, _ := failKind(class, c.Error)
	if class != event.Shell || wording.Injected(c.Error) || kind.Unmade() {
		return Failure{}, false
	}
	keys := Keys(c.Command)
	key := failedCommand(keys, c.Error)
	line := unquoted(errorLine(ownLines(c.Error, key, keys)), c.Command)
	key = cmp.Or(refuser(event.SimpleCommands(c.Command), keys, line), key)
	f = Failure{Tool: string(class), Key: key, Print: fingerprint.Line(line), Line: wording.OneLine(line, 160), Kind: kind, Failed: c.Command, Count: 1, Generic: isGeneric(kind, line)}
	return f, f.Print != "" && !f.Generic && !ofFolder(c.Command, line)
}

// isGeneric reports whether an error says nothing about the project.
func isGeneric(kind FailKind, line string) bool {
	return !kind.specific() || event.LineWeight(line) < 3 && kind == CommandFailed && !Refused(line) && !saysWhy(line)
}

// saysWhy reports whether a line in which no usual word of an error occurs still says what was wrong with a call or a machine: "Unsupported
// environment", "directory prefix . does not contain main module". The heading of a help text is the same for all errors, and a
// question for a person's permission is none.
func saysWhy(line string) bool {
	return (Misused(line) || OfTheMachine(line)) && !wording.Has(strings.ToLower(line), "usage:", "requires approval", "requires confirmation")
}
