package observe

import "regexp"

// onlyLooks matches what an agent says when it is about to look at something, which says nothing of how far it was.
func onlyLooks() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(?:(?:now|next|then|first|so|okay|ok|also|good|great)[,!:]? +)*(?:let me|let's|i'll|i will|i'm going to|i need to)(?: \w+){0,3}? (?:look|explore|check|read|see|inspect|search|find|examine|understand|review|start by|begin by|get (?:a|an|the)|gather|map)\b`)
}
