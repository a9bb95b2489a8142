// The texts of the extension in other languages: each is there, none is left over, and nothing that a
// person reads is said in English alone.

import assert from "node:assert/strict";
import { access, readdir, readFile } from "node:fs/promises";
import { test } from "node:test";

import ts from "typescript";

import { load } from "./load.mjs";

const at = (path) => new URL(`../${path}`, import.meta.url);
const json = async (path) => JSON.parse(await readFile(at(path), "utf8"));

const manifest = await readFile(at("package.json"), "utf8");
const english = await json("package.nls.json");
const sources = await Promise.all((await readdir(at("src"))).map(async (name) => ({ name, text: await readFile(at(`src/${name}`), "utf8") })));
const commands = JSON.parse(manifest).contributes.commands.map(({ command }) => command);

/** Whether a call says a text in the person's language: t("…") or vscode.l10n.t("…"). */
function translates(call) {
  const { expression } = call;
  return ts.isIdentifier(expression) ? expression.text === "t" : ts.isPropertyAccessExpression(expression) && expression.getText() === "vscode.l10n.t";
}

/** Whether a text looks like words for people: two words beside each other. An id, a path or a selector has none. */
const isProse = (text) => /\p{L}{2,}[,.:;]? \p{L}+/u.test(text);

/** Whether a text is no text for people all the same: what a server's error is known by, an item's context for menus, or the server's own word in the table of names. */
function isOther(node) {
  const { parent } = node;
  if (ts.isCallExpression(parent)) return parent.expression.getText().endsWith(".message.includes");
  if (ts.isArrayLiteralExpression(parent)) return parent.elements.length === 2 && parent.elements[0] === node && ts.isCallExpression(parent.elements[1]) && translates(parent.elements[1]);
  for (let above = parent; above; above = above.parent) if (ts.isBinaryExpression(above)) return /\.contextValue$/u.test(above.left.getText());
  return false;
}

/** The names under which VS Code takes what a person reads. */
const shownAs = new Set(["title", "label", "detail", "description", "placeHolder", "placeholder", "prompt", "tooltip", "message", "text", "name"]);
/** Calls whose first argument a person reads. */
const showing = new Set(["showInformationMessage", "showWarningMessage", "showErrorMessage", "setStatusBarMessage", "Error", "ask"]);

/** What a file says: its translated texts, and the ones that should be. */
function saidIn({ name, text }) {
  const file = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true);
  const [said, bare] = [[], []];
  const place = (node) => `${name}:${file.getLineAndCharacterOfPosition(node.getStart()).line + 1}: ${node.getText()}`;
  const visit = (node) => {
    if (ts.isImportDeclaration(node) || ts.isTypeNode(node)) return;
    if (ts.isCallExpression(node) && translates(node)) {
      const [first, ...rest] = node.arguments;
      if (ts.isStringLiteralLike(first)) said.push(first.text);
      else if (!ts.isIdentifier(first)) bare.push(`${place(first)} is no text that can be looked up`);
      rest.forEach(visit);
      return;
    }
    // The log is for who reports a mistake: it stays as it is.
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression) && /(^|\.)(log|output)$/u.test(node.expression.expression.getText())) return;
    // Of HTML only what stands between the tags.
    const pieces = ts.isStringLiteralLike(node) ? [node.text] : ts.isTemplateExpression(node) ? [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)] : [];
    const text = pieces.join("|").replaceAll(/<[^>]*>/gu, "|");
    const { parent } = node;
    const named = parent && ts.isPropertyAssignment(parent) && parent.initializer === node && shownAs.has(parent.name.getText());
    const called = parent && (ts.isCallExpression(parent) || ts.isNewExpression(parent)) && parent.arguments?.[0] === node && showing.has(parent.expression.getText().split(".").at(-1));
    const worded = isProse(text) || ((named || called) && /\p{L}{2,}/u.test(text.replaceAll(/Manicule|\$\([\w~-]+\)/gu, "")));
    if (worded && !isOther(node)) bare.push(place(node));
    ts.forEachChild(node, visit);
  };
  ts.forEachChild(file, visit);
  return { said, bare };
}

const found = sources.map(saidIn);
const said = found.flatMap(({ said }) => said);

test("what a person reads is translated", () => {
  assert.ok(said.length > 150);
  assert.deepEqual(found.flatMap(({ bare }) => bare), []);
});

test("the check of that finds what is not", () => {
  const found = (text) => saidIn({ name: "x.ts", text }).bare.length;
  for (const text of [
    'const a = "two words";',
    "const a = `${n} more memories`;",
    'pick.items = [{ label: "learned" }];',
    'void vscode.window.showInformationMessage("Done");',
    'throw new Error("Broken");',
    "const a = t(`no ${key}`);",
  ]) assert.equal(found(text), 1, text);
  for (const text of ['const a = t("two words");', 'log.info("starting it now");', 'run("manicule.forgetMemory", { kind: "act" });', 'const a = { title: "☞ Manicule" };']) assert.equal(found(text), 0, text);
});

test("the page of a card says nothing in English alone", async () => {
  const { pageOf } = await load("cardpage");
  const script = await readFile(at("media/card.js"), "utf8");
  assert.deepEqual(script.match(/textContent = .*"\w+"|element\("\w+", "\w+"/gu) ?? [], []);
  assert.match(pageOf("source", "card.js", "card.css", "nonce"), /<html lang="en">/u);
});

test("the manifest's texts are in package.nls.json, and no others", () => {
  const named = [...manifest.matchAll(/"%([\w.]+)%"/gu)].map(([, key]) => key);
  assert.ok(named.length > 40);
  assert.deepEqual([...new Set(named)].sort(), Object.keys(english).sort());
});

test("nothing in the manifest is said in English alone", () => {
  const { displayName, contributes, capabilities } = JSON.parse(manifest);
  const bare = [...JSON.stringify([contributes, capabilities]).matchAll(/"(?:title|name|description|markdownDescription|contents|contextualTitle)":"((?!%)[^"]*)"/gu)].map(([, text]) => text);
  assert.deepEqual(bare.filter((text) => text !== displayName), []);
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
      if (key.endsWith(".page")) await access(at(text));
    }
  });
}

for (const name of await readdir(at("l10n"))) {
  test(`${name} has what the sources say, with the same places`, async () => {
    const other = await json(`l10n/${name}`);
    assert.deepEqual(Object.keys(other).sort(), [...new Set(said)].sort());
    const places = (text) => [...text.matchAll(/\{\d\}|\$\([\w-]+\)|`[^`]+`/gu)].map(([place]) => place).sort();
    for (const [text, translated] of Object.entries(other)) {
      assert.deepEqual(places(translated), places(text), text);
      assert.notEqual(translated.trim(), "", text);
    }
  });
}
