// Finds the server's binary, or an error that says what to do. It must not know VS
// Code, so that it can be tested without it.

import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import * as path from "node:path";

import { t } from "./l10n";

/** Where to look, in this order. */
export interface Places {
  /** The setting `manicule.server.path`; empty when it is not set. */
  readonly setting: string;
  /** The environment, for `MANICULE_BIN`, `MANICULE_SERVER` and `PATH`. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The extension's own folder, which may hold `bin/manicule`. */
  readonly extensionPath: string;
  readonly platform: NodeJS.Platform;
}

/** The binary, and the source of its path. */
export interface Server {
  readonly command: string;
  readonly from: "setting" | "environment" | "bundled" | "PATH";
}

/** There is no usable binary. The message says where it was searched for and what to do. */
export class ServerNotFoundError extends Error {
  override readonly name = "ServerNotFoundError";
}

/** Finds the server. A path that a person named must work: there is no silent fallback. */
export async function findServer(places: Places, isProgram = isExecutableFile): Promise<Server> {
  const named = [
    { from: "setting" as const, what: t("The setting {0}", "manicule.server.path"), file: places.setting },
    ...["MANICULE_BIN", "MANICULE_SERVER"].map((name) => ({
      from: "environment" as const,
      what: t("The environment variable {0}", name),
      file: places.env[name] ?? "",
    })),
  ];
  for (const { from, what, file } of named) {
    if (file === "") continue;
    if (await isProgram(file)) return { command: file, from };
    throw new ServerNotFoundError(
      t("{0} names {1}, which is not a program that can be run. Correct it, or remove it to let Manicule look elsewhere.", what, file),
    );
  }
  const program = places.platform === "win32" ? "manicule.exe" : "manicule";
  const bundled = path.join(places.extensionPath, "bin", program);
  if (await isProgram(bundled)) return { command: bundled, from: "bundled" };
  for (const folder of searchPath(places)) {
    const command = path.join(folder, program);
    if (await isProgram(command)) return { command, from: "PATH" };
  }
  throw new ServerNotFoundError(
    t("The manicule program was not found, neither beside the extension nor in PATH. Install it, or name it in the setting manicule.server.path."),
  );
}

function searchPath({ env, platform }: Places): string[] {
  const list = env["PATH"] ?? env["Path"] ?? "";
  const names = platform === "win32" ? path.win32 : path.posix;
  // A relative one, such as ".", could be in the folder that is open, which anybody may have written.
  return list.split(platform === "win32" ? ";" : ":").filter((folder) => names.isAbsolute(folder));
}

async function isExecutableFile(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}
