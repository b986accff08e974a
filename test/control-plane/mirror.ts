import type { JsonObject } from '../../src/core/json/json-value.js';
import { KINDS, type KindInfo } from '../../src/core/kubernetes/kinds.js';
import { becomesMirrored } from '../support/mirror.js';
import type { ApiServer } from './api-server.js';

/** The path of all objects of a kind that are followed. */
function listPath({ apiVersions: [version], plural, kind }: KindInfo): string {
  const root = version.includes('/') ? `/apis/${version}` : `/api/${version}`;
  return kind === 'Lease' ? `${root}/namespaces/kube-node-lease/leases` : `${root}/${plural}`;
}

/** Every object of every kind that is kept. */
async function objectsOf(api: ApiServer): Promise<readonly JsonObject[]> {
  const objects: JsonObject[] = [];
  for (const info of KINDS) {
    const { code, body } = await api.ask('GET', listPath(info));
    if (code === 404) continue;
    if (code !== 200) throw new Error(`${info.kind}: ${code}`);
    const type = { apiVersion: info.apiVersions[0], kind: info.kind };
    objects.push(...(body['items'] as readonly JsonObject[]).map((item) => ({ ...type, ...item })));
  }
  return objects;
}

/** Waits until all that an API server has is stored, and nothing else: see `becomesMirrored`. */
export const becomesEqual = (api: ApiServer, databaseUrl: string, facts?: () => Promise<string>): Promise<number> =>
  becomesMirrored(() => objectsOf(api), databaseUrl, facts);
