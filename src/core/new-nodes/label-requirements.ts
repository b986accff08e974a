import { defined } from '../collections/defined.js';
import type { PoolRequirement } from '../kubernetes/objects/karpenter.js';
import type { Labels } from '../kubernetes/objects/meta.js';

/*
 * The labels that a node to come may have, as Karpenter calculates with them: a set of values, or everything but a set, within bounds.
 *
 * Source: sigs.k8s.io/karpenter v1.9.1, pkg/scheduling/requirement.go, requirements.go, pkg/apis/v1/labels.go.
 */

/** The values that one label may have. */
export interface LabelValues {
  /** The allowed values; or, of a complement, those that are not. */
  readonly values: ReadonlySet<string>;
  readonly complement: boolean;
  /** Inclusive bounds, of a complement only: a value must be an integer then. */
  readonly atLeast?: bigint;
  readonly atMost?: bigint;
  readonly minValues?: number;
}

export type LabelRequirements = ReadonlyMap<string, LabelValues>;

export const ZONE = 'topology.kubernetes.io/zone';
export const REGION = 'topology.kubernetes.io/region';
export const INSTANCE_TYPE = 'node.kubernetes.io/instance-type';
export const NODE_POOL = 'karpenter.sh/nodepool';
export const CAPACITY_TYPE = 'karpenter.sh/capacity-type';

/** Labels that nodes have under a former key, too. */
export const FORMER_LABELS: readonly (readonly [former: string, key: string])[] = [
  ['failure-domain.beta.kubernetes.io/zone', ZONE],
  ['failure-domain.beta.kubernetes.io/region', REGION],
  ['beta.kubernetes.io/arch', 'kubernetes.io/arch'],
  ['beta.kubernetes.io/os', 'kubernetes.io/os'],
  ['beta.kubernetes.io/instance-type', INSTANCE_TYPE],
];

/** Labels with another key in the requirements of pods. */
const RENAMED: ReadonlyMap<string, string> = new Map([
  ...FORMER_LABELS,
  // The cloud providers of Karpenter add the zones of their CSI drivers.
  ['topology.ebs.csi.aws.com/zone', ZONE],
  ['topology.disk.csi.azure.com/zone', ZONE],
]);

/** The key under which Karpenter compares a requirement. */
export const usualKey = (key: string): string => RENAMED.get(key) ?? key;

const WELL_KNOWN: ReadonlySet<string> = new Set([
  NODE_POOL,
  ZONE,
  REGION,
  INSTANCE_TYPE,
  'kubernetes.io/arch',
  'kubernetes.io/os',
  CAPACITY_TYPE,
  'node.kubernetes.io/windows-build',
]);

/** Domains of labels by which cloud providers of Karpenter describe their instance types. */
const OF_PROVIDERS = [
  'karpenter.k8s.aws/',
  'eks.amazonaws.com/',
  'topology.k8s.aws/',
  'karpenter.azure.com/',
  'kubernetes.azure.com/',
  'karpenter.k8s.gcp/',
  'cloud.google.com/',
];

/** Whether Karpenter may give a node this label although its NodePool does not name it. */
export const isWellKnown = (key: string): boolean => WELL_KNOWN.has(key) || isOfProvider(key);

/** Whether a cloud provider describes its instance types by the label. */
export const isOfProvider = (key: string): boolean => OF_PROVIDERS.some((prefix) => key.startsWith(prefix));

/** Of the class of a NodePool, such as `karpenter.k8s.aws/ec2nodeclass`: machines of any class may have an instance type. */
export const isNodeClass = (key: string): boolean => key.endsWith('nodeclass');

/** Labels of an instance type that has one value of each: several values are several instance types. */
export const isOfInstanceType = (key: string): boolean =>
  isWellKnown(key) &&
  key !== ZONE &&
  key !== CAPACITY_TYPE &&
  key !== NODE_POOL &&
  !key.startsWith('topology.') &&
  !isNodeClass(key);

/** Labels that say where, and by which contract, a machine of any instance type runs. */
export const isOfOffering = (key: string): boolean =>
  isWellKnown(key) && !isOfInstanceType(key) && key !== NODE_POOL && !isNodeClass(key);

const NONE: LabelValues = { values: new Set(), complement: false };
const ANY: LabelValues = { values: new Set(), complement: true };

/** What the requirement of a pool or pod leaves of the values of a label. */
function valuesOf({ operator, values = [], minValues }: PoolRequirement): LabelValues {
  const more = defined({ minValues });
  switch (operator) {
    case 'In':
      return { values: new Set(values), complement: false, ...more };
    case 'NotIn':
      return { values: new Set(values), complement: true, ...more };
    case 'DoesNotExist':
      return { ...NONE, ...more };
    case 'Gt':
    case 'Gte':
    case 'Lt':
    case 'Lte': {
      const bound = integer(values[0] ?? '');
      if (bound === undefined) return { ...NONE, ...more };
      if (operator === 'Gt') return { ...ANY, atLeast: bound + 1n, ...more };
      if (operator === 'Lt') return { ...ANY, atMost: bound - 1n, ...more };
      return operator === 'Gte' ? { ...ANY, atLeast: bound, ...more } : { ...ANY, atMost: bound, ...more };
    }
    default:
      return { ...ANY, ...more };
  }
}

/** Requirements that must all be met. */
export function requirementsOf(
  requirements: readonly PoolRequirement[],
  labels: Labels = {},
  known: LabelRequirements = new Map(),
): LabelRequirements {
  const merged = new Map(known);
  const add = (given: string, values: LabelValues): void => {
    const key = usualKey(given);
    const before = merged.get(key);
    merged.set(key, before === undefined ? values : both(before, values));
  };
  for (const requirement of requirements) add(requirement.key, valuesOf(requirement));
  for (const [key, value] of Object.entries(labels)) add(key, { values: new Set([value]), complement: false });
  return merged;
}

function both(a: LabelValues, b: LabelValues): LabelValues {
  const atLeast = greatest(a.atLeast, b.atLeast);
  const atMost = least(a.atMost, b.atMost);
  const minValues = Math.max(a.minValues ?? 0, b.minValues ?? 0);
  const more = minValues === 0 ? {} : { minValues };
  if (atLeast !== undefined && atMost !== undefined && atLeast > atMost) return { ...NONE, ...more };
  const complement = a.complement && b.complement;
  const bounds = defined({ atLeast, atMost });
  const values = complement
    ? new Set([...a.values, ...b.values])
    : new Set([...(a.complement ? b : a).values].filter((value) => isAllowed(a, value) && isAllowed(b, value)));
  return { values, complement, ...(complement && bounds), ...more };
}

/** Whether a label may have the value. */
export function isAllowed({ values, complement, atLeast, atMost }: LabelValues, value: string): boolean {
  if (values.has(value) === complement) return false;
  if (atLeast === undefined && atMost === undefined) return true;
  const number = integer(value);
  return (
    number !== undefined && (atLeast === undefined || number >= atLeast) && (atMost === undefined || number <= atMost)
  );
}

/** Whether a label need not be there, or must not: the operators NotIn and DoesNotExist. */
export const mayBeAbsent = ({ values, complement }: LabelValues): boolean => complement === values.size > 0;

/** The first label on which a pool and a pod cannot agree; undefined if its nodes can have all that the pod requires. */
export function conflict(pool: LabelRequirements, pod: LabelRequirements): string | undefined {
  for (const [key, wanted] of pod) {
    const offered = pool.get(key);
    if (offered === undefined) {
      if (!isWellKnown(key) && !mayBeAbsent(wanted)) return key;
      continue;
    }
    const { values, complement } = both(offered, wanted);
    if (complement || values.size > 0) continue;
    if (!(mayBeAbsent(wanted) && mayBeAbsent(offered))) return key;
  }
  return undefined;
}

/** A value that a label of a new node may have; undefined if it may have none, or need not be there. */
export function someValue(allowed: LabelValues): string | undefined {
  if (!allowed.complement) return [...allowed.values].sort()[0];
  const bound = allowed.atLeast ?? allowed.atMost;
  if (bound !== undefined) return String(bound);
  return mayBeAbsent(allowed) ? undefined : 'any';
}

/** The greatest integer that a label may have as its value; undefined if there is none, or no bound. */
export function greatestOf({ values, complement, atMost }: LabelValues): bigint | undefined {
  if (complement) return atMost;
  return [...values].map(integer).reduce(greatest, undefined);
}

const INTEGER = /^[+-]?\d{1,19}$/;

const integer = (text: string): bigint | undefined => (INTEGER.test(text) ? BigInt(text.replace('+', '')) : undefined);

const greatest = (a: bigint | undefined, b: bigint | undefined): bigint | undefined =>
  a === undefined || (b !== undefined && b > a) ? b : a;
const least = (a: bigint | undefined, b: bigint | undefined): bigint | undefined =>
  a === undefined || (b !== undefined && b < a) ? b : a;
