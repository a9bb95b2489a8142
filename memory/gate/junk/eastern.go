package junk

import (
	"strings"
	"sync"
	"unicode"

	"manicule/memory/lazyregexp"
)

// eastern are the regular expressions for lines in Chinese, Japanese and Korean, which the judge of likelihood doesn't know.
type eastern struct {
	says   *lazyregexp.Regexp // what makes a line a statement or an order
	named  *lazyregexp.Regexp // a name and what is said of it
	folded *lazyregexp.Regexp // finished work at the end of a line, or the date of a page
	deeds  *lazyregexp.Regexp // a Japanese sentence that ends with the noun of a change, as a commit's message does
	ends   *lazyregexp.Regexp // what makes a Japanese line a statement: its end, or a condition
}

var easternForms = sync.OnceValue(func() *eastern {
	return &eastern{
		says:   lazyregexp.New(`[是不要必须用会有在被把需应勿禁先则可能否为使让请当若如因→=≠]|です|ます|する|した|して|ない|れる|なら|だ$|[다요음함]$|있|없|해야|불가|依赖|依存|避免|防止|确保|確保|一致|[。.!?！？]$`),
		named:  lazyregexp.New(`[:：]\W*\w|：\W*\pL|\s[—–-]+\s`),
		folded: lazyregexp.New(`(?:完成|完了|完毕|完畢|済み|완료)[\s*_。.!！✅]*$|^\**(?:最終更新日?|最后更新|最近更新|更新日期?|최종 수정일?)\**[:：]\s*\**\d`),
		deeds:  lazyregexp.New(`を[^。]*(?:追加|修正|変更|改善|対応|実装|削除|更新|作成|強化|導入|統一|整理|移行)。?$`),
		ends:   lazyregexp.New(`は.|を|です|ます|する|した|して|ない|れる|なら|必ず|禁止|必須|不可|可能|[うくすつぬむるだ]。?$|[=≠]|[。.!?！？]$`),
	}
})

// longestEasternName is up to how many characters a line that says nothing may have: longer ones have a verb that isn't known here.
const longestEasternName = 40

// easternDoubt returns what a line in Chinese, Japanese or Korean reads like: an account if it ends with the word for finished work, a
// fragment if nothing in it says or orders anything.
func easternDoubt(line string) (Kind, bool) {
	if line = strings.TrimRight(strings.TrimSpace(line), "*_ "); !isEastern(line) {
		return "", false
	}
	f := easternForms()
	japanese := isJapanese(line)
	switch {
	case f.folded.MatchString(line), japanese && f.deeds.MatchString(line):
		return Session, true
	case japanese && len([]rune(line)) <= longestEasternName && !f.ends.MatchString(line) && !f.named.MatchString(line):
		return Fragment, true
	case len([]rune(line)) <= longestEasternName && !f.says.MatchString(line) && !f.named.MatchString(line):
		return Fragment, true
	}
	return "", false
}

// isEastern reports whether a text has more than one letter of Chinese, Japanese or Korean.
func isEastern(text string) bool {
	n := 0
	for _, r := range text {
		if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) {
			if n++; n > 1 {
				return true
			}
		}
	}
	return false
}

// isJapanese reports whether a text has more than one letter that only Japanese has: a statement in it ends with a verb in these
// letters, so that Chinese characters which are verbs elsewhere say nothing.
func isJapanese(text string) bool {
	n := 0
	for _, r := range text {
		if unicode.In(r, unicode.Hiragana, unicode.Katakana) {
			n++
		}
	}
	return n > 1
}
