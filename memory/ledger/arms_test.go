package ledger

import (
	"fmt"
	"math"
	"testing"

	"manicule/memory/store"
)

func TestArmOf(t *testing.T) {
	n := map[Arm]int{}
	for i := range 20_000 {
		id := fmt.Sprint("s", i)
		arm := ArmOf("repo", id)
		if arm != ArmOf("repo", id) {
			t.Fatal("the arm of a session changes")
		}
		n[arm]++
	}
	for arm, share := range map[Arm]float64{Off: .05, Passive: .10, Full: .85} {
		if got := float64(n[arm]) / 20_000; math.Abs(got-share) > .01 {
			t.Errorf("%s has %.3f of the sessions, want %.2f", arm, got, share)
		}
	}
}

func TestCompareArms(t *testing.T) {
	var list []store.ShownSession
	add := func(arm Arm, n, repeated int) {
		for i := range n {
			list = append(list, store.ShownSession{Arm: string(arm), Over: true, Repeated: repeated + i%2, Calls: i % 5})
		}
	}
	add(Full, 30, 0)
	add(Off, 12, 4)
	add(Passive, 3, 4)
	list = append(list, store.ShownSession{Over: true, Repeated: 100}, store.ShownSession{Arm: "off", Repeated: 100}) // no arm, and not over
	got := compareArms(list, 1)
	if len(got) != 3 || got[0].Arm != Full || got[0].Sessions != 30 || got[1].Sessions != 3 || got[2].Sessions != 12 {
		t.Fatalf("%+v", got)
	}
	find := func(a ArmStats, name string) Compare {
		for _, f := range a.Figures {
			if f.Name == name {
				return f
			}
		}
		t.Fatalf("no %s in %+v", name, a)
		return Compare{}
	}
	if f := find(got[2], "failures_repeated"); !f.Known || f.More != 4 || f.MoreLow < 3 || f.MoreHigh > 5 || f.Low > f.Mean || f.High < f.Mean {
		t.Errorf("off: %+v", f)
	}
	if f := find(got[2], "files_reread"); f.Aim != .5 {
		t.Errorf("the aim of files read again is %v", f.Aim)
	}
	if f := find(got[0], "files_reread"); f.Aim != 0 {
		t.Errorf("the full arm has an aim: %v", f.Aim)
	}
	if less := (Compare{Mean: 20, More: 5}).Less(); less != .25 {
		t.Errorf("full has %v less", less)
	}
	if f := find(got[2], "calls"); f.Known {
		t.Errorf("a difference within chance is called known: %+v", f)
	}
	if f := find(got[1], "failures_repeated"); f.Known {
		t.Errorf("three sessions are called enough: %+v", f)
	}
	if a, b := compareArms(list, 1), compareArms(list, 1); fmt.Sprint(a) != fmt.Sprint(b) {
		t.Error("the intervals change without new sessions")
	}
	if len(compareArms(nil, 1)) != 0 {
		t.Error("arms of nothing")
	}
}
