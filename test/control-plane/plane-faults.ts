import { spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ControlPlane } from './control-plane.js';

/** Of the scripts that started a control plane. */
export async function variable(plane: ControlPlane, name: string): Promise<string> {
  const text = await readFile(join(plane.folder!, 'env'), 'utf8');
  return new RegExp(`${name}=(\\S+)`).exec(text)![1]!;
}

/** Kills a component. @returns what starts it again as it was */
export async function killed(plane: ControlPlane, name: string): Promise<() => void> {
  const pid = Number(await readFile(join(plane.folder!, 'pids', name), 'utf8'));
  const [command = '', ...args] = (await readFile(`/proc/${pid}/cmdline`, 'utf8')).split('\0').slice(0, -1);
  process.kill(pid, 'SIGKILL');
  return () => {
    const log = openSync(join(plane.folder!, 'logs', `${name}.again.log`), 'a');
    const child = spawn(command, args, { detached: true, stdio: ['ignore', log, log], cwd: plane.folder });
    child.unref();
    void writeFile(join(plane.folder!, 'pids', name), String(child.pid));
  };
}

/** Waits until the API server answers. */
export const isReady = (plane: ControlPlane): Promise<true> =>
  plane.api.until('ready', async () =>
    plane.api.ask('GET', '/api/v1/nodes').then(
      ({ code }) => (code === 200 ? true : undefined),
      () => undefined,
    ),
  );

/** Compacts etcd through its gateway: older versions are gone. */
export async function compactEtcd(plane: ControlPlane): Promise<void> {
  const etcd = await variable(plane, 'ETCD_URL');
  const ask = async (path: string, body: object): Promise<{ readonly header: { readonly revision: string } }> =>
    (await fetch(`${etcd}/v3/kv/${path}`, { method: 'POST', body: JSON.stringify(body) })).json() as never;
  const { header } = await ask('range', { key: 'AA==' });
  await ask('compaction', { revision: header.revision, physical: true });
}
