// The texts of the extension in other languages: each is there, and none is left over.

import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { test } from "node:test";

const at = (path) => new URL(`../${path}`, import.meta.url);
const json = async (path) => JSON.parse(await readFile(at(path), "utf8"));

const manifest = await readFile(at("package.json"), "utf8");
const english = await json("package.nls.json");
const sources = (await Promise.all((await readdir(at("src"))).map((name) => readFile(at(`src/${name}`), "utf8")))).join("\n");
const said = [...sources.matchAll(/l10n\.t\(\s*"((?:[^"\\]|\\.)*)"/gu)].map(([, text]) => JSON.parse(`"${text}"`));
const commands = JSON.parse(manifest).contributes.commands.map(({ command }) => command);

test("the manifest's texts are in package.nls.json, and no others", () => {
  const named = [...manifest.matchAll(/"%([\w.]+)%"/gu)].map(([, key]) => key);
  assert.ok(named.length > 40);
  assert.deepEqual([...new Set(named)].sort(), Object.keys(english).sort());
});

for (const name of (await readdir(at("."))).filter((file) => /^package\.nls\.\w+\.json$/u.test(file))) {
  test(`${name} has each of them`, async () => {
    const other = await json(name);
    assert.deepEqual(Object.keys(other).sort(), Object.keys(english).sort());
    for (const [key, text] of Object.entries(other)) {
      assert.notEqual(text.trim(), "", key);
      const links = (one) => [...one.matchAll(/\(command:([^)]+)\)/gu)].map(([, id]) => id);
      assert.deepEqual(links(text), links(english[key]), key);
      for (const id of links(text)) if (/^manicule\.\w+$/u.test(id)) assert.ok(commands.includes(id), id);
    }
  });
}

for (const name of await readdir(at("l10n"))) {
  test(`${name} has what the sources say, with the same places`, async () => {
    const other = await json(`l10n/${name}`);
    assert.deepEqual(Object.keys(other).sort(), [...new Set(said)].sort());
    const places = (text) => [...text.matchAll(/\{\d\}|\$\(\w+\)|`[^`]+`/gu)].map(([place]) => place).sort();
    for (const [text, translated] of Object.entries(other)) assert.deepEqual(places(translated), places(text), text);
  });
}
