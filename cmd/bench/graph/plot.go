package graph

import (
	"errors"
	"fmt"
	"image/color"
	"math"
	"os"
	"time"

	"manicule/cmd/internal/evalkit"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// panel plots one figure against the lines of the workspace.
type panel struct {
	title  string
	value  func(*result) float64
	target float64 // 0 for no target
}

func panels() []panel {
	millis := func(s []time.Duration, q float64) float64 {
		return float64(evalkit.Percentile(s, q).Microseconds()) / 1000
	}
	return []panel{
		{"cold index, processor s", func(r *result) float64 { return r.cold.processor.Seconds() }, 0},
		{"peak memory of it, MB", func(r *result) float64 { return float64(r.cold.peakMB) }, 300},
		{"graph.db, MB", func(r *result) float64 { return float64(r.state.Bytes) / (1 << 20) }, 0},
		{"one touched, as a command, processor ms", func(r *result) float64 {
			return millis(r.touched.of(func(c cost) time.Duration { return c.processor }), .5)
		}, 0},
		{"one file saved, p95 ms", func(r *result) float64 { return millis(r.saved, .95) }, 50},
		{"impact to depth 3, p95 ms", func(r *result) float64 { return millis(r.impact, .95) }, 10},
	}
}

// drawGrowth draws the results as two rows of three panels. Both axes are logarithmic, so
// proportional growth is a line of 45 degrees.
func drawGrowth(file string, all []*result) (err error) {
	const rows, columns = 2, 3
	grid := make([][]*plot.Plot, rows)
	for i, p := range panels() {
		one, err := p.draw(all)
		if err != nil {
			return fmt.Errorf("draw %q: %w", p.title, err)
		}
		grid[i/columns] = append(grid[i/columns], one)
	}
	canvas := vgsvg.New(22*vg.Centimeter, 13*vg.Centimeter)
	white := draw.New(canvas)
	white.FillPolygon(color.White, []vg.Point{{}, {X: white.Max.X}, white.Max, {Y: white.Max.Y}})
	tiles := draw.Tiles{Rows: rows, Cols: columns, PadX: vg.Centimeter / 2, PadY: vg.Centimeter / 2, PadTop: vg.Centimeter / 4, PadBottom: vg.Centimeter / 4, PadRight: vg.Centimeter / 2, PadLeft: vg.Centimeter / 4}
	for i, row := range plot.Align(grid, tiles, white) {
		for j, c := range row {
			grid[i][j].Draw(c)
		}
	}
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	_, err = canvas.WriteTo(f)
	return err
}

func (p panel) draw(all []*result) (*plot.Plot, error) {
	var points plotter.XYs
	for _, r := range all {
		if v := p.value(r); v > 0 && r.lines > 0 { // a logarithm has no place for 0
			points = append(points, plotter.XY{X: float64(r.lines), Y: v})
		}
	}
	if len(points) == 0 {
		return nil, errors.New("nothing was measured")
	}
	line, marks, err := plotter.NewLinePoints(points)
	if err != nil {
		return nil, err
	}
	line.Color = color.RGBA{B: 0xa0, G: 0x40, A: 0xff}
	marks.Color = line.Color
	out := plot.New()
	out.Title.Text = p.title
	out.X.Label.Text = "lines"
	for _, axis := range []*plot.Axis{&out.X, &out.Y} {
		axis.Scale, axis.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
	}
	out.Add(plotter.NewGrid(), line, marks)
	if p.target > 0 {
		limit, err := plotter.NewLine(plotter.XYs{{X: points[0].X, Y: p.target}, {X: points[len(points)-1].X, Y: p.target}})
		if err != nil {
			return nil, err
		}
		limit.Color, limit.Dashes = color.RGBA{R: 0xc0, A: 0xff}, []vg.Length{vg.Points(4), vg.Points(3)}
		out.Add(limit)
	}
	out.X.Min, out.X.Max = decades(out.X.Min, out.X.Max)
	out.Y.Min, out.Y.Max = decades(out.Y.Min, out.Y.Max)
	return out, nil
}

// decades returns the powers of ten around a range. A value slightly above one still
// belongs to it.
func decades(low, high float64) (float64, float64) {
	low, high = math.Pow10(int(math.Floor(math.Log10(low)))), math.Pow10(int(math.Ceil(math.Log10(high)-.01)))
	if low == high {
		high *= 10
	}
	return low, high
}
