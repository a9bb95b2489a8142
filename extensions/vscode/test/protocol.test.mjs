// Reading the server's answers, without VS Code.
import assert from "node:assert/strict";
import test from "node:test";

import { transform } from "esbuild";
import { readFile } from "node:fs/promises";

const source = await readFile(new URL("../src/protocol.ts", import.meta.url), "utf8");
const { code } = await transform(source, { loader: "ts", format: "esm" });
const { entriesOf } = await import(`data:text/javascript,${encodeURIComponent(code)}`);

const full = { uuid: "u", type: "gotcha", what: "W", why: "Y", author: "a", age: "1 day ago", uri: "file:///m.json" };

test("an entry is read whole", () => {
  assert.deepEqual(entriesOf([full]), [{ type: "gotcha", what: "W", why: "Y", author: "a", age: "1 day ago", uri: "file:///m.json" }]);
});

test("what may be left out is empty", () => {
  assert.deepEqual(entriesOf([{ what: "W", uri: "file:///m.json" }]), [{ type: "", what: "W", why: "", author: "", age: "", uri: "file:///m.json" }]);
});

for (const [name, answer] of Object.entries({
  nothing: undefined,
  null: null,
  text: "no",
  "no list": { memories: [full] },
  "foreign entries": [1, null, "x", [], { what: "W" }, { uri: "u" }, { what: 1, uri: 2 }],
})) {
  test(`${name} is no entry`, () => assert.deepEqual(entriesOf(answer), []));
}
