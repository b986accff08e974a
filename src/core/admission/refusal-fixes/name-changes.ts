import { without, withoutNames } from '../../collections/without.js';
import { nearest } from '../../collections/edit-distance.js';
import type { WholePod, WholePodSpec } from '../../kubernetes/objects/whole-pod.js';
import type { AdmissionSurroundings } from '../admission-plugins.js';
import { inSpec, type EditingChange, type Way } from './refusal-change.js';

/** Names shorter than this are taken for another's misspelling only if they are one edit away. */
const LONG_NAME = 8;

const meantBy = (name: string, names: readonly string[]): string | undefined =>
  nearest(name, names, name.length < LONG_NAME ? 1 : 2);

function removing(by: EditingChange['by'], condition: string | null, ...members: readonly (keyof WholePodSpec)[]): Way {
  const summary = `remove ${members[0] ?? ''}`;
  return [{ by, summary, condition, edit: inSpec((spec) => withoutNames(spec, new Set(members))) }];
}

function naming(by: EditingChange['by'], member: 'priorityClassName' | 'runtimeClassName', name: string): Way {
  const summary = `set ${member} to ${name}`;
  return [{ by, summary, condition: null, edit: inSpec((spec) => ({ ...spec, [member]: name })) }];
}

/**
 * For a pod that Priority refuses: the class that was likely meant, or none, so that it gets the default; and without a priority or a
 * preemption policy of its own, which are those of the class.
 */
export function priorityWays({ spec }: WholePod, { priorityClasses }: AdmissionSurroundings): readonly Way[] {
  const { priorityClassName: name = '', priority, preemptionPolicy } = spec;
  const names = priorityClasses.map(({ metadata }) => metadata.name);
  if (name === '' || names.includes(name)) {
    const given = [
      ...(priority === undefined ? [] : (['priority'] as const)),
      ...(preemptionPolicy === undefined ? [] : (['preemptionPolicy'] as const)),
    ];
    return given.map((member) => removing('Priority', null, member));
  }
  const meant = meantBy(
    name,
    names.filter((other) => !other.startsWith('system-')),
  );
  return [
    ...(meant === undefined ? [] : [naming('Priority', 'priorityClassName', meant)]),
    removing('Priority', 'the pod may have the default priority', 'priorityClassName'),
  ];
}

/** The node selector of the class takes the place of the pod's. */
const unselecting = (keys: readonly string[]): Way => [
  {
    by: 'RuntimeClass',
    summary: `remove ${keys.join(', ')} from the node selector`,
    condition: null,
    edit: inSpec((spec) => ({ ...spec, nodeSelector: without({ ...spec.nodeSelector }, ...keys) })),
  },
];

/**
 * For a pod that RuntimeClass refuses: the class that was likely meant, or none; and without an overhead of its own, and what its node
 * selector has otherwise than the class.
 */
export function runtimeClassWays(
  { spec }: WholePod,
  { findRuntimeClass, runtimeClassNames }: AdmissionSurroundings,
): readonly Way[] {
  const { runtimeClassName: name = '', overhead, nodeSelector = {} } = spec;
  const stored = name === '' ? undefined : findRuntimeClass(name);
  if (name === '' || stored !== undefined) {
    const selected = Object.entries(stored?.scheduling?.nodeSelector ?? {});
    const conflicts = selected.flatMap(([key, value]) =>
      Object.hasOwn(nodeSelector, key) && nodeSelector[key] !== value ? [key] : [],
    );
    if (conflicts.length > 0) return [unselecting(conflicts)];
    return overhead === undefined ? [] : [removing('RuntimeClass', null, 'overhead')];
  }
  const meant = meantBy(name, runtimeClassNames?.() ?? []);
  return [
    ...(meant === undefined ? [] : [naming('RuntimeClass', 'runtimeClassName', meant)]),
    removing('RuntimeClass', "the programs may run in the nodes' default container runtime", 'runtimeClassName'),
  ];
}

/** For a pod whose service account does not exist: the one that was likely meant, or the default. */
export function serviceAccountWays({ spec }: WholePod, { serviceAccounts }: AdmissionSurroundings): readonly Way[] {
  const { serviceAccountName = '', serviceAccount = '' } = spec;
  const name = serviceAccountName === '' ? serviceAccount : serviceAccountName;
  const names = serviceAccounts.map(({ metadata }) => metadata.name);
  if (name === '' || names.includes(name)) return [];
  const meant = meantBy(name, names);
  const renamed = (other: string): Way => [
    {
      by: 'ServiceAccount',
      summary: `set serviceAccountName to ${other}`,
      condition: null,
      edit: inSpec((given) => ({ ...without(given, 'serviceAccount'), serviceAccountName: other })),
    },
  ];
  return [
    ...(meant === undefined ? [] : [renamed(meant)]),
    removing(
      'ServiceAccount',
      'the programs need no permissions in the cluster other than those of service account default',
      'serviceAccountName',
      'serviceAccount',
    ),
  ];
}
