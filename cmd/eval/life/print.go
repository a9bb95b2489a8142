package life

import (
	"cmp"
	"errors"
	"fmt"
	"image/color"
	"os"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"manicule/cmd/internal/evalkit"
	"manicule/memory/life"
)

// String is the table of what lived and what faded.
func (y *Year) String() string {
	type row struct {
		name                                           string
		written, kept, active, fading, archived, after int
		confidence                                     float64
		reasons                                        map[string]int
	}
	rows := map[string]*row{}
	for _, f := range y.facts {
		name := f.name()
		r := rows[name]
		if r == nil {
			r = &row{name: name, reasons: map[string]int{}}
			rows[name] = r
		}
		r.written++
		switch f.fate {
		case life.Kept:
			r.kept++
		case life.Fading:
			r.fading++
		case life.Archived:
			r.archived++
			r.after += f.gone - f.written
			why, _, _ := strings.Cut(f.reason, " for ")
			r.reasons[why]++
		default:
			r.active++
		}
		r.confidence += f.last
	}
	t := evalkit.NewTable("memories", "written", "kept", "active", "fading", "archived", "days until then", "mean confidence of the living", "why they went")
	list := make([]*row, 0, len(rows))
	for _, r := range rows {
		list = append(list, r)
	}
	slices.SortFunc(list, func(a, b *row) int { return cmp.Compare(a.name, b.name) })
	for _, r := range list {
		days, confidence := "–", "–"
		if r.archived > 0 {
			days = fmt.Sprint(r.after / r.archived)
		}
		if living := r.written - r.archived; living > 0 {
			confidence = fmt.Sprintf("%.2f", r.confidence/float64(living))
		}
		var why []string
		for reason, n := range r.reasons {
			why = append(why, fmt.Sprintf("%s: %d", reason, n))
		}
		slices.Sort(why)
		t.Add(r.name, r.written, r.kept, r.active, r.fading, r.archived, days, confidence, cmp.Or(strings.Join(why, ", "), "–"))
	}
	return t.String() + fmt.Sprintf("\n%d days of 3 clones: %d memories, %d uses, %d edits of one memory on several sides (%d conflicts resolved), %d sweeps.\n",
		len(y.days), len(y.facts), y.uses, y.edits, y.conflicts, y.sweeps)
}

// name is the group of a fact in the table.
func (f *fact) name() string {
	use := map[int]string{0: "never used", 10: "used every 10 days", 45: "used every 45 days"}[f.every]
	_, ages := map[string]bool{"decision": true, "convention": true}[string(f.kind)]
	switch {
	case f.pinned:
		return "pinned"
	case f.tied:
		return "tied to code, " + use
	case ages:
		return "decisions and conventions"
	case f.kind == "work_state":
		return "work state (7 days), " + use
	}
	return "ageing (60 to 120 days), " + use
}

// Draw draws the tiers over the days.
func (y *Year) Draw(name string) (err error) {
	p := plot.New()
	p.Title.Text = "A year of three clones: the memories of one of them"
	p.X.Label.Text, p.Y.Label.Text = "day", "memories"
	p.Legend.Top, p.Legend.Left = true, true
	for _, s := range []struct {
		label string
		color color.RGBA
		value func(day) int
	}{
		{"kept", color.RGBA{R: 0x1b, G: 0x7f, B: 0x4c, A: 255}, func(d day) int { return d.kept }},
		{"active", color.RGBA{R: 0x1f, G: 0x5f, B: 0xa8, A: 255}, func(d day) int { return d.active }},
		{"fading", color.RGBA{R: 0xc9, G: 0x8a, B: 0x12, A: 255}, func(d day) int { return d.fading }},
		{"archived, all in all", color.RGBA{R: 0x8a, G: 0x2b, B: 0x2b, A: 255}, func(d day) int { return d.archived }},
	} {
		points := make(plotter.XYs, len(y.days))
		for i, d := range y.days {
			points[i].X, points[i].Y = float64(i), float64(s.value(d))
		}
		line, err := plotter.NewLine(points)
		if err != nil {
			return fmt.Errorf("draw %s: %w", s.label, err)
		}
		line.Color, line.Width = s.color, vg.Points(1.5)
		p.Add(line)
		p.Legend.Add(s.label, line)
	}
	canvas := vgsvg.New(18*vg.Centimeter, 10*vg.Centimeter)
	p.Draw(draw.New(canvas))
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	_, err = canvas.WriteTo(f)
	return err
}
