// Package gittest runs git for tests. The product must not import it.
package gittest

import (
	"context"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
)

// Git runs git in a folder, which must succeed, and returns what it prints without the blanks around it. Nobody's
// settings count. The author is Ada, unless the arguments begin with other settings. Without git the test is skipped.
func Git(t testing.TB, dir string, args ...string) string {
	t.Helper()
	out, err := Try(t, dir, args...)
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return out
}

// GitAt is [Git] at a time, which commits get.
func GitAt(t testing.TB, dir string, at time.Time, args ...string) string {
	t.Helper()
	date := at.Format(time.RFC3339)
	out, err := try(t, dir, args, "GIT_AUTHOR_DATE="+date, "GIT_COMMITTER_DATE="+date)
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return out
}

// Try is [Git] for what may fail.
func Try(t testing.TB, dir string, args ...string) (string, error) {
	t.Helper()
	return try(t, dir, args)
}

// settings are those of a commit that nobody has to keep: it waits for no disk, and starts no maintenance.
var settings = []string{"-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "commit.gpgsign=false", "-c", "core.fsync=none", "-c", "maintenance.auto=false"}

func try(t testing.TB, dir string, args []string, env ...string) (string, error) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	// Not the test's context, which has ended when a test cleans up.
	cmd := exec.CommandContext(context.Background(), "git", slices.Concat([]string{"-C", dir}, settings, args)...)
	cmd.Env = append(append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_EDITOR=true"), env...)
	out, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}
