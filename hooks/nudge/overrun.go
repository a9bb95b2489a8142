package nudge

import "fmt"

// LongRequest is a request that has taken more calls than usual.
type LongRequest struct {
	Calls    int
	Median   int  // of the requests that are like it
	Requests int  // that it rests on
	Changing bool // they edited files, like this one
	// Folder is the one in which this one edits most, where enough are known of it,
	// and InFolder their median.
	Folder   string
	InFolder int
}

// Overrun says that a request has taken more calls than usual: a number from
// earlier sessions, by which nobody is held back.
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
