// Whether a folder has memories. It must not know VS Code, so that it can be tested without it.

import { stat } from "node:fs/promises";
import * as path from "node:path";

/** The folder in which a workspace keeps its memories. */
export const memoryFolder = ".manicule";

/** Tells whether a folder, or one above it in the same repository, keeps memories. */
export async function isSetUp(folder: string, exists = isThere): Promise<boolean> {
  for (let dir = path.resolve(folder); ; dir = path.dirname(dir)) {
    if (await exists(path.join(dir, memoryFolder))) return true;
    if (path.dirname(dir) === dir || (await exists(path.join(dir, ".git")))) return false;
  }
}

async function isThere(file: string): Promise<boolean> {
  try {
    await stat(file);
    return true;
  } catch {
    return false;
  }
}
