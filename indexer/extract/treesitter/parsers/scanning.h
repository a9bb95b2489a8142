// The scanners that grammars bring of their own ask the runtime for each character, too: of white space before a token, and
// of strings and comments. This goes on by a character itself where the text is ASCII.

#ifndef MANICULE_SCANNING_H
#define MANICULE_SCANNING_H

#include "lexing.h"

static inline void manicule_advance(TSLexer *lexer, bool skip) {
	manicule_lexer *l = (manicule_lexer *)lexer;
	uint32_t next = l->current.bytes + l->lookahead_size, at = next - l->chunk_start;
	if (!l->chunk || at >= l->chunk_size || (signed char)l->chunk[at] < 0 || l->range || next >= l->ranges[0].end || !l->lookahead_size || l->input.encoding || l->logger.log) {
		lexer->advance(lexer, skip);
		return;
	}
	l->current.bytes = next;
	if (lexer->lookahead == '\n') l->current.point = (manicule_point){l->current.point.row + 1, 0};
	else l->current.point.column += l->lookahead_size;
	if (skip) l->token_start = l->current;
	lexer->lookahead = l->chunk[at];
	l->lookahead_size = 1;
}

#endif
