// Which memories the side bar shows, without VS Code.
import assert from "node:assert/strict";
import test from "node:test";

import { load } from "./load.mjs";

const { choicesOf, Filter, valueName } = await load("filter");

const now = Date.parse("2026-06-01T12:00:00Z");
const item = (uuid, more) => ({ uuid, type: "gotcha", what: uuid, tags: [], state: "fresh", contributor: "Ada", pinned: false, disputed: false, trust: { tainted: false, verifiedBy: "" }, updatedAt: "2026-05-30T12:00:00Z", ...more });
const groups = [
  { label: "a.go", items: [item("1", { tags: ["auth", "redis"] }), item("2", { contributor: "Bea", state: "stale", disputed: true })] },
  { label: "b.go", items: [item("3", { type: "dead_end", updatedAt: "2024-01-01T00:00:00Z", state: "" }), item("1", { tags: ["auth", "redis"] })] },
];
const shown = (...chosen) => new Filter(chosen.map(([facet, value]) => ({ facet, value }))).apply(groups, now).map(({ label, items }) => `${label}: ${items.map(({ uuid }) => uuid).join(" ")}`);

test("without a choice all are shown", () => assert.deepEqual(shown(), ["a.go: 1 2", "b.go: 3 1"]));
test("a group without a match is left out", () => assert.deepEqual(shown(["author", "Bea"]), ["a.go: 2"]));
test("values of one kind are alternatives", () => assert.deepEqual(shown(["author", "Bea"], ["author", "Ada"]), ["a.go: 1 2", "b.go: 3 1"]));
test("several kinds must all hold", () => assert.deepEqual(shown(["author", "Ada"], ["tag", "auth"]), ["a.go: 1", "b.go: 1"]));
test("nothing may be left", () => assert.deepEqual(shown(["author", "Bea"], ["tag", "auth"]), []));
test("a state, a mark, an age, a type in words", () => {
  assert.deepEqual(shown(["state", "stale"]), ["a.go: 2"]);
  assert.deepEqual(shown(["state", "disputed"]), ["a.go: 2"]);
  assert.deepEqual(shown(["state", "nowhere"]), ["b.go: 3"]);
  assert.deepEqual(shown(["age", "7"]), ["a.go: 1 2", "b.go: 1"]);
  assert.deepEqual(shown(["type", "dead_end"]), ["b.go: 3"]);
});
test("the choices count each memory once", () => {
  const found = choicesOf(groups, now);
  assert.deepEqual(found.filter(({ facet }) => facet === "author"), [{ facet: "author", value: "Ada", count: 2 }, { facet: "author", value: "Bea", count: 1 }]);
  assert.deepEqual(found.filter(({ facet }) => facet === "age").map(({ value, count }) => [value, count]), [["7", 2], ["30", 2], ["365", 2]]);
});
test("a value in words", () => {
  assert.deepEqual([["type", "dead_end"], ["state", "nowhere"], ["state", "stale"], ["age", "365"], ["age", "7"], ["author", "Ada_L"]].map(([facet, value]) => valueName(facet, value)), ["dead end", "without a place", "stale", "a year", "7 days", "Ada_L"]);
});
test("it says what it does", () => assert.equal(new Filter([{ facet: "author", value: "Ada" }, { facet: "age", value: "30" }]).describe(), "author Ada, changed within 30 days"));
