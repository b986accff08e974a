import type { Moment } from '../api/moment.js';
import { CLUSTER_VIEWS } from '../views.js';
import type { SearchHit, SearchKind } from './search-query.js';

/** Where a choice leads. */
export interface Destination {
  readonly cluster: string | undefined;
  readonly view: string;
  readonly search: Readonly<Record<string, unknown>>;
}

/** Workloads that the placement explorer takes. */
const PLACED = new Set(['Deployment', 'StatefulSet', 'DaemonSet', 'ReplicaSet', 'Job', 'CronJob']);
const MASK = '***';

/** The view that says most about a hit, with the hit selected. */
export function destinationOf(kind: SearchKind, hit: SearchHit): Destination {
  const { cluster, name, namespace, workloadKind, isStored, taint } = hit;
  const to = (view: string, search: Destination['search'] = {}): Destination => ({ cluster, view, search });
  switch (kind) {
    case 'cluster':
      return to(CLUSTER_VIEWS[0]!.path);
    case 'node':
      return to('node', { node: name });
    case 'pod':
      return to('explorer', { stored: `Pod ${namespace ?? ''}/${name}` });
    case 'workload':
      return isStored === true && workloadKind !== null && PLACED.has(workloadKind)
        ? to('explorer', { stored: `${workloadKind} ${namespace ?? ''}/${name}` })
        : to('matrix', { pods: `${namespace ?? ''}/${workloadKind ?? ''}/${name}` });
    case 'namespace':
      return to('matrix', { pods: `${name}/` });
    case 'taint':
      return to('matrix', { nodes: taint === null || taint.value === MASK ? name : taint.text });
  }
}

export interface ViewChoice extends Destination {
  readonly title: string;
}

/** The views whose title has all words of the text. */
export function viewsNamed(text: string, cluster: string | undefined): readonly ViewChoice[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const all: readonly ViewChoice[] = [
    ...(cluster === undefined
      ? []
      : CLUSTER_VIEWS.map(({ path, title }) => ({ cluster, view: path, search: {}, title }))),
    { cluster: undefined, view: '', search: {}, title: 'Fleet' },
  ];
  return all.filter(({ title }) => words.every((word) => title.toLowerCase().includes(word)));
}

/** The moment of the page holds for its own cluster alone. */
export const momentFor = (cluster: string | undefined, shown: string | undefined, moment: Moment): Moment =>
  cluster !== undefined && cluster === shown ? moment : {};
