import { describe, expect, it } from '@jest/globals';
import { KINDS } from '../core/kubernetes/kinds.js';
import { type AskPath, discoverKinds } from './discover-kinds.js';

const VERSIONS = [...new Set(KINDS.flatMap(({ apiVersions }) => apiVersions))].filter((one) => one !== 'v1');

/** An API server that serves every version, except that those of one group are down. */
function server(down: string): { readonly ask: AskPath; readonly most: () => number } {
  let [asked, most] = [0, 0];
  const ask: AskPath = async (path) => {
    most = Math.max(most, (asked += 1));
    await new Promise((resolve) => setImmediate(resolve));
    asked -= 1;
    if (path === '/apis') {
      return { status: 200, body: { groups: [{ versions: VERSIONS.map((groupVersion) => ({ groupVersion })) }] } };
    }
    if (path.includes(down)) return { status: 503, body: {} };
    return { status: 200, body: { resources: KINDS.map(({ plural }) => ({ name: plural, verbs: ['get', 'list'] })) } };
  };
  return { ask, most: () => most };
}

describe('the discovery of kinds', () => {
  it('asks for a few versions at a time, and names kinds in their order in the newest version', async () => {
    const { ask, most } = server('no such group');
    const found = await discoverKinds(ask);
    expect(found.map(({ kind }) => kind)).toEqual(KINDS.map(({ kind }) => kind));
    for (const [at, { group, version }] of found.entries()) {
      expect([group, version].filter((part) => part !== '').join('/')).toBe(KINDS[at]!.apiVersions[0]);
    }
    expect(most()).toBe(4);
  });

  it('leaves out the kinds of a group that is down', async () => {
    const kinds = (await discoverKinds(server('storage.k8s.io').ask)).map(({ kind }) => kind as string);
    expect(kinds).not.toContain('StorageClass');
    expect(kinds).toContain('Deployment');
  });
});
