package main

import (
	"bytes"
	"strings"
	"testing"

	"manicule/memory/ledger"
)

// TestPrintArms: means that say nothing yet are a line, not a page.
func TestPrintArms(t *testing.T) {
	arms := func(known bool) []ledger.ArmStats {
		figures := []ledger.Compare{{Name: "calls", Mean: 75, Known: known, More: -3}, {Name: "tokens", Mean: 300, Known: true}}
		return []ledger.ArmStats{{Arm: ledger.Full, Sessions: 15, Figures: figures}, {Arm: ledger.Passive, Sessions: 5, Figures: figures}}
	}
	for name, tt := range map[string]struct {
		arms []ledger.ArmStats
		want string
		not  string
	}{
		"none":         {nil, "no finished session has an arm", "means"},
		"too few":      {arms(false), "too few, or too alike: 15 full, 5 passive\n", "means"},
		"a difference": {arms(true), "5 sessions, means of one with 95 % intervals:\n                calls 75.0 [0.0, 0.0] (than full: -3.0", "not known yet"},
	} {
		var out bytes.Buffer
		sc := &statsCommand{cli: &cli{console: &console{out: &out}}}
		sc.printArms(tt.arms)
		if got := out.String(); !strings.Contains(got, tt.want) || strings.Contains(got, tt.not) {
			t.Errorf("%s:\n%s", name, got)
		}
	}
}
