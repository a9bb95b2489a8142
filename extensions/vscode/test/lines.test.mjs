// Which lines of a tree are drawn again after a change, without VS Code.
import assert from "node:assert/strict";
import test from "node:test";

import { load } from "./load.mjs";

const { goesOnAt, Lines } = await load("lines");

/** A line as the views make it: what it says is what is seen of it. */
const line = (id, says = id, ...below) => ({ id, content: { says }, print: says, below });

/** A tree that shows outlines, and what an update of it draws again. */
function shown(...outlines) {
  const lines = new Lines();
  lines.update(outlines);
  return { lines, after: (...next) => { const redraw = lines.update(next); return redraw === "all" ? "all" : redraw.map(({ id }) => id); } };
}

const files = () => [line("a.go", "a.go 2", line("a:1"), line("a:2")), line("b.go", "b.go 1", line("b:1"))];

test("nothing changed: nothing is drawn again", () => assert.deepEqual(shown(...files()).after(...files()), []));

test("a line says something else: it alone is drawn again", () => {
  const [a, b] = files();
  assert.deepEqual(shown(a, b).after(line("a.go", "a.go 2", line("a:1", "corrected"), line("a:2")), b), ["a:1"]);
});

test("a line came or went in a group: that group is drawn again, once", () => {
  const [a, b] = files();
  assert.deepEqual(shown(a, b).after(line("a.go", "a.go 1", line("a:2", "corrected, too")), b), ["a.go"]);
  assert.deepEqual(shown(a, b).after(a, line("b.go", "b.go 2", line("b:1"), line("b:2"))), ["b.go"]);
});

test("lines of a group in another order: that group is drawn again", () => {
  const [a, b] = files();
  assert.deepEqual(shown(a, b).after(line("a.go", "a.go 2", line("a:2"), line("a:1")), b), ["a.go"]);
});

test("changes in two places are two lines", () => {
  const [a] = files();
  assert.deepEqual(shown(...files()).after(a, line("b.go", "b.go 1", line("b:1", "corrected"))), ["b:1"]);
  assert.deepEqual(shown(...files()).after(line("a.go", "a.go 2", line("a:1"), line("a:2", "x")), line("b.go", "b.go 1", line("b:1", "y"))), ["a:2", "b:1"]);
});

test("a group came, went or moved: only then all is drawn again", () => {
  const [a, b] = files();
  assert.equal(shown(a, b).after(a), "all");
  assert.equal(shown(a, b).after(a, b, line("c.go")), "all");
  assert.equal(shown(a, b).after(b, a), "all");
  assert.equal(shown().after(a), "all");
});

test("a line is the same object while it is there, with what it is about now", () => {
  const { lines, after } = shown(...files());
  const [first] = lines.roots;
  const [below] = first.below;
  after(line("a.go", "a.go 2", line("a:1", "corrected"), line("a:2")), line("b.go", "b.go 1", line("b:1")));
  assert.equal(lines.roots[0], first);
  assert.equal(first.below[0], below);
  assert.equal(below.content.says, "corrected");
  after(line("c.go"), line("a.go", "a.go 2", line("a:1"), line("a:2")));
  assert.equal(lines.roots[1], first, "also where all is drawn again: that keeps the selection");
});

test("one changed memory of ten thousand draws one line", () => {
  const tree = (changed) => Array.from({ length: 100 }, (_, group) => line(`g${group}`, `g${group}`, ...Array.from({ length: 100 }, (_, at) => line(`g${group}:${at}`, group === 7 && at === 3 ? changed : "says"))));
  assert.deepEqual(shown(...tree("before")).after(...tree("after")), ["g7:3"]);
});

test("a line knows the one that it is below", () => {
  const { lines } = shown(...files());
  const [a, b] = lines.roots;
  assert.deepEqual([lines.parentOf(a.below[1]), lines.parentOf(b.below[0]), lines.parentOf(a)], [a, b, undefined]);
});

test("who settles a line goes on at the next one, at the end at the one before", () => {
  const { lines, after } = shown(...files());
  const before = lines.inOrder();
  const [a, b] = lines.roots;
  const isHeading = (one) => one === a || one === b;
  const onward = (...gone) => goesOnAt(before, new Set(gone), lines.inOrder(), isHeading)?.id;
  const [first, second] = a.below;
  const [last] = b.below;
  assert.equal(onward(first), undefined, "it is still there");
  after(line("a.go", "a.go 1", line("a:2")), files()[1]);
  assert.equal(onward(first), "a:2");
  assert.equal(onward(first, second), undefined, "one of them is");
  after(line("a.go", "a.go 2", line("a:1"), line("a:2")));
  assert.equal(onward(b, last), "a:2");
  after();
  assert.equal(onward(a, first, second), undefined, "nothing is left");
});
