package main

import (
	"fmt"
	"math"

	"manicule/memory"
	"manicule/memory/life"
)

// effective returns a memory's effective confidence, 0 if it is the stated one.
func effective(h memory.Hit) float64 {
	c := h.Confidence()
	if math.Abs(c-h.Memory.Confidence) < 0.0005 {
		return 0
	}
	return math.Round(c*1000) / 1000
}

// explained returns why the effective confidence is what it is, for JSON.
func explained(h memory.Hit) *life.Explanation {
	e := life.Explain(h.Facts())
	e.Confidence = math.Round(e.Confidence*1000) / 1000
	for i, f := range e.Factors {
		e.Factors[i].Value, e.Factors[i].After = math.Round(f.Value*1000)/1000, math.Round(f.After*1000)/1000
	}
	return &e
}

// printConfidence prints the effective confidence as a sum, a factor in each line.
func (c *console) printConfidence(h memory.Hit) {
	e := explained(h)
	c.printf("  why this confidence\n")
	for _, f := range e.Factors {
		sign := " "
		switch f.Kind {
		case life.Plus:
			sign = "+"
		case life.Multiply:
			sign = "×"
		}
		c.printf("    %s %.3f  %-10s %s\n", sign, f.Value, f.Name, plainLine(f.Why))
	}
	c.printf("    = %.3f  %s\n", e.Confidence, c.paint(faint, plainLine(e.Ages)))
}

func confidenceNow(h memory.Hit) string {
	now := effective(h)
	if now == 0 {
		return ""
	}
	return fmt.Sprintf("%.2f, stated %.2f: `manicule show %s --why-this-confidence` says why", now, h.Memory.Confidence, h.Memory.ShortID())
}
