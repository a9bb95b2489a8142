package injection

import "strings"

// Mark begins all that Manicule tells an agent.
const Mark = '☞'

// Echo reports whether a text repeats what Manicule itself told an agent: nothing
// that it said may come back as something that somebody has learned.
func Echo(text string) bool {
	return strings.ContainsRune(text, Mark) || strings.Contains(text, "Manicule keeps ")
}
