// The menus of the side bar: VS Code sorts entries of one place by their names, which is an order that nobody chose.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import test from "node:test";

const { contributes, extensionKind } = JSON.parse(await readFile(new URL("../package.json", import.meta.url), "utf8"));

/** Those that are never offered together. */
const either = new Set(["manicule.unpinItem", "manicule.openThreadAgain"]);

/** The places of entries that several have. */
function shared(entries) {
  const places = entries.filter(({ command }) => !either.has(command)).map(({ group }) => group);
  return places.filter((place, at) => places.indexOf(place) !== at);
}

test("each entry has a place of its own in the title of a view", () => {
  for (const { id } of contributes.views.manicule) {
    assert.deepEqual(shared(contributes.menus["view/title"].filter(({ when }) => when.includes(`view == ${id}`))), [], id);
  }
});

test("and in the menu of a memory, a thread and a candidate", () => {
  for (const of of ["/doubtful|suggested|pinned|\\^memory/", "/\\^?thread/", "/== candidate$/", "/== candidates$/"]) {
    const about = new RegExp(of.slice(1, -1), "u");
    assert.deepEqual(shared(contributes.menus["view/item/context"].filter(({ when, group }) => about.test(when) && !group.startsWith("inline"))), [], of);
  }
});

test("the extension runs where the folder is, as its files are read there", () => assert.deepEqual(extensionKind, ["workspace"]));
