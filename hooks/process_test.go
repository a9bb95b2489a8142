package hooks

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"testing"
	"time"

	"manicule/indexer/must"
)

// asHook makes the test binary be a hook.
const asHook = "MANICULE_TEST_AS_HOOK"

func TestMain(m *testing.M) {
	if agent := os.Getenv(asHook); agent != "" {
		Run(context.Background(), Options{Agent: agent, Stdin: os.Stdin, Stdout: os.Stdout, Start: time.Now()})
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// TestProcess runs hooks as processes, on the pipes of hosts that misbehave:
// each ends by itself, in time, and with 0.
func TestProcess(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Skip(err)
	}
	start := func(stdin, stdout *os.File) time.Duration {
		t.Helper()
		cmd := exec.Command(exe)
		cmd.Env = []string{asHook + "=gemini"} // no HOME either
		var stderr bytes.Buffer
		cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, stdout, &stderr
		began := time.Now()
		if err := cmd.Run(); err != nil || stderr.Len() > 0 {
			t.Errorf("%v: %s", err, stderr.String())
		}
		return time.Since(began)
	}
	pipe := func() (r, w *os.File) {
		t.Helper()
		r, w, err := os.Pipe()
		must.OK(t, err)
		t.Cleanup(func() { _, _ = r.Close(), w.Close() }) // some are closed already
		return r, w
	}
	quiet, held := pipe() // an open stdin that says nothing
	gone, out := pipe()   // a stdout that nobody reads
	must.OK(t, gone.Close())
	if took := start(quiet, out); took > 5*time.Second {
		t.Errorf("with a silent stdin it took %v", took)
	}
	must.OK(t, held.Close())
	start(quiet, out)
	start(nil, nil)
}
