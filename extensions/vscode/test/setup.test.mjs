// Which folders have memories, without VS Code: node --test.
import assert from "node:assert/strict";
import test from "node:test";

import { load } from "./load.mjs";

const { isSetUp } = await load("setup");

const cases = [
  { name: "in the folder", folder: "/a/b", there: ["/a/b/.manicule"], want: true },
  { name: "above it", folder: "/a/b/c", there: ["/a/.manicule", "/a/.git"], want: true },
  { name: "not beyond the repository", folder: "/a/b", there: ["/a/b/.git", "/a/.manicule"], want: false },
  { name: "in the top of the repository", folder: "/a/b", there: ["/a/.git", "/a/.manicule"], want: true },
  { name: "nowhere", folder: "/a/b", there: [], want: false },
];

for (const { name, folder, there, want } of cases) {
  test(name, async () => {
    assert.equal(await isSetUp(folder, async (file) => there.includes(file)), want);
  });
}
