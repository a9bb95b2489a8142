// What is said where nothing can be remembered.
import assert from "node:assert/strict";
import test from "node:test";

import { load } from "./load.mjs";

const { noPlace } = await load(
  "places",
  `
  export const l10n = { t: (text) => text };
  export const workspace = { getWorkspaceFolder: ({ path }) => (path.startsWith("/w/") ? {} : undefined) };
`,
);

for (const [what, uri, says] of [
  ["a memory's own file", { scheme: "file", path: "/w/.manicule/memories/technical/a.json" }, /one of Manicule's own files/u],
  ["a file in no open folder", { scheme: "file", path: "/elsewhere/a.go" }, /in none of the open folders/u],
  ["an old version", { scheme: "git", path: "/w/a.go" }, /Open the file itself/u],
  ["a document that is in no file", { scheme: "untitled", path: "Untitled-1" }, /save the document in an open folder first/u],
]) {
  test(`nothing can be remembered about ${what}: that is said in its own words`, () => {
    assert.match(noPlace(uri), says);
  });
}
