package extract

import (
	"bytes"
	"regexp"
	"sync"
)

// cellsOnly keeps the Python of a Jupyter notebook: the lines of its code cells, which
// the file has as one JSON string each. Each byte and each line keeps its place. A
// notebook in another language has no code.
func cellsOnly(src []byte) []byte {
	clean := keepOnly(src, nil)
	if m := notebookLanguage().FindSubmatch(src); m != nil && string(m[1]) != "python" {
		return clean
	}
	code, inside := false, false
	other := false                    // the cell is in another language
	continued, goesOn := false, false // the line before is for IPython; it ends in a backslash
	for at := 0; at < len(src); at = nextLine(src, at) {
		line := bytes.TrimSpace(src[at:nextLine(src, at)])
		switch {
		case inside && len(line) > 0 && line[0] == '"':
			start := at + bytes.IndexByte(src[at:], '"') + 1
			text := jsonString(src[start:])
			other = other || foreign(text)
			if continued = continued && goesOn || magic(text); !other && !continued {
				unescape(clean[start:], text)
			}
			goesOn = bytes.HasSuffix(text, []byte(`\\`))
		case inside && bytes.HasPrefix(line, []byte("]")):
			inside = false
		case bytes.HasPrefix(line, []byte(`"cell_type":`)):
			code = bytes.Contains(line, []byte(`"code"`))
		case bytes.HasPrefix(line, []byte(`"source": [`)):
			empty := bytes.HasPrefix(line, []byte(`"source": []`))
			inside, other, continued = code && !empty, false, false
		}
	}
	return clean
}

// notebookLanguage matches the language of a notebook's kernel.
var notebookLanguage = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`"kernelspec": \{[^{}]*"language": "([^"]*)"`)
})

// jsonString returns the text of a JSON string behind its opening quote, still
// escaped, without the end of the line at its end.
func jsonString(src []byte) []byte {
	for i := 0; i < len(src) && src[i] != '\n'; i++ {
		switch src[i] {
		case '\\':
			i++
		case '"':
			return bytes.TrimSuffix(src[:i], []byte(`\n`))
		}
	}
	return nil
}

// foreign reports whether a line says that its cell is in another language. Some cell
// magics only measure Python or catch what it prints.
func foreign(text []byte) bool {
	rest, ok := bytes.CutPrefix(text, []byte("%%"))
	if !ok {
		return false
	}
	for _, name := range []string{"time", "timeit", "capture", "prun", "memit", "mprun"} {
		if word, _, _ := bytes.Cut(rest, []byte(" ")); string(word) == name {
			return false
		}
	}
	return true
}

// magic reports whether a line is for IPython: a magic, a command of the shell, a
// question.
func magic(text []byte) bool {
	text = bytes.TrimSpace(text)
	return len(text) > 0 && (text[0] == '%' || text[0] == '!' || text[0] == '?' || text[len(text)-1] == '?')
}

// unescape writes an escaped text without its escapes. Those that follow each other
// begin where they began: the indentation counts, and nothing may come between the f
// and the quote of f"…". A backslash at their end stays beside what it escapes.
func unescape(to, text []byte) {
	copy(to, text)
	for i := 0; i < len(text); {
		if text[i] != '\\' {
			i++
			continue
		}
		start := i
		var run []byte
		for i < len(text) && text[i] == '\\' {
			c, n := escaped(text[i:])
			i += n
			if c == ' ' {
				break
			}
			run = append(run, c)
		}
		for j := start; j < i; j++ {
			to[j] = ' '
		}
		if n := len(run) - 1; n >= 0 && run[n] == '\\' {
			to[i-1], run = '\\', run[:n]
		}
		copy(to[start:], run)
	}
}

// escaped returns the character that an escape at the beginning of a text means, and
// the length of the escape. Of those beyond ASCII it is any letter.
func escaped(text []byte) (c byte, n int) {
	if len(text) < 2 {
		return ' ', len(text)
	}
	switch text[1] {
	case '"', '\\', '/':
		return text[1], 2
	case 'u':
		return 'u', min(6, len(text))
	default: // white space
		return ' ', 2
	}
}
