// The colours of the map in VS Code's themes.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import test from "node:test";

const css = await readFile(new URL("../../../memory/atlas/page/map.css", import.meta.url), "utf8");
const rules = [...css.matchAll(/^:root:has\((body\.vscode[^{]*)\) \{ color-scheme: (\w+);/gmu)].map(([, selectors, scheme]) => ({ selectors: selectors.split(", "), scheme }));

/** Whether a selector as body.a:not(.b) is about a page with these classes. */
function fits(selector, classes) {
  const [, wanted, unwanted] = /^body\.([\w-]+)(?::not\(\.([\w-]+)\))?$/u.exec(selector);
  return classes.includes(wanted) && !classes.includes(unwanted);
}

for (const [classes, scheme] of [
  [["vscode-dark"], "dark"],
  [["vscode-light"], "light"],
  [["vscode-high-contrast"], "dark"],
  [["vscode-high-contrast", "vscode-high-contrast-light"], "light"], // the first was there before the light one
]) {
  test(`the map is ${scheme} in a theme of the kind ${classes.at(-1)}`, () =>
    assert.deepEqual(rules.filter(({ selectors }) => selectors.some((selector) => fits(selector, classes))).map((rule) => rule.scheme), [scheme]));
}
