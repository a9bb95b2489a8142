package signal

// ID returns the key of a signal in a History.
func ID(kind Kind, key string) string { return string(kind) + "\x00" + key }

// Signal is an observation in a session that other sessions may confirm.
type Signal struct {
	Detail          // what was observed, and of which kind it is
	Key      string // equal in sessions that show the same
	Paths    []string
	N        int // occurrences in this session
	Evidence []int
	Agents   int     // how many of the session's agents saw it
	Acute    float64 // confidence by an early trigger, 0 for none
	Tainted  bool    // some evidence follows untrusted text
	Rejected bool    // a person rejected it, or it did not work
}
