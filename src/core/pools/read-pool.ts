import { isAbsent } from './given-value.js';
import type { JsonValue } from '../json/json-value.js';
import { invalid, required, type FieldError } from '../kubernetes/field-error.js';
import { FieldPath } from '../kubernetes/field-path.js';
import type { LabelSelector } from '../kubernetes/objects/selectors.js';
import type { Taint } from '../kubernetes/objects/taints.js';
import { isExtendedResource } from '../kubernetes/resource-names.js';
import { validateLabelSelector } from '../kubernetes/validation/label-selector.js';
import { isQualifiedName } from '../kubernetes/validation/names.js';
import { nameIsDnsLabel, nameIsDnsSubdomain } from '../kubernetes/validation/object-names.js';
import { describeTaintKey } from '../kubernetes/well-known-taints.js';
import { readTaintEdit } from '../taint-change/read-taint-edit.js';
import { EXEMPT_UNLESS_TOLD, type PoolSpec, type PoolUsers } from './pool.js';
import { readSelector } from './read-selector.js';

/** A pool as received: lists and strings are checked to be such, everything else is not. */
export interface GivenPool {
  /** A Kubernetes LabelSelector. */
  readonly nodes?: JsonValue;
  /** As in a change of taints: arguments of `kubectl taint`, or objects. */
  readonly taints?: readonly JsonValue[];
  /** Arguments of `kubectl label`, or a map. */
  readonly labels?: JsonValue;
  readonly users?: {
    readonly namespaces?: readonly string[];
    readonly namespaceSelector?: JsonValue;
    readonly serviceAccounts?: readonly string[];
    readonly extendedResource?: string;
  };
  readonly exemptNamespaces?: readonly string[];
}

/** A fault of a declaration, and its field. */
export interface PoolFault {
  readonly code: string;
  readonly message: string;
  readonly field: string;
  readonly pointer: string;
}

/** Maximum number of taints, of labels and of names per pool; a pod is compared with all of them at admission. */
const MOST = 64;
const MAX_USERS = 1000;

/**
 * Reads the declaration of a pool and reports all faults together; invalid taints, labels and selectors with
 * Kubernetes' messages.
 *
 * @param at path of the fields
 */
export function readPool(given: GivenPool, at: FieldPath): { readonly pool: PoolSpec; readonly faults: PoolFault[] } {
  const faults: PoolFault[] = [];
  const add = (...errors: readonly FieldError[]): void => {
    faults.push(...errors.map(({ type, field, pointer, message }) => ({ code: type, field, pointer, message })));
  };
  const nodes = nodesIn(given.nodes, at.child('nodes'), add);
  const { taints, labels } = marksIn(given, at, faults, add);
  const users = usersIn(given.users ?? {}, at.child('users'), add);
  const exemptNamespaces = given.exemptNamespaces ?? EXEMPT_UNLESS_TOLD;
  add(...namespaceFaults(exemptNamespaces, at.child('exemptNamespaces')));
  return { pool: { nodes, taints, labels, users, exemptNamespaces }, faults };
}

type Add = (...errors: readonly FieldError[]) => void;

function nodesIn(given: JsonValue | undefined, at: FieldPath, add: Add): LabelSelector {
  if (isAbsent(given)) {
    add(required(at, 'a label selector selects the nodes of the pool'));
    return {};
  }
  const { selector, errors } = readSelector(given, at);
  add(...errors, ...validateLabelSelector(selector, at));
  if (errors.length === 0 && isEverything(selector)) {
    add(
      required(
        at,
        'an empty selector selects every node, and a pool of all nodes would close the cluster to all other pods',
      ),
    );
  }
  return selector;
}

const isEverything = ({ matchLabels = {}, matchExpressions = [] }: LabelSelector): boolean =>
  Object.keys(matchLabels).length === 0 && matchExpressions.length === 0;

function marksIn(
  { taints = [], labels }: GivenPool,
  at: FieldPath,
  faults: PoolFault[],
  add: Add,
): Pick<PoolSpec, 'taints' | 'labels'> {
  const [taintsAt, labelsAt] = [at.child('taints'), at.child('labels')];
  if (taints.length > MOST) add(invalid(taintsAt, { text: String(taints.length) }, `must have at most ${MOST} items`));
  const read = readTaintEdit({ taints: taints.slice(0, MOST), ...(isAbsent(labels) ? {} : { labels }) }, at);
  const errors = read.errors.filter(({ code }) => code !== 'no-change-requested');
  faults.push(
    ...errors.map(({ code, message, field = at.toString(), pointer = at.toPointer() }) => ({
      code,
      message,
      field,
      pointer,
    })),
  );
  const { edit } = read;
  const isClean = errors.length === 0;
  for (const [index, one] of taints.slice(0, MOST).entries()) {
    // Read individually, because faulty entries have no index among the valid ones.
    const { edit: alone } = readTaintEdit({ taints: [one] }, at);
    const place = taintsAt.index(index);
    for (const { key } of alone.remove) add(invalid(place, key, 'a pool can only add taints, not remove them'));
    for (const { key } of alone.add.filter(isOfNodesState)) {
      add(invalid(place.child('key'), key, 'is set and removed as nodes change state, so a pool cannot use it'));
    }
  }
  if ((edit.labels?.remove.length ?? 0) > 0) {
    add(invalid(labelsAt, edit.labels!.remove[0]!, 'a pool can only set labels, not remove them'));
  }
  const hard = edit.add.filter(({ effect }) => effect !== 'PreferNoSchedule');
  if (isClean && hard.length === 0) {
    add(
      required(taintsAt, 'at least one taint with effect NoSchedule or NoExecute is required to keep other pods off'),
    );
  }
  const set = edit.labels?.set ?? new Map<string, string>();
  if (isClean && set.size === 0) {
    add(
      required(
        labelsAt,
        'at least one label is required to keep the pods of the pool on its nodes: a toleration does not do that',
      ),
    );
  }
  if (set.size > MOST) add(invalid(labelsAt, { text: String(set.size) }, `must have at most ${MOST} labels`));
  return {
    taints: edit.add.map(({ key, value, effect }) => ({ key, ...(value && { value }), effect })),
    labels: Object.fromEntries(set),
  };
}

/** Whether Kubernetes itself, or an autoscaler, taints nodes with this key to show their state. */
const isOfNodesState = ({ key }: Taint): boolean =>
  describeTaintKey(key)?.transient === true || key.startsWith('node.kubernetes.io/');

function usersIn(given: NonNullable<GivenPool['users']>, at: FieldPath, add: Add): PoolUsers {
  const { namespaces = [], serviceAccounts = [], extendedResource = '' } = given;
  for (const [name, { length }] of Object.entries({ namespaces, serviceAccounts })) {
    if (length > MAX_USERS) {
      add(
        invalid(
          at.child(name),
          { text: String(length) },
          `must have at most ${MAX_USERS} items; use namespaceSelector for more`,
        ),
      );
    }
  }
  add(...namespaceFaults(namespaces.slice(0, MAX_USERS), at.child('namespaces')));
  add(
    ...serviceAccounts
      .slice(0, MAX_USERS)
      .flatMap((account, index) => accountFaults(account, at.child('serviceAccounts').index(index))),
  );
  if (extendedResource !== '') add(...resourceFaults(extendedResource, at.child('extendedResource')));
  const byLabels = isAbsent(given.namespaceSelector) ? undefined : selectorIn(given.namespaceSelector, at, add);
  if (namespaces.length + serviceAccounts.length === 0 && extendedResource === '' && byLabels === undefined) {
    add(
      required(at, 'specify who may use the pool: namespaces, namespaceSelector, serviceAccounts or extendedResource'),
    );
  }
  return {
    ...(namespaces.length > 0 && { namespaces }),
    ...(byLabels && { namespaceSelector: byLabels }),
    ...(serviceAccounts.length > 0 && { serviceAccounts }),
    ...(extendedResource !== '' && { extendedResource }),
  };
}

function selectorIn(given: JsonValue, users: FieldPath, add: Add): LabelSelector {
  const at = users.child('namespaceSelector');
  const { selector, errors } = readSelector(given, at);
  add(...errors, ...validateLabelSelector(selector, at));
  if (errors.length === 0 && isEverything(selector)) {
    add(
      required(
        at,
        'an empty selector selects every namespace, and would restrict all their pods to the nodes of the pool',
      ),
    );
  }
  return selector;
}

const namespaceFaults = (names: readonly string[], at: FieldPath): FieldError[] =>
  names.flatMap((name, index) => nameIsDnsLabel(name, false).map((message) => invalid(at.index(index), name, message)));

function accountFaults(account: string, at: FieldPath): FieldError[] {
  const [namespace = '', name, ...more] = account.split('/');
  if (name === undefined || more.length > 0) return [invalid(at, account, 'must be namespace/name')];
  return [...nameIsDnsLabel(namespace, false), ...nameIsDnsSubdomain(name, false)].map((message) =>
    invalid(at, account, message),
  );
}

function resourceFaults(resource: string, at: FieldPath): FieldError[] {
  const complaints = isQualifiedName(resource);
  if (complaints.length > 0) return complaints.map((message) => invalid(at, resource, message));
  return isExtendedResource(resource)
    ? []
    : [invalid(at, resource, 'must be an extended resource, such as nvidia.com/gpu')];
}
