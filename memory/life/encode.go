package life

import (
	"fmt"
	"math"
	"time"
)

// Encode returns a use as a short text for a column, "" for the zero value. It keeps hours, so
// that frequent uses change it seldom.
func (u Use) Encode() string {
	if u == (Use{}) {
		return ""
	}
	hour := int64(0)
	if !u.Last.IsZero() {
		hour = u.Last.Unix() / secondsPerHour
	}
	s := fmt.Sprintf("%d %d %d %d %d %d", hour, u.Uses, u.Followed, u.Overridden, int(math.Round(100*u.Changed)), u.Tier)
	if u.Worked+u.Failed > 0 {
		s += fmt.Sprintf(" %d %d", u.Worked, u.Failed)
	}
	return s
}

// The numbers of an encoded use: without outcomes, and with them.
const (
	usedNumbers    = 6
	outcomeNumbers = 8
)

const secondsPerHour = 60 * 60

// DecodeUse is the inverse of Encode. A damaged text is a memory that was never used.
func DecodeUse(s string) Use {
	if s == "" {
		return Use{}
	}
	var u Use
	var n [outcomeNumbers]int64
	i, digits := 0, false
	for _, c := range []byte(s) { // Sscan would take longer than all the rest of a hook's row
		switch {
		case c >= '0' && c <= '9' && n[i] < math.MaxInt32:
			n[i], digits = 10*n[i]+int64(c-'0'), true
		case c == ' ' && digits && i < len(n)-1:
			i, digits = i+1, false
		default:
			return Use{}
		}
	}
	if i != usedNumbers-1 && i != outcomeNumbers-1 || !digits {
		return Use{}
	}
	if n[0] > 0 {
		u.Last = time.Unix(n[0]*secondsPerHour, 0).UTC()
	}
	u.Uses, u.Followed, u.Overridden, u.Changed = int(n[1]), int(n[2]), int(n[3]), min(1, float64(n[4])/100)
	u.Worked, u.Failed = int(n[6]), int(n[7])
	u.Tier = Tier(min(n[5], int64(Archived)))
	return u
}
