package evalkit

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"
)

// Mean returns the mean, or 0 of no values.
func Mean(v []float64) (sum float64) {
	for _, x := range v {
		sum += x
	}
	return sum / float64(max(1, len(v)))
}

// resamples is the number of bootstrap draws.
const resamples = 2000

// Interval returns the 95 % confidence interval of the mean (percentile bootstrap, Efron
// 1979). The draws are the same each time.
func Interval(v []float64) (low, high float64) {
	if len(v) == 0 {
		return 0, 0
	}
	r := rand.New(rand.NewPCG(1, 2))
	means := make([]float64, resamples)
	for i := range means {
		sum := 0.0
		for range v {
			sum += v[r.IntN(len(v))]
		}
		means[i] = sum / float64(len(v))
	}
	slices.Sort(means)
	return means[resamples*25/1000], means[resamples*975/1000]
}

// Difference formats the mean improvement of a over b by question, with the confidence
// interval of the paired difference.
func Difference(a, b []float64) string {
	d := make([]float64, len(a))
	for i := range a {
		d[i] = a[i] - b[i]
	}
	low, high := Interval(d)
	return fmt.Sprintf("%s [%s, %s]", signed(Mean(d)), signed(low), signed(high))
}

// signed formats a number with its sign. What rounds to zero gets a plus.
func signed(x float64) string {
	s := fmt.Sprintf("%+.3f", x)
	if s == "-0.000" {
		return "+0.000"
	}
	return s
}

// Percentile returns the smallest value that at least a share q of all values does not
// exceed (nearest rank), or the zero value.
func Percentile[T cmp.Ordered](v []T, q float64) (at T) {
	if len(v) == 0 {
		return at
	}
	rank := int(math.Ceil(q*float64(len(v)) - 1e-9)) // .07 × 100 is a little more than 7
	return slices.Sorted(slices.Values(v))[min(len(v), max(1, rank))-1]
}

// Share returns a divided by b, or 0 if b is 0.
func Share(a, b int) float64 { return float64(a) / float64(max(1, b)) }

// Ratio formats a share with three digits, or "–" when dividing by 0.
func Ratio(a, b int) string {
	if b == 0 {
		return "–"
	}
	return fmt.Sprintf("%.3f", Share(a, b))
}

// Millis formats a duration in milliseconds with two or three significant digits.
func Millis(d time.Duration) string {
	ms := float64(d) / float64(time.Millisecond)
	switch {
	case ms < .1:
		return fmt.Sprintf("%.2g", ms)
	case ms < 1:
		return fmt.Sprintf("%.2f", ms)
	case ms < 100:
		return fmt.Sprintf("%.1f", ms)
	}
	return fmt.Sprintf("%.0f", ms)
}
