package process

import (
	"strings"
	"testing"
)

func TestBudget(t *testing.T) {
	b := &bench{megabytes: 25, initMillis: 100, floorMillis: 2, ratio: 1000}
	err := b.withinBudget()
	if err == nil || !strings.Contains(err.Error(), "median of the hook") || !strings.Contains(err.Error(), "initialisation") || strings.Contains(err.Error(), "size") {
		t.Errorf("withinBudget = %v", err)
	}
}
