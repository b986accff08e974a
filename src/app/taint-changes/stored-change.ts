import type { StoredTaintChange, TaintChangeStore } from '../../storage/taint-trail/taint-change-store.js';
import type { WriteSubject } from '../connections/connections.js';
import { ServiceError } from '../errors/service-error.js';
import type { ChangeDetails } from './change-details.js';

/** @throws {ServiceError} `change-not-found` */
export async function storedChange(
  store: TaintChangeStore,
  cluster: { readonly id: number; readonly name: string },
  id: string,
): Promise<StoredTaintChange> {
  const change = isUuid(id) ? await store.get(cluster.id, id) : undefined;
  if (change !== undefined) return change;
  throw new ServiceError(
    'change-not-found',
    `Cluster ${cluster.name} has no taint change with the id ${JSON.stringify(id.slice(0, 100))}.`,
  );
}

/** What is written to a cluster for a change. */
export const writeSubjectOf = ({ details }: Pick<StoredTaintChange, 'details'>): WriteSubject =>
  (details as ChangeDetails).deviceTaintRule === undefined ? 'nodes' : 'deviceTaintRules';

export const isUuid = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);
