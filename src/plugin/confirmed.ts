import { createInterface } from 'node:readline/promises';
import { CommandFailed } from './command-failed.js';

/** Asks on the terminal; anything but yes is a no. @throws {CommandFailed} there is no terminal to ask on */
export async function confirmed(question: string): Promise<boolean> {
  if (!process.stdin.isTTY) throw new CommandFailed('there is no terminal to ask on: add --yes');
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await terminal.question(`${question} [y/N] `)).trim());
  } finally {
    terminal.close();
  }
}
