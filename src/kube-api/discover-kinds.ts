import { type KeptKind, type KindInfo, KINDS, servedKindOf } from '../core/kubernetes/kinds.js';
import type { ApiAnswer } from './api-client.js';

/** A kind that is kept, in the version in which a cluster serves it. */
export interface ServedKind {
  readonly kind: KeptKind;
  /** The kind in the API server's answers, `kind` for most. */
  readonly servedAs: string;
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly plural: string;
}

export const apiVersionOf = ({ group, version }: ServedKind): string =>
  group === '' ? version : `${group}/${version}`;

/** Asks an API server for what is at a path. @throws {ApiUnreachable} */
export type AskPath = (path: string) => Promise<Pick<ApiAnswer, 'status' | 'body'>>;

/** Requests to one API server: a service that starts asks those of all clusters that it follows. */
const AT_A_TIME = 4;

/** An API server cannot say what it serves. */
export class DiscoveryFailed extends Error {
  override readonly name = 'DiscoveryFailed';
}

/**
 * The kinds that are kept (of those that are asked for) and that the API server can list, each in the newest version that both know, in the order of `KINDS`. Kinds of groups
 * that cannot be discovered, as when an aggregated API server is down, are left out.
 *
 * @throws {DiscoveryFailed} if the API server does not say what it serves at all
 * @throws {ApiUnreachable}
 */
export async function discoverKinds(
  askPath: AskPath,
  kinds: readonly KindInfo[] = KINDS,
): Promise<readonly ServedKind[]> {
  const groups = await ask(askPath, '/apis');
  const served = new Set(['v1']);
  for (const group of listOf(groups['groups'])) {
    for (const { groupVersion } of listOf(group['versions'])) served.add(String(groupVersion));
  }
  const wanted = new Set(kinds.flatMap(({ apiVersions }) => apiVersions.filter((version) => served.has(version))));
  const listable = new Map<string, ReadonlySet<string>>();
  const left = [...wanted];
  const askNext = async (): Promise<void> => {
    for (let version = left.pop(); version !== undefined; version = left.pop()) {
      listable.set(version, await resourcesOf(askPath, version));
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, askNext));
  return kinds.flatMap((info) => {
    const { kind, plural, apiVersions } = info;
    const found = apiVersions.find((version) => listable.get(version)?.has(plural) === true);
    if (found === undefined) return [];
    const slash = found.indexOf('/');
    const servedAs = servedKindOf(info);
    return [{ kind, servedAs, plural, group: slash < 0 ? '' : found.slice(0, slash), version: found.slice(slash + 1) }];
  });
}

/** The resources of a version that can be listed. */
async function resourcesOf(askPath: AskPath, apiVersion: string): Promise<ReadonlySet<string>> {
  const path = apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`;
  try {
    const { resources } = await ask(askPath, path);
    return new Set(
      listOf(resources).flatMap(({ name, verbs }) =>
        Array.isArray(verbs) && verbs.includes('list') ? [String(name)] : [],
      ),
    );
  } catch (error) {
    if (error instanceof DiscoveryFailed && apiVersion !== 'v1') return new Set();
    throw error;
  }
}

async function ask(askPath: AskPath, path: string): Promise<Fields> {
  const { status, body } = await askPath(path);
  if (status === 200 && body !== undefined) return body;
  const message = typeof body?.['message'] === 'string' ? `: ${body['message'].slice(0, 500)}` : '';
  throw new DiscoveryFailed(`the API server answered ${status} to ${path}${message}`);
}

type Fields = Readonly<Record<string, unknown>>;

const listOf = (value: unknown): readonly Fields[] =>
  Array.isArray(value) ? value.filter((entry): entry is Fields => typeof entry === 'object' && entry !== null) : [];
