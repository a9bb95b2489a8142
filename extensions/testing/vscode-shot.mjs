// vscode-shot.mjs URL FOLDER OUT.png: opens a file of the test workspace in a
// VS Code workbench, asserts on the lens, the hover and the Problems panel,
// and takes one picture of the three. Prints PASS and FAIL lines.

import { setTimeout as pause } from "node:timers/promises";

import { withBrowser } from "./browser.mjs";

const [url, folder, output] = process.argv.slice(2);
const file = `${folder}/auth/token.go`;
const memory = "Refresh fails silently when Redis is unreachable";
let [passed, failed] = [0, 0];

function report(name, ok, detail) {
  ok ? passed++ : failed++;
  console.log(ok ? `PASS ${name}` : `FAIL ${name}: ${detail}`);
}

/** Waits until a locator holds a text, and reports. */
async function shows(name, locator, text) {
  try {
    await locator.filter({ hasText: text }).first().waitFor({ timeout: 30_000 });
    report(name, true);
  } catch {
    report(name, false, `it shows ${JSON.stringify(await locator.allInnerTexts())}`);
  }
}

/** Waits for the server of the workbench. */
async function listening() {
  for (let tries = 0; tries < 150; tries++) {
    try {
      if ((await fetch(`${url}/healthz`)).ok) return;
    } catch {
      // not yet
    }
    await pause(200);
  }
  throw new Error(`${url} does not answer`);
}

async function drive(context) {
  const page = await context.newPage();
  const open = JSON.stringify([["openFile", `vscode-remote://${new URL(url).host}${file}`]]);
  await page.goto(`${url}/?folder=${encodeURIComponent(folder)}&payload=${encodeURIComponent(open)}`);
  await page.locator(".monaco-editor .view-line").first().waitFor({ timeout: 60_000 });

  const lens = page.locator(".codelens-decoration");
  await shows("the lens stands over the method", lens, "☞ 1 memory here");

  await page.keyboard.press("Control+Shift+M");
  const problems = page.locator(".markers-panel .monaco-list-row");
  await shows("Problems lists the gotcha", problems, memory);

  const method = page.locator(".view-line", { hasText: "func (s *Store) Refresh" }).first();
  const name = await method.locator("span", { hasText: /^\s*Refresh$/ }).last().boundingBox();
  await page.mouse.move(name.x + name.width / 2, name.y + 30);
  await page.mouse.move(name.x + name.width / 2, name.y + name.height / 2, { steps: 5 });
  const hover = page.locator(".monaco-hover:not(.hidden) .hover-contents");
  await shows("the hover says why", hover, "Incident in May: the dial error was swallowed");
  const commands = page.locator('.monaco-hover:not(.hidden) a[data-href^="command:manicule."]');
  report("the hover's links run commands", (await commands.count()) > 0, "there is none");
  // Hovers fade in: a picture before the end would show it half transparent.
  await page.waitForFunction(() => document.getAnimations().every((animation) => animation.playState !== "running"));
  await page.screenshot({ path: output });

  await page.mouse.move(5, 5);
  await page.keyboard.press("Escape");
  await lens.locator("a", { hasText: "☞" }).first().click();
  await shows("the lens, clicked, lists the memories", page.locator(".quick-input-widget .monaco-list-row"), memory);
  await page.keyboard.press("Enter");
  await shows("picking one opens its file", page.locator(".tab.active .label-name"), /\.json$/);
}

await listening();
try {
  await withBrowser({ width: 1280, height: 860 }, drive);
} catch (error) {
  report("the workbench", false, error.message);
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
