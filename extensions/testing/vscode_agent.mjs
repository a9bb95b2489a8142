// vscode_agent.mjs URL: talks to the agent of a VS Code workbench as a person does,
// and asserts on what the model was sent, what the hooks got, and what Manicule keeps.
// $MANICULE_E2E_FOLDER is the workspace, $MANICULE_E2E_PROGRAM the program,
// $MANICULE_E2E_MODEL has the requests to the model (see model-api.mjs),
// $MANICULE_E2E_EVENTS the inputs of the hooks. Prints PASS and FAIL lines.

import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

import { withBrowser } from "./browser.mjs";

const [url] = process.argv.slice(2);
const { MANICULE_E2E_FOLDER: folder, MANICULE_E2E_PROGRAM: program, MANICULE_E2E_MODEL: model, MANICULE_E2E_EVENTS: events, MANICULE_PICTURES: pictures } = process.env;
const patience = 120_000;
let [passed, failed] = [0, 0];

function report(name, ok, detail = "") {
  ok ? passed++ : failed++;
  console.log(ok ? `PASS ${name}` : `FAIL ${name}: ${detail}`);
}

const lines = (file) => readFileSync(file, "utf8").trim().split("\n").filter((line) => line !== "").map((line) => JSON.parse(line));

/** The requests to the model that offer tools to the conversation itself, not to a subagent. */
const requests = () => lines(model).filter(({ tools }) => tools.includes("runSubagent"));

/** The first request of a subagent that was asked something. */
const ofSubagent = (prompt) => lines(model).find((request) => request.tools.length > 0 && !request.tools.includes("runSubagent") && texts(request).includes(prompt));

/** The texts of a request, joined. */
const texts = ({ request }) => request.messages.flatMap(({ content }) => (typeof content === "string" ? [content] : content)).map((part) => (typeof part === "string" ? part : part.text ?? JSON.stringify(part.content ?? ""))).join("\n");

/** Reports whether the text of a request matches, and how often if that is asked. */
function told(name, request, pattern, times) {
  const found = [...texts(request).matchAll(new RegExp(pattern, "g"))].length;
  report(name, times === undefined ? found > 0 : found === times, `${pattern} is there ${found} times in ${texts(request).slice(-1500)}`);
}

async function listening() {
  for (let end = Date.now() + patience; Date.now() < end; await pause(200)) {
    if (await fetch(`${url}/healthz`).then(({ ok }) => ok, () => false)) return;
  }
  throw new Error(`${url} does not answer`);
}

/** Runs a command of the palette. A key that comes too early is lost: then once more. */
async function run(page, title) {
  const input = page.locator(".quick-input-widget:visible input").first();
  for (let tries = 5; ; tries--) {
    await page.keyboard.press("F1");
    try {
      await input.waitFor({ timeout: 10_000 });
      await input.fill(`>${title}`);
      await page.locator(".quick-input-widget .monaco-list-row.focused .label-name", { hasText: title }).waitFor({ timeout: 10_000 });
      await page.keyboard.press("Enter");
      return;
    } catch (error) {
      if (tries === 1) throw error;
      await page.keyboard.press("Escape");
    }
  }
}

/** Asks the agent, allows what it wants to run, and waits for its last word, which the scripted model always ends with. */
async function ask(page, prompt) {
  const chat = page.locator(".interactive-session");
  const answers = chat.locator(".interactive-response");
  const before = await answers.count();
  await chat.locator(".interactive-input-part .monaco-editor").first().click();
  await page.keyboard.type(prompt, { delay: 10 });
  await chat.locator(".interactive-input-part .view-lines", { hasText: prompt.split(" ").at(-1) }).first().waitFor({ timeout: patience });
  await page.keyboard.press("Escape"); // what is offered for a slash
  await page.keyboard.press("Enter");
  for (let end = Date.now() + patience; Date.now() < end; await pause(300)) {
    const allow = page.locator(".interactive-session .monaco-button:visible").filter({ hasText: /^Allow$/ }).first();
    if (await allow.count()) await allow.click({ timeout: 2000 }).catch(() => undefined);
    if ((await answers.count()) > before && /^done$/m.test(await answers.last().innerText())) return;
  }
  throw new Error(`no answer to ${prompt}: ${await chat.innerText()}`);
}

/** The records of the one session in Manicule's log. */
function logged() {
  const states = join(process.env.XDG_STATE_HOME, "manicule");
  const logs = readdirSync(states, { recursive: true }).filter((file) => /sessions.s-[^/]*\.jsonl$/.test(file)).map((file) => join(states, file));
  report("there is one session", logs.length === 1, logs.join(" "));
  return lines(logs[0]);
}

async function talk(page) {
  await page.goto(`${url}/?folder=${encodeURIComponent(folder)}`, { timeout: patience, waitUntil: "commit" });
  await page.locator(".monaco-workbench .explorer-folders-view .monaco-list-row").first().waitFor({ timeout: patience });
  // A workbench that nobody signed in to has its agent installed and off. The command does nothing before the
  // extensions are read: then once more.
  const ready = page.locator(".interactive-session .chat-input-toolbars", { hasText: "Scripted" }).first();
  for (let end = Date.now() + patience; !(await ready.isVisible()); ) {
    await run(page, "Extensions: Enable All Extensions");
    await run(page, "Chat: Open Chat (Agent)");
    await ready.waitFor({ timeout: 20_000 }).catch((error) => {
      if (Date.now() > end) throw error;
    });
  }

  await ask(page, "Clock skew of clients ends sessions a minute early");
  const first = requests();
  told("the brief opens the session", first[0], "Additional instructions from hooks: [^<]*☞ Manicule keeps 3 memories", 1);
  told("the prompt brings a memory", first[0], "may bear on this[^<]*Clock skew of clients is up to a minute", 1);
  told("the nudge comes with the file", first[1], "<PreToolUse-context>[^<]*☞ About auth/token.go: 1 memory", 1);
  report("the server's tools are offered", first[0].tools.includes("mcp_manicule_recall"), first[0].tools.join(" "));
  told("a recalled memory reaches the model", first[2], "Manicule: 1 memory for web/session.ts");
  told("a search in a folder tells of its memories", first[5], "<PreToolUse-context>[^<]*1 memory for tools/", 1);

  told("the brief opens a subagent", ofSubagent("/remember Of a model"), "☞ Manicule keeps 3 memories", 1);

  await ask(page, "/remember Of a person");
  told("the model is told what came of /remember", requests().at(-1), "Manicule has stored “Of a person”", 1);
  const list = spawnSync(program, ["list"], { cwd: folder, encoding: "utf8" }).stdout;
  report("a person's memory is kept, and a model's is not", list.includes("Of a person") && !list.includes("Of a model"), list);

  const records = logged();
  const calls = (tool) => records.flatMap(({ kind, calls = [] }) => calls.filter((call) => call.tool === tool).map((call) => ({ kind, ...call })));
  report("an event is logged once, whichever hooks ran", calls("mcp_manicule_recall").length === 2, JSON.stringify(calls("mcp_manicule_recall")));
  report("the check that failed is known", calls("run_in_terminal").some(({ ok, error }) => ok === false && error.includes("expired tokens are accepted")), JSON.stringify(calls("run_in_terminal")));
  report("the edit has its file", calls("replace_string_in_file").some(({ kind, paths }) => kind === "post_tool" && paths[0].endsWith("auth/token.go")), JSON.stringify(calls("replace_string_in_file")));
  const prompts = records.filter(({ kind }) => kind === "prompt");
  report("what the model asked its subagent is no person's", prompts.some(({ prompt, from }) => prompt === "/remember Of a model" && from === "agent"), JSON.stringify(prompts));
  report("all is VS Code's", records.every(({ agent }) => agent === "vscode"), JSON.stringify(records.map(({ agent }) => agent)));
  const seen = [...new Set(lines(events).map(({ hook_event_name: name }) => name))];
  console.log(`the hooks got ${seen.join(", ")}`);
}

await listening();
await withBrowser({ width: 1400, height: 900 }, async (context) => {
  const page = context.pages()[0] ?? (await context.newPage());
  try {
    await talk(page);
  } catch (error) {
    report("the conversation", false, error.stack);
  }
  if (failed > 0 && pictures) {
    mkdirSync(pictures, { recursive: true });
    await page.screenshot({ path: join(pictures, "vscode-agent.png") });
  }
});
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
