// What a person typed for a command, which is not lost before it is stored.

import * as vscode from "vscode";
import type { ExecuteCommandSignature } from "vscode-languageclient/node";

import { asksAgain, refusalOf } from "./answers";

/** The answers to a command's questions. */
export interface Answers {
  readonly text: string;
  readonly type?: string;
  readonly why?: string;
}

/** The failure of a command for which a person has typed something. */
export class NotStored extends Error {
  /** again asks the command's questions once more, with the answers in place. */
  constructor(reason: unknown, readonly again: () => void) {
    super(reason instanceof Error ? reason.message : String(reason), { cause: reason });
  }
}

/** Answers that are not stored yet, by command. They outlive the client: the server may have ended meanwhile. */
export type Typed = Map<string, Answers>;

/**
 * Runs a command with answers, which are kept until it has stored them. Throws NotStored if it fails, or answers that it stored
 * nothing; place are the arguments with which the command asks for the rest again.
 */
export async function send(typed: Typed, command: string, place: readonly unknown[], args: unknown[], answers: Answers, next: ExecuteCommandSignature): Promise<unknown> {
  typed.set(command, answers);
  const again = (): void => {
    typed.set(command, answers); // another text may have been typed for it meanwhile
    void vscode.commands.executeCommand(command, ...place);
  };
  let answer: unknown;
  try {
    answer = await next(command, args);
  } catch (error) {
    throw new NotStored(error, again);
  }
  const reason = asksAgain(answer) ? "" : refusalOf(answer);
  if (reason !== "") throw new NotStored(new Error(vscode.l10n.t("not stored: {0}", reason)), again);
  if (typed.get(command) === answers) typed.delete(command);
  return answer;
}
