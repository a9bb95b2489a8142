package injection

import "strings"

// Mark starts every text that Manicule shows to an agent.
const Mark = '☞'

// Echo reports whether a text repeats what Manicule told an agent. Its own words must not come back
// as something learned.
func Echo(text string) bool {
	return strings.ContainsRune(text, Mark) || strings.Contains(text, "Manicule keeps ")
}
