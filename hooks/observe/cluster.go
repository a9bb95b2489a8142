package observe

import (
	"fmt"
	"slices"
	"strings"

	"manicule/memory/file"
)

// clustered is the prefix of the key of errors of the machine that many calls of one session met, without a way out.
const clustered = "cluster\x00"

// Limits of a cluster of errors.
const (
	minCluster   = 3   // calls that met the error
	clusterValue = 0.6 // confidence in what one session met
	maxNamed     = 3   // commands that are told
)

// clusters are errors of the machine (a program, a module or a server that is not there, a permission) that at least three calls of the
// session met, and for which no call that then worked was seen. Findings in the code recur as well, while it is written: they tell the
// next session nothing.
func clusters(failures []Failure) []Signal {
	var out []Signal
	at := map[string]int{}
	for _, x := range failures {
		if x.Tool != "shell" || x.Generic || x.Fix != "" || x.Need != "" || x.How != "left" || x.Key == "" || !OfTheMachine(x.Line) || offline(x.Line) {
			continue
		}
		i, ok := at[x.Print]
		if !ok {
			i = len(out)
			at[x.Print] = i
			out = append(out, Signal{Kind: ErrorRetry, Key: clustered + x.Print, C: x.Line, Acute: clusterValue})
		}
		s := &out[i]
		s.N += x.Count
		s.Evidence = append(s.Evidence, x.Seen...)
		s.Tainted = s.Tainted || x.Taint
		if names := strings.Split(s.A, "\x00"); s.A == "" {
			s.A = x.Key
		} else if !slices.Contains(names, x.Key) && len(names) < maxNamed {
			s.A += "\x00" + x.Key
		}
	}
	return slices.DeleteFunc(out, func(s Signal) bool { return s.N < minCluster })
}

// offline reports whether an error says that a network is not reached: a state of one machine on one day.
func offline(line string) bool {
	return has(strings.ToLower(line), "could not resolve", "timed out", "error connecting to", "network is unreachable", "enotfound")
}

// clusterSentence is what a cluster of errors becomes.
func clusterSentence(s Signal, seen string) (what, why string, typ file.Type) {
	names := strings.Split(s.A, "\x00")
	for i, n := range names {
		names[i] = "`" + n + "`"
	}
	return fmt.Sprintf("%s fails here with “%s”, and no call of it that works is known.", strings.Join(names, ", "), strings.TrimRight(oneLine(s.C, 110), ".")),
		fmt.Sprintf("%d calls met it in %s, and none worked after them.", s.N, seen), file.ErrorPattern
}
