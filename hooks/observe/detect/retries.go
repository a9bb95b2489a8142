package detect

import (
	"manicule/hooks/observe/cmdline"
	"manicule/hooks/observe/failures"
	"manicule/hooks/observe/fold"
	"manicule/hooks/observe/signal"
)

// Prefixes of the keys of retries that are not about one error message.
const (
	mismatch = "mismatch\x00" // an edit whose text is not in the file
	ruled    = "rule\x00"     // a rule of a linter or a compiler
	lacking  = "needs\x00"    // something that a command lacked
)

// retries are the failures that a changed call has resolved, or that came back.
func retries(ses *fold.Session, failures []failures.Failure) []signal.Signal {
	var out []signal.Signal
	for _, s := range ses.Steps {
		if s.Done && !s.OK && s.Kind == fold.EditMismatch && len(s.Paths) == 1 {
			out = append(out, signal.Signal{Detail: signal.MissedText{Path: s.Paths[0]}, Key: mismatch + s.Paths[0], N: 1, Evidence: []int{s.N, s.Ended}, Tainted: s.Tainted})
		}
		for _, r := range s.Rules {
			out = append(out, signal.Signal{Detail: signal.BrokenRule{Command: s.Key, Rule: r.Name, Message: r.Text}, Key: ruled + s.Key + "\x00" + r.Name, N: 1, Evidence: []int{s.N, s.Ended}, Tainted: s.Tainted})
		}
	}
	for _, x := range failures {
		if x.Need != "" {
			out = append(out, needed(x))
			continue
		}
		if x.Generic || x.Kind == fold.EditMismatch || x.Kind == fold.NotRead || x.Kind == fold.ChangedSince {
			continue
		}
		s := signal.Signal{Detail: signal.FailedCall{Key: x.Key, Failed: x.Failed, Worked: x.Fix, Message: x.Line}, Key: x.Key + "\x00" + x.Print, N: x.Count, Evidence: x.Seen, Tainted: x.Taint}
		if x.Kind == fold.FileMissing || x.Kind == fold.IsFolder {
			s.Detail, s.Paths = signal.WrongPath{Path: x.Failed, Found: x.Fix, Folder: x.Kind == fold.IsFolder}, []string{x.Key}
		}
		if x.Count >= 2 && x.Fix != "" {
			s.Acute = 0.75 // two of the same fingerprint
		}
		out = append(out, s)
	}
	return append(out, Clusters(failures)...)
}

// needed is the signal of a failure with a known need. It is the same for all error
// messages of that need.
func needed(x failures.Failure) signal.Signal {
	command := x.Key
	if x.Need == failures.NeedsManager {
		command = cmdline.PlainCommand(x.Failed)
	}
	return signal.Signal{Detail: signal.UnmetNeed{Need: x.Need, Command: command, Name: x.Lacked, Message: x.Line}, Key: lacking + string(x.Need) + "\x00" + x.Key + "\x00" + x.Lacked, N: x.Count, Evidence: x.Seen, Tainted: x.Taint}
}
