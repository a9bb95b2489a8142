package local

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gomlx/go-huggingface/tokenizers/api"
	"github.com/gomlx/go-huggingface/tokenizers/hftokenizer"
)

// tokenFile is the name of the tokenizer's file.
const tokenFile = "tokenizer.json"

// bytesPerToken limits how much text is tokenized. A token of English or code has 4 bytes, the
// longest words in the vocabulary have 100. The rest of a longer text is cut off first.
const bytesPerToken = 64

// tokenizer splits texts into the model's tokens. It is safe for concurrent use.
type tokenizer struct {
	tk  api.Tokenizer
	max int // tokens including [CLS] and [SEP]
	// apart says that no token spans a space, and that only [CLS] and [SEP] are added.
	apart bool
	words *wordPieces // for plain words, if apart; nil leaves all to the library
}

// pieceBytes is how much text the library gets at once, because its time grows quadratically (36 ms
// for 4 kB, 660 ms for 16 kB).
const pieceBytes = 512

func openTokenizer(dir string, maxTokens int) (*tokenizer, error) {
	data, err := os.ReadFile(filepath.Join(dir, tokenFile))
	if err != nil {
		return nil, fmt.Errorf("read the tokenizer: %w", err)
	}
	tk, err := hftokenizer.NewFromContent(nil, data)
	if err != nil {
		return nil, fmt.Errorf("read the tokenizer: %w", err)
	}
	// The library ignores MaxLen and the file's truncation; see ids.
	if err := tk.With(api.EncodeOptions{AddSpecialTokens: true, IncludeSpans: true}); err != nil {
		return nil, fmt.Errorf("set up the tokenizer: %w", err)
	}
	form, err := readTokenFile(data)
	if err != nil {
		return nil, err
	}
	t := &tokenizer{tk: tk, max: maxTokens, apart: form.Pre.Type == "BertPreTokenizer" && len(tk.Encode("")) == 2}
	if t.apart {
		t.words = newWordPieces(form)
	}
	return t, nil
}

// encode returns the tokens of a text and their offsets. It may stop after enough tokens. The last
// is always [SEP].
func (t *tokenizer) encode(text string, enough int) api.AnnotatedEncoding {
	end := t.piece(text)
	out := t.tk.EncodeWithAnnotations(text[:end])
	for at := end; at < len(text) && len(out.IDs) <= enough; at = end {
		end = at + t.piece(text[at:])
		e := t.tk.EncodeWithAnnotations(text[at:end])
		last := len(out.IDs) - 1 // overwrite the previous [SEP]; this piece has its own
		for i := 1; i < len(e.Spans)-1; i++ {
			e.Spans[i].Start += at
			e.Spans[i].End += at
		}
		out.IDs, out.Spans = append(out.IDs[:last], e.IDs[1:]...), append(out.Spans[:last], e.Spans[1:]...)
	}
	return out
}

// piece returns the length of a prefix of the text that can be encoded by itself. It ends after a
// space.
func (t *tokenizer) piece(text string) int {
	if !t.apart || len(text) <= pieceBytes {
		return len(text)
	}
	i := strings.IndexAny(text[pieceBytes:], " \n\t\r")
	if i < 0 {
		return len(text)
	}
	return pieceBytes + i + 1
}

// ids returns the tokens of a text, at most the model's maximum. The last is [SEP].
func (t *tokenizer) ids(text string) []int {
	text = clean(text, t.max*bytesPerToken)
	if t.words != nil {
		return t.idsByField(text)
	}
	ids := t.encode(text, t.max).IDs
	if len(ids) > t.max {
		ids[t.max-1] = ids[len(ids)-1]
		ids = ids[:t.max]
	}
	return ids
}

// idsByField is ids for a tokenizer whose tokens span no space. It asks the library for those
// fields only that are not plain words.
func (t *tokenizer) idsByField(text string) []int {
	ends := t.tk.Encode("")
	ids := ends[:1:1]
	for field := range strings.FieldsFuncSeq(text, isSpace) {
		if len(ids) >= t.max {
			break
		}
		var ok bool
		if ids, ok = t.words.appendField(ids, field); !ok {
			own := t.tk.Encode(field)
			ids = append(ids, own[1:len(own)-1]...)
		}
	}
	return append(ids[:min(len(ids), t.max-1)], ends[1])
}

func isSpace(r rune) bool { return r == ' ' || r == '\n' || r == '\t' || r == '\r' }

// cut returns the part of a text that ids encodes, for a caller with its own tokenizer, and its
// number of tokens.
func (t *tokenizer) cut(text string) (string, int) {
	text = clean(text, t.max*bytesPerToken)
	e := t.encode(text, t.max)
	if len(e.IDs) <= t.max {
		return text, len(e.IDs)
	}
	// [CLS] is at 0, so this is the last token that stays. A partial word may have other tokens
	// than the whole one, so cut before it.
	text = text[:wordEnd(text, min(max(e.Spans[t.max-2].End, 0), len(text)))]
	return text, min(len(t.encode(text, t.max).IDs), t.max)
}

// wordEnd returns the last offset up to end that is not inside a word.
func wordEnd(text string, end int) int {
	for end > 0 && end < len(text) && !boundary(text, end) {
		_, n := utf8.DecodeLastRuneInString(text[:end])
		end -= n
	}
	return end
}

// boundary reports whether no word spans an offset of a text.
func boundary(text string, at int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:at])
	after, _ := utf8.DecodeRuneInString(text[at:])
	word := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }
	return !word(before) || !word(after)
}

// clean removes what BERT's normalizer removes but the library encodes as an unknown token:
// invisible characters (Unicode's Cf, such as U+200B and U+FEFF) and invalid UTF-8. It cuts at
// limit bytes.
func clean(text string, limit int) string {
	if len(text) > limit {
		for limit > 0 && !utf8.RuneStart(text[limit]) {
			limit--
		}
		text = text[:limit]
	}
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) || r == utf8.RuneError {
			return -1
		}
		return r
	}, text)
}
