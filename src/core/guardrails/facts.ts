import { environment } from '../cel/environment.js';
import { parseTimestamp } from '../cel/libraries/timestamps.js';
import { BOOL, type CelType, INT, isSimple, listOf, mapOf, objectType, STRING, TIMESTAMP } from '../cel/types.js';
import { CelError, CelMap, LazyMap, MapWithFallback, type Value } from '../cel/values.js';
import type { JsonObject } from '../json/json-value.js';
import type { EffectWarningCode } from '../taint-effects/taint-effects.js';

export const SUBJECTS = ['nodes', 'deviceTaintRule'] as const;
const RULE_SUBJECT = 'deviceTaintRule' satisfies (typeof SUBJECTS)[number];

/** Something that nobody knows of a change, and why. */
export class Unknown {
  constructor(readonly why: string) {}
}

/** What an expression gives that depends on something unknown: `false && unknown` is false, as with an error. */
export class UnknownFact extends CelError {}

export type Fact = boolean | number | string | Unknown | readonly Fact[] | { readonly [name: string]: Fact };

/** The values of the variables. Members that an expression can test for with `has` may be absent. */
export interface Facts {
  readonly change: { readonly [name: string]: Fact };
  readonly preview: { readonly [name: string]: Fact };
  readonly cluster: { readonly [name: string]: Fact };
  readonly author: { readonly [name: string]: Fact };
  /** RFC 3339. */
  readonly now: string;
}

/** A variable of a test, with the members that matter: taints and labels in kubectl's notation. */
export type TestInputs = Readonly<Partial<Record<'change' | 'preview' | 'cluster' | 'author', JsonObject>>> & {
  readonly now?: string;
};

interface Field {
  readonly type: CelType;
  readonly description: string;
  /** May be absent: an expression asks for it with `has`. */
  readonly isOptional?: true;
}

const LABELS = mapOf(STRING, STRING);
const TAINT = objectType('guardrails.Taint');
const LABEL = objectType('guardrails.Label');
const NODE = objectType('guardrails.Node');
const DEVICE_TAINT_RULE = objectType('guardrails.DeviceTaintRule');
const DEVICE = objectType('guardrails.Device');
const EVICTED_POD = objectType('guardrails.EvictedPod');
const CALLER = objectType('guardrails.Caller');
const EVICTIONS = objectType('guardrails.Evictions');
const WORKLOADS = objectType('guardrails.Workloads');
const BUDGETS = objectType('guardrails.Budgets');
const CHANGE = objectType('guardrails.Change');
const PREVIEW = objectType('guardrails.Preview');
const CLUSTER = objectType('guardrails.Cluster');
const AUTHOR = objectType('guardrails.Author');

const field = (type: CelType, description: string): Field => ({ type, description });

const CALLER_FIELDS: Readonly<Record<string, Field>> = {
  name: field(STRING, 'Caller name.'),
  kind: field(STRING, '`token`, `oidc` or `anonymous`.'),
  groups: field(listOf(STRING), 'Groups of the caller.'),
};

/** The members of each type, declared once for the checker, the values and the schema of tests. */
export const FIELDS: Readonly<Record<string, Readonly<Record<string, Field>>>> = {
  'guardrails.Taint': {
    key: field(STRING, 'Taint key.'),
    value: field(STRING, 'Taint value; empty for none.'),
    effect: field(STRING, 'Taint effect.'),
    text: field(STRING, 'As kubectl writes it.'),
  },
  'guardrails.Label': {
    key: field(STRING, 'Label key.'),
    value: field(STRING, 'Label value.'),
    text: field(STRING, '`key=value`.'),
  },
  'guardrails.Node': {
    name: field(STRING, 'Node name.'),
    labels: field(LABELS, 'Labels before the change; a label that the node lacks is the empty text.'),
    taints: field(listOf(TAINT), 'Taints before the change.'),
    unschedulable: field(BOOL, 'Whether the node is cordoned before the change.'),
    pool: field(STRING, 'The first declared pool with the node; empty for none.'),
    pools: field(listOf(STRING), 'All declared pools with the node.'),
  },
  'guardrails.DeviceTaintRule': {
    name: field(STRING, 'Name of the rule.'),
    outcome: field(STRING, '`created`, `replaced` or `removed`.'),
    driver: field(
      STRING,
      'Driver that it selects, after the change; of a rule that is removed, before. Empty for all.',
    ),
    pool: field(STRING, 'Pool of devices that it selects, likewise.'),
    device: field(STRING, 'Device that it selects, likewise.'),
  },
  'guardrails.Device': {
    driver: field(STRING, 'Driver of the device.'),
    pool: field(STRING, 'Pool of the device.'),
    name: field(STRING, 'Name of the device.'),
    node: field(STRING, 'Node of the device; empty if it belongs to no single one.'),
    nodeLabels: field(LABELS, 'Labels of that node; a label that the node lacks is the empty text.'),
    claims: field(listOf(STRING), 'The claims that have the device, as `namespace/name`.'),
  },
  'guardrails.EvictedPod': {
    namespace: field(STRING, 'Namespace of the pod.'),
    name: field(STRING, 'Name of the pod.'),
    node: field(STRING, 'Node of the pod.'),
    when: field(STRING, '`now` or `later`.'),
  },
  'guardrails.Caller': CALLER_FIELDS,
  'guardrails.Change': {
    action: field(STRING, '`change` or `revert`.'),
    subject: field(STRING, 'What changes: `nodes`, or a `deviceTaintRule`.'),
    deviceTaintRule: {
      type: DEVICE_TAINT_RULE,
      description: 'The DeviceTaintRule that changes; absent for a change of nodes.',
      isOptional: true,
    },
    devices: field(
      listOf(DEVICE),
      'The devices that the DeviceTaintRule taints after the change; of a rule that is removed, before. Empty for a change of nodes.',
    ),
    nodes: field(
      listOf(NODE),
      'The nodes that change, as they were before; unknown for a change of a DeviceTaintRule.',
    ),
    taintsAdded: field(listOf(TAINT), 'Taints that some node gets, or that devices get from a DeviceTaintRule.'),
    taintsRemoved: field(listOf(TAINT), 'Taints that some node loses, or devices.'),
    taintsOverwritten: field(
      listOf(TAINT),
      'Taints that get another value, or are for other devices, with the new one.',
    ),
    cordon: field(BOOL, 'Whether a node becomes cordoned.'),
    uncordon: field(BOOL, 'Whether a node becomes uncordoned.'),
    labelsSet: field(listOf(LABEL), 'Labels that some node gets, or gets another value of.'),
    labelsRemoved: field(listOf(STRING), 'Keys of labels that some node loses.'),
    reason: field(STRING, 'Reason of the author.'),
    link: field(STRING, 'Link of the author, such as a ticket; empty for none.'),
    onBehalfOf: field(STRING, 'For whom, according to the author; empty for the author.'),
    force: field(BOOL, 'Whether a revert overrides later changes.'),
    apply: field(BOOL, 'Whether the service is to write the change to the cluster.'),
    expiresAt: {
      type: TIMESTAMP,
      description: 'When the change is reverted; absent without a time limit.',
      isOptional: true,
    },
    approvals: field(INT, 'How many callers have approved the change.'),
    approvers: field(listOf(CALLER), 'The callers who have approved the change.'),
  },
  'guardrails.Evictions': {
    now: field(INT, 'Pods deleted immediately.'),
    later: field(INT, 'Pods deleted when their tolerationSeconds end.'),
    never: field(INT, 'Pods that tolerate the new NoExecute taints of nodes forever.'),
    cancelled: field(INT, 'Pods that were due to be deleted, but no longer are.'),
    pending: field(INT, 'Pods that are deleted with and without the change.'),
  },
  'guardrails.Workloads': {
    losingNodes: field(INT, 'Workloads that lose feasible nodes.'),
    gainingNodes: field(INT, 'Workloads that gain feasible nodes.'),
    withoutNode: field(INT, 'Workloads that lose their last feasible node.'),
    withNodeAgain: field(INT, 'Workloads that get their first feasible node.'),
  },
  'guardrails.Budgets': {
    affected: field(INT, 'PodDisruptionBudgets with pods that are evicted, now or later.'),
    violated: field(INT, 'Of these, the ones that allow fewer disruptions than pods are evicted.'),
  },
  'guardrails.Preview': {
    evictions: field(EVICTIONS, 'What the taint eviction controllers do to pods.'),
    evictedPods: field(listOf(EVICTED_POD), 'The pods that are deleted, now or later.'),
    nodesUnschedulable: field(INT, 'Nodes of the cluster that are cordoned after the change.'),
    nodesClosed: field(
      INT,
      'Nodes of the cluster that are cordoned or have a NoSchedule or NoExecute taint after the change.',
    ),
    nodesNewlyClosed: field(INT, 'Of these, the ones that were open before the change.'),
    podsWithoutNode: field(INT, 'Pods of workloads that lose their last feasible node.'),
    workloads: field(WORKLOADS, 'Workloads whose feasible nodes change.'),
    budgets: field(BUDGETS, 'PodDisruptionBudgets, which evictions by taints ignore.'),
    warnings: field(mapOf(STRING, BOOL), 'For each code of a warning, whether the preview has one.'),
    unknown: field(listOf(STRING), 'The members of the preview that are not known, or not completely.'),
  },
  'guardrails.Cluster': {
    name: field(STRING, 'Cluster name.'),
    labels: field(LABELS, 'Labels of the cluster in this service; one that it lacks is the empty text.'),
    nodes: field(INT, 'Number of nodes.'),
    pods: field(INT, 'Number of pods.'),
    ageSeconds: field(INT, 'How old the state is that the change was previewed on.'),
  },
  'guardrails.Author': {
    ...CALLER_FIELDS,
    issuer: field(STRING, 'Identity provider that issued the name; empty for other kinds.'),
    permissions: field(listOf(STRING), 'Permissions of the author for the cluster when the change was asked.'),
  },
};

const VARIABLES = new Map<string, CelType>([
  ['change', CHANGE],
  ['preview', PREVIEW],
  ['cluster', CLUSTER],
  ['author', AUTHOR],
  ['now', TIMESTAMP],
]);

/** What expressions of guardrails can use. */
export const GUARDRAIL_ENVIRONMENT = environment(
  VARIABLES,
  new Map(
    Object.entries(FIELDS).map(([name, fields]) => [
      name,
      new Map(Object.entries(fields).map(([member, { type }]) => [member, type])),
    ]),
  ),
);

/** The members of a preview that can be unknown. */
export const UNKNOWN_MEMBERS = [
  'evictions',
  'evictedPods',
  'podsWithoutNode',
  'workloads',
  'budgets',
  'warnings',
] as const;

export const WARNING_CODES = [
  'last-feasible-node-lost',
  'pdb-not-respected',
  'daemonset-stops',
  'cluster-closed',
  'zone-closed',
  'pool-nobody-tolerates',
  'control-plane-node',
  'control-plane-opened',
  'managed-taint-undone',
  'taint-key-owned',
  'legacy-taint-key',
] as const satisfies readonly EffectWarningCode[];

/** The values of the variables, by name, each made when it is asked for. */
export function variablesOf(facts: Facts): (name: string) => Value {
  const all = new LazyMap(
    'guardrails.Variables',
    new Map([...VARIABLES].map(([name, type]) => [name, () => valueOf(facts[name as keyof Facts], type)])),
  );
  return (name) => all.find(name)!;
}

function valueOf(fact: Fact, type: CelType): Value {
  if (fact instanceof Unknown) return new UnknownFact(fact.why);
  if (type.kind === 'list') return (fact as readonly Fact[]).map((item) => valueOf(item, type.element));
  if (type.kind === 'map') {
    const entries = Object.entries(fact).map(([key, item]) => [key, valueOf(item as Fact, type.value)] as const);
    return type === LABELS ? new MapWithFallback(entries, '') : new CelMap(entries);
  }
  if (type.kind === 'object') {
    const members = fact as { readonly [name: string]: Fact };
    const known = Object.entries(FIELDS[type.name]!).filter(([name]) => Object.hasOwn(members, name));
    return new LazyMap(type.name, new Map(known.map(([name, one]) => [name, () => valueOf(members[name]!, one.type)])));
  }
  if (isSimple(type, 'int')) return BigInt(fact as number);
  if (isSimple(type, 'timestamp')) return parseTimestamp(fact as string) ?? new CelError('no time');
  return fact as boolean | string;
}

const zeroOf = (type: CelType): Fact => {
  if (type.kind === 'list') return [];
  if (type.kind === 'map') return {};
  if (type.kind === 'object') return zeroes(type.name);
  if (isSimple(type, 'int')) return 0;
  return isSimple(type, 'bool') ? false : '';
};

function zeroes(type: string): { readonly [name: string]: Fact } {
  const fields = Object.entries(FIELDS[type]!).filter(([, { isOptional }]) => isOptional !== true);
  return Object.fromEntries(fields.map(([name, one]) => [name, zeroOf(one.type)]));
}

/** The facts of a test: what is not given is zero, false or empty. */
export function factsOfTest({ now = '1970-01-01T00:00:00Z', ...given }: TestInputs): Facts {
  const facts = Object.fromEntries(
    (['change', 'preview', 'cluster', 'author'] as const).map((name) => [
      name,
      filled(given[name] ?? {}, VARIABLES.get(name)!) as { readonly [name: string]: Fact },
    ]),
  ) as Omit<Facts, 'now'>;
  const { unknown } = facts.preview as { readonly unknown: readonly string[] };
  const codes = (given.preview?.['warnings'] ?? []) as readonly string[];
  const warnings = Object.fromEntries(WARNING_CODES.map((code) => [code, codes.includes(code)]));
  const preview = withUnknown(
    { ...facts.preview, warnings, unknown },
    new Map(unknown.map((name) => [name, 'the test says so'])),
  );
  const subject = given.change?.['subject'] ?? (facts.change['deviceTaintRule'] === undefined ? 'nodes' : RULE_SUBJECT);
  const change = { ...facts.change, subject: subject as string };
  return { ...facts, ...(subject === RULE_SUBJECT ? aboutRule(change, preview) : { change, preview }), now };
}

const NOT_OF_RULES = 'the change is of a DeviceTaintRule';

/** What a preview cannot say of a change of a DeviceTaintRule: it does not judge where pods can run, only which are evicted. */
const UNJUDGED_MEMBERS = ['podsWithoutNode', 'workloads'] as const;
const UNJUDGED_WARNINGS: ReadonlySet<string> = new Set<EffectWarningCode>([
  'last-feasible-node-lost',
  'daemonset-stops',
]);

/**
 * The facts of a change of a DeviceTaintRule. What a rule about nodes reads is unknown, not empty: otherwise a rule that protects some nodes would
 * let every change of their devices pass. It has to say what it is about with `change.subject`.
 */
export function aboutRule(change: Facts['change'], preview: Facts['preview']): Pick<Facts, 'change' | 'preview'> {
  const unknown = (name: string): Unknown => new Unknown(`${name} is not known: ${NOT_OF_RULES}`);
  const {
    unknown: missing,
    evictions,
    warnings,
  } = preview as {
    readonly unknown: readonly string[];
    readonly evictions: { readonly [name: string]: Fact };
    readonly warnings: { readonly [code: string]: Fact };
  };
  const known = {
    ...preview,
    unknown: [...new Set([...missing, ...UNJUDGED_MEMBERS])],
    evictions: {
      ...evictions,
      never: unknown('preview.evictions.never'),
      pending: unknown('preview.evictions.pending'),
    },
    warnings: Object.fromEntries(
      Object.entries(warnings).map(([code, fact]) => [
        code,
        UNJUDGED_WARNINGS.has(code) ? unknown(`preview.warnings["${code}"]`) : fact,
      ]),
    ),
  };
  return {
    change: { ...change, subject: RULE_SUBJECT, nodes: unknown('change.nodes') },
    preview: withUnknown(known, new Map(UNJUDGED_MEMBERS.map((name) => [name, NOT_OF_RULES]))),
  };
}

/** With members of a preview, and all that they consist of, unknown. */
export function withUnknown(
  preview: Facts['preview'],
  why: ReadonlyMap<string, string>,
): { readonly [name: string]: Fact } {
  return Object.fromEntries(
    Object.entries(preview).map(([name, fact]) => {
      const reason = why.get(name);
      if (reason === undefined) return [name, fact];
      const unknown = new Unknown(`preview.${name} is not known: ${reason}`);
      const isWhole = typeof fact !== 'object' || fact instanceof Unknown || Array.isArray(fact);
      return [name, isWhole ? unknown : Object.fromEntries(Object.keys(fact).map((part) => [part, unknown]))];
    }),
  );
}

function filled(given: unknown, type: CelType): Fact {
  if (type === TAINT) return taintFact(given as string);
  if (type === LABEL) return labelFact(given as string);
  if (type.kind === 'list') return (given as readonly unknown[]).map((item) => filled(item, type.element));
  if (type.kind !== 'object') return given as Fact;
  const members = given as Readonly<Record<string, unknown>>;
  const known = Object.entries(FIELDS[type.name]!).filter(([name]) => Object.hasOwn(members, name));
  return {
    ...zeroes(type.name),
    ...Object.fromEntries(known.map(([name, one]) => [name, filled(members[name], one.type)])),
    ...poolOf(type, members),
  };
}

/** The first of `pools` is `pool`, if only those are given, and the other way round. */
function poolOf(type: CelType, { pool, pools }: Readonly<Record<string, unknown>>): { readonly [name: string]: Fact } {
  if (type !== NODE) return {};
  if (pool === undefined && Array.isArray(pools) && pools.length > 0) return { pool: pools[0] as string };
  return pools === undefined && typeof pool === 'string' && pool !== '' ? { pools: [pool] } : {};
}

/** `key=value:Effect`, as kubectl writes it. */
function taintFact(text: string): Fact {
  const colon = text.lastIndexOf(':');
  const pair = colon === -1 ? text : text.slice(0, colon);
  const { key, value } = pairOf(pair);
  return { key, value, effect: colon === -1 ? '' : text.slice(colon + 1), text };
}

const labelFact = (text: string): Fact => ({ ...pairOf(text), text });

function pairOf(text: string): { readonly key: string; readonly value: string } {
  const sign = text.indexOf('=');
  return sign === -1 ? { key: text, value: '' } : { key: text.slice(0, sign), value: text.slice(sign + 1) };
}
