// What is told of decisions about several proposals, with as much of VS Code as they need.
import assert from "node:assert/strict";
import test from "node:test";

import { load } from "./load.mjs";

const { Review } = await load(
  "review",
  `
  export const l10n = { t: (text, ...args) => text.replace(/\\{(\\d)\\}/g, (_, at) => args[at]) };
  export const commands = { executeCommand: async () => undefined };
  export const window = { showInputBox: async () => "no", setStatusBarMessage: (text) => globalThis.maniculeTold.push(text), showInformationMessage: async (text) => { globalThis.maniculeTold.push(text); } };
`,
);

const proposals = ["a", "b", "c"].map((uuid) => ({ uuid, folder: "file:///w", what: `proposal ${uuid}`, tainted: false }));

/** Decides with a server that fails for one of them, and returns what was told and how often the lists were read again. */
async function decide(how, run) {
  globalThis.maniculeTold = [];
  let refreshed = 0;
  const review = new Review({ run }, { act: (act) => act().finally(() => { refreshed++; }) }, {});
  const failed = await review[how](proposals).then(() => false, () => true);
  return { told: globalThis.maniculeTold, refreshed, failed };
}

// Each is decided in the folder in which it waits.
const failsFor = (bad) => async (_command, { uuid, uri }) => {
  if (uri !== "file:///w") throw new Error("no folder");
  if (uuid === bad) throw new Error("it is gone");
  return { accepted: true };
};

for (const how of ["acceptAll", "rejectAll"]) {
  test(`${how}: what was decided before one that fails is told`, async () => {
    const { told, refreshed, failed } = await decide(how, failsFor("c"));
    assert.deepEqual([told.length, refreshed, failed], [1, 1, true]);
    assert.match(told[0], /2 drafts/u);
  });

  test(`${how}: nothing is told where nothing was decided`, async () => {
    assert.deepEqual(await decide(how, failsFor("a")), { told: [], refreshed: 1, failed: true });
  });
}

test("a refusal of one does not keep the others", async () => {
  const { told } = await decide("acceptAll", async (_command, { uuid }) => (uuid === "a" ? { accepted: false, reason: "a secret" } : { accepted: true }));
  assert.match(told[0], /2 drafts/u);
});
