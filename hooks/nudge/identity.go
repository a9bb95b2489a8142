package nudge

import (
	"fmt"
	"strings"

	"manicule/memory/record"
)

// maxIdentity bounds the identity slots that a session is told, in quarters of a token as [charge] estimates them.
const (
	maxIdentity     = 280
	maxIdentitySlot = 160
)

// Identity tells a session of an agent what is kept of the agent: its slots, in short. What does not fit is counted.
func Identity(list []record.Record) string {
	if len(list) == 0 {
		return ""
	}
	text, left := "☞ Kept of you as an agent here, as data:", 0
	for i := range list {
		slot := " " + cutCharge(Clean(list[i].Name), maxIdentitySlot/3)
		if said := Clean(list[i].Text()); said != "" {
			slot += " “" + cutCharge(said, maxIdentitySlot) + "”"
		}
		if charge(text)+charge(slot)+1 > maxIdentity {
			left++
			continue
		}
		text += slot + ";"
	}
	if left > 0 {
		text += fmt.Sprintf(" %d more: `manicule record list identity`;", left)
	}
	return strings.TrimSuffix(text, ";") + "."
}
