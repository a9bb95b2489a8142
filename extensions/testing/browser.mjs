// A headless Chromium for pictures: the machine's own, driven by playwright-core
// from the folder that pictures.sh put it in.

import { mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

const tools = process.env.MANICULE_BROWSER_TOOLS ?? process.cwd();
const { chromium } = createRequire(join(tools, "package.json"))("playwright-core");

/** Calls use with a browser context, and leaves nothing of it behind. */
export async function withBrowser(viewport, use) {
  const profile = await mkdtemp(join(tmpdir(), "manicule-browser-"));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    headless: true,
    viewport,
    args: ["--no-sandbox", "--disable-gpu", "--disable-sync", "--disable-background-networking", "--disable-component-update"],
  });
  try {
    return await use(context);
  } finally {
    await context.close();
    await rm(profile, { recursive: true, force: true });
  }
}
