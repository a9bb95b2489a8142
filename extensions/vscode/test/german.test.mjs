// Texts that are put together, in German: the parts must fit each other.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import test from "node:test";
import { fileURLToPath } from "node:url";

import { build } from "esbuild";

const bundle = JSON.parse(await readFile(new URL("../l10n/bundle.l10n.de.json", import.meta.url), "utf8"));

// One module with all, so that they speak the same language.
const contents = ["cardpage", "filter", "l10n", "protocol", "words"].map((name) => `export * as ${name} from "./${name}";`).join("\n");
const { outputFiles } = await build({ stdin: { contents, resolveDir: fileURLToPath(new URL("../src", import.meta.url)), loader: "ts" }, bundle: true, write: false, format: "esm", platform: "node", logLevel: "error" });
const { cardpage, filter, l10n, protocol, words } = await import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`);

l10n.speak("de", (text, ...args) => (bundle[text] ?? `?${text}`).replaceAll(/\{(\d)\}/gu, (_, index) => String(args[index])));

const now = Date.parse("2026-06-01T12:00:00Z");
const folder = { uri: "", name: "shop", memories: 1, candidates: 2, stale: 1, orphaned: 0, invalid: 2, error: "", index: { state: "indexing", done: 1, total: 3 } };
const candidate = { uuid: "u", type: "dead_end", what: "W", why: "Y", evidence: [], paths: ["a.go"], scope: ["a/**"], confidence: 0.7, sessions: 3, tainted: true, origin: "observer_inferred", version: 0, versions: [] };

for (const [name, got, want] of [
  ["a time", words.ago("2026-05-31T12:00:00Z", now), "vor 1 Tag"],
  ["times", words.ago("2026-03-01T12:00:00Z", now), "vor 3 Monaten"],
  ["just now", words.ago("2026-06-01T12:00:00Z", now), "gerade eben"],
  ["the status item", words.summaryOf([folder]).tooltip, "**shop**: 1 Notiz, 2 zu prüfen, 1 vielleicht veraltet, 2 Dateien sind nicht lesbar, Codegraph: 1 von 3 Dateien"],
  ["a candidate", words.candidateDetail(candidate), "Sackgasse · 3 Sitzungen · 70 % · fragwürdig"],
  ["its card", cardpage.candidateView(candidate).facts, "aus 3 Sitzungen · aus Sitzungen erschlossen"],
  ["the end of a session", words.sessionText({ agent: "", used: 1, learned: 2, asks: "all", balance: { tokens: 412, saved: 1900 } }), "☞ Ein Agent ist fertig. Mitgeteilt: 1 Notiz; 2 gelernte warten auf dein Urteil. Token: 412 mitgeteilt, höchstens 1900 erspart."],
  ["a filter", new filter.Filter([{ facet: "type", value: "dead_end" }, { facet: "age", value: "30" }]).describe(), "Art Sackgasse, geändert innerhalb von 30 Tagen"],
  ["what nobody has named", l10n.nameOf("e2e_observation"), "e2e observation"],
  ["a title of the server's", l10n.wordsOf("Don't show here"), "Hier nicht mehr zeigen"],
  ["a type in words", l10n.wordsOf("dead end"), "Sackgasse"],
  ["what a type is for", l10n.meaningOf("dead_end"), "was versucht wurde und scheiterte"],
  ["what an act is for", l10n.purposeOf("manicule.confirmMemory"), "sie stimmt"],
  ["a path", l10n.wordsOf("**/*_test.go"), "**/*_test.go"],
]) {
  test(`in German: ${name}`, () => assert.equal(got, want));
}

test("each type that a person can choose says what it is for", () => {
  assert.deepEqual(protocol.memoryTypes.filter((type) => l10n.meaningOf(type) === ""), []);
});

test("the page of a card is German, with its language", () => {
  const page = cardpage.pageOf("source", "card.js", "card.css", "nonce");
  assert.match(page, /<html lang="de">/u);
  assert.match(page, /<label for="why">Warum<\/label>/u);
  assert.doesNotMatch(page, /\?[A-Z]/u, "a text without German");
});
