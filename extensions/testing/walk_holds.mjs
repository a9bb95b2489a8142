// walk_holds.mjs CONDITION <MEMORIES: exits with 0 if one of the memory files, one after
// another on standard input, meets a condition about its fields, such as "type === 'gotcha'".

import { readFileSync } from "node:fs";

const fields = ["what", "why", "type", "lineage", "trust", "anchors", "conflict", "scope"];
const holds = new Function(...fields, `return (${process.argv[2]}) === true`);
const memories = readFileSync(0, "utf8").split(/^(?=\{)/m).filter((text) => text.trim() !== "").map((text) => JSON.parse(text));
process.exit(memories.some((memory) => holds(...fields.map((name) => memory[name] ?? {}))) ? 0 : 1);
