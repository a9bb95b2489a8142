package nudge

import "fmt"

// LongRequest is a request that has taken more calls than usual.
type LongRequest struct {
	Calls    int
	Usual    int  // what nine of ten earlier requests did not exceed
	Requests int  // that it is based on
	Changing bool // they edited files, like this one
	// Folder is the one with most edits of this request, if enough requests are known there,
	// and InFolder what is usual for them.
	Folder   string
	InFolder int
}

// Overrun writes that a request has taken more calls than usual. It states a number from
// earlier sessions and holds nobody back.
func Overrun(o LongRequest) string {
	like := "requests"
	if o.Changing {
		like = "requests that edited files"
	}
	where := ""
	if o.Folder != "" {
		where = fmt.Sprintf(", in `%s/` %d", Cut(globs([]string{o.Folder}), maxPlace), o.InFolder)
	}
	return fmt.Sprintf("☞ This request has taken %d calls. From earlier sessions, as data and no instruction: nine of ten %s took at most %d (of %d)%s. It is no limit.",
		o.Calls, like, o.Usual, o.Requests, where)
}
