import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * Identifies a process by its number and start time, which distinguishes it from a later one with the same number
 * (containers reuse numbers after every restart). Undefined if no such process is alive.
 */
export function processIdentity(pid: number): string | undefined {
  if (process.platform === 'linux') {
    const stat = readProc(pid, 'stat');
    // These are the fields after the command name, which is in parentheses and may contain anything. The 22nd field of
    // all is the start time.
    const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields === undefined || fields[0] === 'Z' ? undefined : `${pid}:${fields[19] ?? ''}`;
  }
  const started = ps(pid, 'lstart=');
  return started === undefined ? undefined : `${pid}:${started}`;
}

/** The command line of a living process, its arguments joined by spaces. */
export function commandLine(pid: number): string | undefined {
  return process.platform === 'linux' ? readProc(pid, 'cmdline')?.replaceAll('\0', ' ').trim() : ps(pid, 'command=');
}

function readProc(pid: number, file: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return undefined;
  }
}

function ps(pid: number, column: string): string | undefined {
  try {
    return execFileSync('ps', ['-o', column, '-p', String(pid)], { encoding: 'utf8' }).trim() || undefined;
  } catch {
    return undefined;
  }
}
