package episode_test

import (
	"fmt"
	"strings"
	"testing"

	"manicule/memory/episode"
)

func TestLike(t *testing.T) {
	list := []episode.Episode{
		{Session: "a", Task: "Prepare the release of 1.2.0", Ended: 1},
		{Session: "b", Task: "Prepare the release of 1.3.0", Ended: 3},
		{Session: "c", Task: "The login page is blank", Ended: 2},
		{Session: "d", Task: "Prepare the release and write the notes for Windows users", Ended: 4},
		{Session: "e", Task: "Prepare the release of 1.4.0", Ended: 5, Tainted: true},
		{Session: "f", Task: "Prepare dinner", Ended: 6},
	}
	for task, want := range map[string]string{
		"prepare a release":              "b a d",
		"please prepare the release 2.0": "b a d",
		"login":                          "c",
		"something else entirely":        "",
		"":                               "",
	} {
		var got []string
		for _, e := range episode.Like(task, list, 3) {
			got = append(got, e.Session)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %v, want %q", task, got, want)
		}
	}
}

func TestUsual(t *testing.T) {
	var list []episode.Episode
	for n := range 10 {
		list = append(list, episode.Episode{Edited: []string{"a.go"}, Active: int64(n+1) * 60_000, Tools: []episode.Count{{Name: "edit", Calls: n}, {Name: "read", Calls: 2}}})
	}
	list = append(list, episode.Episode{Active: 1e9}, episode.Episode{Edited: []string{"a.go"}})
	u := episode.UsualOf(list)
	if got := fmt.Sprint(u); got != "{10 {300000 540000} {6 10}}" {
		t.Error(got)
	}
	if u := episode.UsualOf(nil); u.Sessions != 0 {
		t.Errorf("%+v", u)
	}
}
