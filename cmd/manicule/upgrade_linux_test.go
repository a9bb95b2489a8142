package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestUpgradeOnABadDisk: a state.db of an earlier version on a disk that is full or can't be written to stays as it is. Memories are
// read, what needs the database says why not and what to do, and once there is room it is updated, with a backup.
func TestUpgradeOnABadDisk(t *testing.T) {
	wholeFormOnly(t)
	if err := exec.Command("unshare", "-m", "true").Run(); err != nil {
		t.Skipf("no mounts can be made here: %v", err)
	}
	for name, c := range map[string]struct{ spoil, mend string }{
		"read-only": {`mount -o remount,ro d "$S"`, `mount -o remount,rw d "$S"`},
		"full":      {`head -c 20m /dev/zero >"$S/fill" || true`, `rm "$S/fill"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := openOld(t, "0.1")
			script := fmt.Sprintf(`set -e; S=$XDG_STATE_HOME; mkdir ../kept; cp -a "$S/." ../kept
mount -t tmpfs -o size=8m d "$S"; cp -a ../kept/. "$S"; { %s; } 2>/dev/null; set +e
manicule list; echo "= $? list"; manicule recall a.go; echo "= $? recall"
manicule review list 2>&1; echo "= $? review"
manicule thread list 2>&1; echo "= $? thread"
%s; manicule review list; echo "= $? again"; ls "$S"/manicule/*; echo "= 0 files"
`, c.spoil, c.mend)
			cmd := exec.Command("unshare", "-m", "sh", "-c", script)
			var said bytes.Buffer
			cmd.Dir, cmd.Stderr = o.root, &said
			cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + filepath.Dir(o.root)}
			for k, v := range o.vars {
				cmd.Env = append(cmd.Env, k+"="+v)
			}
			out, err := cmd.Output()
			if err != nil {
				t.Fatalf("%v\n%s%s", err, out, said.String())
			}
			answers := map[string]string{}
			last := ""
			for line := range strings.Lines(string(out)) {
				rest, end := strings.CutPrefix(line, "= ")
				if !end {
					last += line
					continue
				}
				code, what, _ := strings.Cut(strings.TrimSpace(rest), " ")
				answers[what], last = code+" "+last, ""
			}
			for what, want := range map[string][]string{
				"list":   {"0 ", "the cache is flushed by hand"},
				"recall": {"0 ", "the cache is flushed by hand"},
				"thread": {"1 ", "of an earlier version", "try: Free space on the disk"},
				"again":  {"0 ", "a draft of an agent about F"},
				"files":  {"-v8"},
			} {
				for _, w := range want {
					if !strings.Contains(answers[what], w) {
						t.Errorf("%s: no %q in %q", what, w, answers[what])
					}
				}
			}
			if text := answers["review"]; strings.Contains(text, "SQL logic error") {
				t.Errorf("review: %q", text)
			}
		})
	}
}
