//go:build unix

package learn

import (
	"fmt"
	"runtime"
	"syscall"
	"testing"
	"time"

	"manicule/hooks/eventlog"
	"manicule/memory/file"
)

// BenchmarkEnd is the end of a session of 2,000 events (budget: 100 ms): one that
// was told nothing, and one that was shown forty memories. The first end of a session adds to the
// sums of the state; a further one takes out what the one before added. cpu-ms is the time of all
// processors, which a busy machine doesn't change.
func BenchmarkEnd(b *testing.B) {
	for _, told := range []int{0, 40} {
		p := newPlace(b)
		p.remember(file.Gotcha, "there is a database") // else it is looked for each time
		var ids []string
		for i := range told {
			ids = append(ids, p.remember(file.ErrorPattern, fmt.Sprintf("`make gen%d` does not work here; `mise run gen%d` does.", i, i)))
		}
		session := func(name string) {
			for _, id := range ids {
				p.show(hook(name, id))
			}
			for i := range 1000 {
				pre := eventlog.Record{Kind: "pre_tool", Calls: []eventlog.Call{{Tool: "Read", Class: "read", ID: fmt.Sprint(i), Paths: []string{fmt.Sprintf("src/f%d.go", i%60)}}}}
				if i%3 == 0 {
					pre.Calls[0] = eventlog.Call{Tool: "Bash", Class: "shell", ID: fmt.Sprint(i), Command: fmt.Sprintf("cd app && mise run gen%d --all | tail -3", i%90)}
				}
				post := pre
				post.Kind = "post_tool"
				p.tick()
				p.log(name, pre, post)
			}
		}
		n := 0
		b.Run(fmt.Sprintf("first/told=%d", told), func(b *testing.B) {
			cpu := time.Duration(0)
			for b.Loop() {
				b.StopTimer()
				n++
				name := fmt.Sprint("s", n)
				session(name)
				runtime.GC()
				began := processorTime(b)
				b.StartTimer()
				if _, err := Session(b.Context(), p.options(), name); err != nil {
					b.Fatal(err)
				}
				cpu += processorTime(b) - began
			}
			b.ReportMetric(float64(cpu.Milliseconds())/float64(b.N), "cpu-ms/op")
		})
		b.Run(fmt.Sprintf("again/told=%d", told), func(b *testing.B) {
			session("again")
			began := processorTime(b)
			b.ResetTimer()
			for b.Loop() {
				if _, err := Session(b.Context(), p.options(), "again"); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64((processorTime(b)-began).Milliseconds())/float64(b.N), "cpu-ms/op")
		})
	}
}

// processorTime is what this process has used so far, of the person's and of the system's time.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
