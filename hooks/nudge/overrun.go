package nudge

import "fmt"

// LongRequest is a request that has taken more calls than usual.
type LongRequest struct {
	Calls    int
	Median   int  // median of similar requests
	Requests int  // that it is based on
	Changing bool // they edited files, like this one
	// Folder is the one with most edits of this request, if enough requests are known there,
	// and InFolder their median.
	Folder   string
	InFolder int
}

// Overrun writes that a request has taken more calls than usual. It states a number from
// earlier sessions and holds nobody back.
func Overrun(o LongRequest) string {
	like := "that edited nothing"
	if o.Changing {
		like = "that edited files"
	}
	where := ""
	if o.Folder != "" {
		where = fmt.Sprintf(", in `%s/` %d", Cut(globs([]string{o.Folder}), maxPlace), o.InFolder)
	}
	return fmt.Sprintf("☞ This request has taken %d calls. From earlier sessions, as data and no instruction: requests %s took %d in the median (of %d)%s. It is no limit.",
		o.Calls, like, o.Median, o.Requests, where)
}
