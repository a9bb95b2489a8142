// The generated lexers ask the runtime for each character by calls through pointers, which took a tenth
// of a parse. These are their macros with a scan that goes on by itself while the text is
// ASCII, and tells the runtime where it is when something else comes and at the end. It knows the runtime's own lexer,
// the layout of lexer.h in the version that go.mod names: TestLexing fails if another one differs.

#ifndef MANICULE_LEXING_H
#define MANICULE_LEXING_H

// The parser includes its parser.h before.
#include <stddef.h>

typedef struct { uint32_t row, column; } manicule_point;
typedef struct { uint32_t bytes; manicule_point point; } manicule_place;
typedef struct { manicule_point start_point, end_point; uint32_t start, end; } manicule_range;

typedef struct {
	struct { // a parser.h may know more than the runtime, of which nothing is here
		int32_t lookahead;
		TSSymbol result_symbol;
		void *advance, *mark_end, *get_column, *is_at_included_range_start, *eof;
	} data;
	manicule_place current, token_start, token_end;
	const manicule_range *ranges; // of the text that are parsed
	const char *chunk;
	struct { void *payload; const char *(*read)(void *, uint32_t, manicule_point, uint32_t *); int encoding; } input;
	struct { void *payload; void (*log)(void *, int, const char *); } logger;
	uint32_t range_count, range, chunk_start, chunk_size, lookahead_size;
} manicule_lexer;

// manicule_scan is where a lexer is. Its pointers are into the chunk of text that the runtime has.
typedef struct {
	const char *at;     // a character of ASCII; NULL where the runtime has to be asked
	const char *end;    // of what may be read
	const char *known;  // the place that the runtime knows, at most at
	const char *marked; // where the token ends, NULL if the runtime knows that
} manicule_scan;

// manicule_scan_from begins where the runtime is.
static inline manicule_scan manicule_scan_from(TSLexer *lexer) {
	manicule_lexer *l = (manicule_lexer *)lexer;
	manicule_scan none = {NULL, NULL, NULL, NULL};
	if (!l->chunk || l->range || l->lookahead_size != 1 || (uint32_t)lexer->lookahead > 127 || l->input.encoding || l->logger.log) return none;
	uint32_t at = l->current.bytes - l->chunk_start, end = l->ranges[0].end - l->chunk_start;
	if (end > l->chunk_size) end = l->chunk_size;
	if (at >= end) return none;
	return (manicule_scan){l->chunk + at, l->chunk + end, l->chunk + at, NULL};
}

// manicule_scan_tell tells the runtime how far the scan has come in the line, and where its token ends.
static inline void manicule_scan_tell(TSLexer *lexer, manicule_scan *s) {
	if (!s->at) return;
	manicule_lexer *l = (manicule_lexer *)lexer;
	if (s->marked) {
		uint32_t n = s->marked - s->known;
		l->token_end = (manicule_place){l->current.bytes + n, {l->current.point.row, l->current.point.column + n}};
		s->marked = NULL;
	}
	uint32_t n = s->at - s->known;
	l->current.bytes += n;
	l->current.point.column += n;
	s->known = s->at;
	lexer->lookahead = *s->at;
}

// manicule_scan_advance goes on by a character, which does not belong to the token if skip is set. It returns the next one.
static inline int32_t manicule_scan_advance(TSLexer *lexer, manicule_scan *s, bool skip) {
	if (__builtin_expect(s->end - s->at > 1 && (signed char)s->at[1] >= 0, 1)) {
		if (*s->at != '\n' && !skip) return *++s->at;
		manicule_lexer *l = (manicule_lexer *)lexer;
		manicule_scan_tell(lexer, s);
		l->current.bytes++;
		if (*s->at == '\n') l->current.point = (manicule_point){l->current.point.row + 1, 0};
		else l->current.point.column++;
		if (skip) l->token_start = l->current;
		return *(s->known = ++s->at);
	}
	manicule_scan_tell(lexer, s);
	lexer->advance(lexer, skip);
	*s = manicule_scan_from(lexer);
	return lexer->lookahead;
}

// manicule_scan_mark ends the token here.
static inline void manicule_scan_mark(TSLexer *lexer, manicule_scan *s) {
	if (s->at) s->marked = s->at;
	else lexer->mark_end(lexer);
}

// manicule_ascii_in says whether a character of ASCII is in a sorted set: pairs of first and last characters. Those that are not
// ASCII come last.
static inline bool manicule_ascii_in(const int32_t *ranges, uint32_t count, int32_t c) {
	for (const int32_t *end = ranges + 2 * count; ranges < end && ranges[0] <= c; ranges += 2) {
		if (c <= ranges[1]) return true;
	}
	return false;
}

#define set_contains(ranges, count, c) ((uint32_t)(c) < 128 ? manicule_ascii_in((const int32_t *)(ranges), count, c) : set_contains(ranges, count, c))

#undef START_LEXER
#define START_LEXER()                                     \
	bool result = false, skip = false;                      \
	bool eof;                                               \
	int32_t lookahead = lexer->lookahead;                   \
	manicule_scan scan = manicule_scan_from(lexer);         \
	goto start;                                             \
	next_state:                                             \
	lookahead = manicule_scan_advance(lexer, &scan, skip);  \
	start:                                                  \
	skip = false;                                           \
	eof = !scan.at && lexer->eof(lexer);                    \
	(void)eof;

#undef ACCEPT_TOKEN
#define ACCEPT_TOKEN(symbol_value)     \
	result = true;                       \
	lexer->result_symbol = symbol_value; \
	manicule_scan_mark(lexer, &scan);

#undef END_STATE
#define END_STATE()                    \
	{                                    \
		manicule_scan_tell(lexer, &scan);  \
		return result;                     \
	}

#endif
