package nudge

import "strings"

// File is a file that work like a session's needs; How says how often, or is "".
type File struct{ Name, How string }

// Limits of the line about files, in UTF-16 units.
const (
	maxNeeded     = 5
	maxNeededLine = 320
)

// Needed writes one line that names files after a head, "" for none. What does not fit is left out.
func Needed(head string, files []File) string {
	head += ": "
	line := head
	for i, f := range files[:min(maxNeeded, len(files))] {
		name := "`" + strings.ReplaceAll(Cut(Clean(f.Name), maxPlace), "`", "'") + "`"
		if f.How != "" {
			name += " (" + f.How + ")"
		}
		if i > 0 {
			name = ", " + name
		}
		if Units(line+name) >= maxNeededLine {
			break
		}
		line += name
	}
	if line == head {
		return ""
	}
	return line + "."
}
