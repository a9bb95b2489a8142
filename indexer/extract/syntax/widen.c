#include "parse.h"

#include <stdlib.h>
#include <string.h>

#include "../treesitter/parsers/c/parser.h"

// manicule_widen returns a copy of a grammar whose parse table has a row for each state. The generator
// of parsers writes most states as lists, in which the runtime searches for a symbol: a twelfth of the time
// of a parse of C++. The caller frees it.
TSLanguage *manicule_widen(const TSLanguage *from) {
	size_t row = from->symbol_count, large = row * from->large_state_count;
	size_t size = sizeof(TSLanguage) + row * from->state_count * sizeof(uint16_t);
	TSLanguage *l = manicule_checked(calloc(1, size), size);
	*l = *from;
	uint16_t *table = (uint16_t *)(l + 1);
	memcpy(table, from->parse_table, large * sizeof(uint16_t));
	for (uint32_t s = 0; s < from->state_count - from->large_state_count; s++) {
		uint16_t *to = table + large + s * row;
		const uint16_t *at = &from->small_parse_table[from->small_parse_table_map[s]];
		for (uint16_t groups = *at++; groups; groups--) { // a value, the number of its symbols, and those
			uint16_t value = *at++;
			for (uint16_t symbols = *at++; symbols; symbols--) to[*at++] = value;
		}
	}
	l->parse_table = table;
	l->large_state_count = from->state_count;
	return l;
}

void manicule_narrow(TSLanguage *wide) { free(wide); }
