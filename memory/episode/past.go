package episode

// PastSignal counts a signal in earlier sessions.
type PastSignal struct {
	Sessions int
	Count    int
	Names    []string // of some of the sessions, newest first
	Proposed bool     // it was a candidate before, judged or pending, and is not proposed again
}

// PastFile counts the earlier sessions that used, and edited, a file.
type PastFile struct{ Sessions, Edited int }

// PastPair counts the earlier sessions that edited two files.
type PastPair struct {
	Edited   int // both
	Proposed bool
}

// PastCommand counts the runs of a command in earlier sessions.
type PastCommand struct {
	Runs, Fails int
	Took        map[int64]int // runs by rounded milliseconds
}
