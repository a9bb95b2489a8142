package builds

import "testing"

func TestSettle(t *testing.T) {
	const base = "# Move\n\n## A\n\n- [ ] Write\n- [ ] Test\n- [ ] Test\n- [ ] Index\n"
	for name, c := range map[string]struct{ ours, theirs, wantOurs, wantTheirs string }{
		"one below the other": {"# Move\n\n## A\n\n- [x] Write\n- [ ] Test\n- [ ] Test\n- [ ] Index\n", "# Move\n\n## A\n\n- [ ] Write\n- [ ] Test\n- [x] Test\n- [ ] Index\n",
			"# Move\n\n## A\n\n- [x] Write\n- [ ] Test\n- [x] Test\n- [ ] Index\n", "# Move\n\n## A\n\n- [x] Write\n- [ ] Test\n- [x] Test\n- [ ] Index\n"},
		"both, and one is further": {"# Move\n\n## A\n\n- [ ] Write (in progress)\n- [ ] Test\n", "# Move\n\n## A\n\n- [x] Write\n- [ ] Test\n- [ ] More\n",
			"# Move\n\n## A\n\n- [x] Write\n- [ ] Test\n", "# Move\n\n## A\n\n- [x] Write\n- [ ] Test\n- [ ] More\n"},
		"taken back": {"# Move\n\n## A\n\n- [ ] Write (blocked: ops)\n", base, "# Move\n\n## A\n\n- [ ] Write (blocked: ops)\n",
			"# Move\n\n## A\n\n- [ ] Write (blocked: ops)\n- [ ] Test\n- [ ] Test\n- [ ] Index\n"},
		"one more of the same words": {"# Move\n\n## A\n\n- [ ] Write\n- [x] Test\n- [ ] Test\n- [x] Index\n", "# Move\n\n## Before\n\n- [ ] Test\n\n## A\n\n- [ ] Write\n- [ ] Test\n- [ ] Test\n- [ ] Index\n",
			"# Move\n\n## A\n\n- [ ] Write\n- [x] Test\n- [ ] Test\n- [x] Index\n", "# Move\n\n## Before\n\n- [ ] Test\n\n## A\n\n- [ ] Write\n- [ ] Test\n- [ ] Test\n- [x] Index\n"},
	} {
		t.Run(name, func(t *testing.T) {
			_, ours, theirs := Settle([]byte(base), []byte(c.ours), []byte(c.theirs))
			if string(ours) != c.wantOurs || string(theirs) != c.wantTheirs {
				t.Errorf("ours\n%s\ntheirs\n%s", ours, theirs)
			}
			_, theirs, ours = Settle([]byte(base), []byte(c.theirs), []byte(c.ours))
			if string(ours) != c.wantOurs || string(theirs) != c.wantTheirs {
				t.Errorf("from the other side: ours\n%s\ntheirs\n%s", ours, theirs)
			}
		})
	}
}
