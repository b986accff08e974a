import { NOTHING } from '../../collections/nothing.js';
import { hostPortsConflict, hostPortsOf } from '../../cluster/host-ports.js';
import type { ClusterState } from '../../cluster/cluster-state.js';
import type { Container, ContainerPort, Pod, PodSpec, TopologySpreadConstraint } from '../../kubernetes/objects/pod.js';
import type { NodeSelectorRequirement, NodeSelectorTerm } from '../../kubernetes/objects/selectors.js';
import type { Taint, Toleration } from '../../kubernetes/objects/taints.js';
import { formatTaint } from '../../kubernetes/taint.js';
import type { RankedReason } from '../node-explanation.js';
import type { Reason, ResourceFacts, UnmetRequirement, UnmetTerm } from '../reason.js';
import { yamlText } from '../yaml-text.js';
import type { PodFix } from './fix.js';
import { imageCondition } from './image-condition.js';
import { loweredRequest } from './lowered-request.js';
import { ownerOfTaint } from './owned.js';
import {
  changedConstraint,
  isSpreadReason,
  SPREAD_CHANGES,
  type ChangedConstraint,
  type SpreadChange,
} from './spread-fixes.js';

type Edit = (pod: Pod) => Pod;

/** A pod on its way to fit a node, and what was done to it. */
export interface PodChange {
  readonly pod: Pod;
  readonly fixes: readonly PodFix[];
  /** The same changes, to be made to the pod as it was sent. */
  readonly edit: Edit;
}

/**
 * The changes of a pod that answer the reasons against one node, each as small as it can be; several where it takes an evaluation to tell
 * which of them is of use, the least first.
 */
export function podChanges(
  state: ClusterState,
  node: number,
  pod: Pod,
  reasons: readonly RankedReason[],
): readonly PodChange[] {
  const ways = reasons.some(isSpreadReason) ? SPREAD_CHANGES : [undefined];
  const unchanged: PodChange = { pod, fixes: [], edit: (given) => given };
  const changes = ways.map((way) =>
    reasons.reduce((change, reason) => changeFor(state, node, change, reason, way), unchanged),
  );
  return changes.filter(({ fixes }) => fixes.length > 0);
}

function changeFor(
  state: ClusterState,
  node: number,
  change: PodChange,
  reason: Reason,
  way: SpreadChange | undefined,
): PodChange {
  switch (reason.code) {
    case 'UntoleratedTaint':
      return withToleration(change, reason.facts.taint);
    case 'NodeNameMismatch': {
      const nodeName = state.nodes.name(node);
      return changed(
        change,
        inSpec(() => ({ nodeName })),
        { kind: 'SetNodeName', nodeName, summary: `set the node name to ${nodeName}` },
        { nodeName },
      );
    }
    case 'NodeSelectorMismatch':
      return withSelector(change, reason.facts.label);
    case 'NodeAffinityMismatch':
      return withAffinity(change, state.nodes.name(node), reason.facts.terms);
    case 'HostPortConflict':
      return withOtherPort(state, node, change);
    case 'InsufficientResource':
      return withLowerRequest(state, change, reason.facts);
    case 'TopologySpreadSkew':
    case 'TopologyLabelMissing': {
      const spread = way === undefined ? undefined : changedConstraint(change.pod, reason, way);
      return spread === undefined ? change : withConstraint(change, way!, spread);
    }
    case 'SchedulingGated':
      return changed(
        change,
        inSpec(() => ({ schedulingGates: [] })),
        { kind: 'RemoveSchedulingGates', gates: reason.facts.gates, summary: 'remove the scheduling gates' },
        { schedulingGates: [] },
      );
    default:
      return change;
  }
}

type Unrendered = PodFix extends infer F ? (F extends PodFix ? Omit<F, 'yaml'> : never) : never;

function changed(change: PodChange, edit: Edit, fix: Unrendered, shown: unknown): PodChange {
  return {
    pod: edit(change.pod),
    fixes: [...change.fixes, { ...NOTHING, ...fix, yaml: yamlText(shown) }],
    edit: (given) => edit(change.edit(given)),
  };
}

const inSpec =
  (part: (spec: PodSpec) => Partial<PodSpec>): Edit =>
  (pod) => ({ ...pod, spec: { ...pod.spec, ...part(pod.spec) } });

/** As narrow as a toleration can be: this key, value and effect. None for a taint that comes and goes with the state of its node. */
function withToleration(change: PodChange, taint: Taint): PodChange {
  if (ownerOfTaint(taint) !== undefined) return change;
  const toleration: Toleration = { key: taint.key, operator: 'Equal', value: taint.value ?? '', effect: taint.effect };
  const there = (change.pod.spec.tolerations ?? []).some(
    ({ key, operator, value, effect }) =>
      key === toleration.key &&
      operator === 'Equal' &&
      (value ?? '') === toleration.value &&
      effect === toleration.effect,
  );
  if (there) return change;
  return changed(
    change,
    inSpec(({ tolerations = [] }) => ({ tolerations: [...tolerations, toleration] })),
    { kind: 'AddToleration', toleration, summary: `tolerate ${formatTaint(taint)}` },
    { tolerations: [toleration] },
  );
}

function withSelector(
  change: PodChange,
  { key, actual }: { readonly key: string; readonly actual: string | null },
): PodChange {
  const select = ({ nodeSelector = {} }: PodSpec): NonNullable<PodSpec['nodeSelector']> => {
    const entries = Object.entries(nodeSelector).filter(([other]) => other !== key);
    return Object.fromEntries(actual === null ? entries : [...entries, [key, actual]]);
  };
  const summary = actual === null ? `remove ${key} from the node selector` : `select ${key}=${actual}`;
  return changed(
    change,
    inSpec((spec) => ({ nodeSelector: select(spec) })),
    { kind: 'SetNodeSelector', key, value: actual, summary, ...conditionOf([{ key, actual }]) },
    { nodeSelector: select(change.pod.spec) },
  );
}

function conditionOf(labels: Parameters<typeof imageCondition>[0]): { readonly condition?: string } {
  const condition = imageCondition(labels);
  return condition === undefined ? {} : { condition };
}

const labelsOf = (term: UnmetTerm | undefined): readonly UnmetRequirement[] =>
  (term?.unmet ?? []).filter(({ field }) => !field.path.includes('matchFields'));

const needsImages = (term: UnmetTerm): boolean => imageCondition(labelsOf(term)) !== undefined;

/** Widens the term that is nearest to the node, of equally near ones one that needs no other image; where it would be left without a requirement, it names the node instead. */
function withAffinity(change: PodChange, nodeName: string, terms: readonly UnmetTerm[]): PodChange {
  const required = change.pod.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  if (required === undefined) return change;
  const candidates = terms.filter(({ unmet }) => unmet.length > 0);
  const [nearest] = [...candidates].sort(
    (a, b) => a.unmet.length - b.unmet.length || Number(needsImages(a)) - Number(needsImages(b)),
  );
  const index = nearest?.index ?? required.nodeSelectorTerms.length;
  const before = required.nodeSelectorTerms[index] ?? {};
  const term = widened(before, index, nearest?.unmet ?? [], nodeName);
  const pointer = `/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms/${index}`;
  return changed(
    change,
    inSpec(({ affinity }) => withTerm(affinity, index, term)),
    {
      kind: 'SetNodeAffinityTerm',
      term: index,
      pointer,
      summary: `change node affinity term ${index} to match the node`,
      ...conditionOf(labelsOf(nearest)),
    },
    { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] } } } },
  );
}

function withTerm(affinity: PodSpec['affinity'], index: number, term: NodeSelectorTerm): Pick<PodSpec, 'affinity'> {
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const nodeSelectorTerms = [...(required?.nodeSelectorTerms ?? [])];
  nodeSelectorTerms[index] = term;
  return {
    affinity: {
      ...affinity,
      nodeAffinity: {
        ...affinity?.nodeAffinity,
        requiredDuringSchedulingIgnoredDuringExecution: { ...required, nodeSelectorTerms },
      },
    },
  };
}

function widened(
  term: NodeSelectorTerm,
  index: number,
  unmet: readonly UnmetRequirement[],
  nodeName: string,
): NodeSelectorTerm {
  const at = (list: string, position: number): UnmetRequirement | undefined =>
    unmet.find(({ field }) => field.pointer.endsWith(`/nodeSelectorTerms/${index}/${list}/${position}`));
  const widen = (list: 'matchExpressions' | 'matchFields'): readonly NodeSelectorRequirement[] =>
    (term[list] ?? []).flatMap((requirement, position) => {
      const missed = at(list, position);
      if (missed === undefined) return [requirement];
      const { operator, values = [] } = requirement;
      if (missed.actual === null) return [];
      if (operator === 'In') {
        return [{ ...requirement, values: list === 'matchFields' ? [missed.actual] : [...values, missed.actual] }];
      }
      const others = values.filter((value) => value !== missed.actual);
      return operator === 'NotIn' && others.length > 0 && list === 'matchExpressions'
        ? [{ ...requirement, values: others }]
        : [];
    });
  const matchExpressions = widen('matchExpressions');
  const matchFields = widen('matchFields');
  if (matchExpressions.length === 0 && matchFields.length === 0) {
    return { matchFields: [{ key: 'metadata.name', operator: 'In', values: [nodeName] }] };
  }
  return {
    ...(matchExpressions.length === 0 ? {} : { matchExpressions }),
    ...(matchFields.length === 0 ? {} : { matchFields }),
  };
}

function withConstraint(
  change: PodChange,
  member: SpreadChange,
  { index, from, to, change: members, constraint }: ChangedConstraint,
): PodChange {
  const changedAt = (constraints: readonly TopologySpreadConstraint[]): readonly TopologySpreadConstraint[] =>
    constraints.map((one, place) => (place === index ? { ...one, ...members } : one));
  const pointer = `/spec/topologySpreadConstraints/${index}/${member}`;
  return changed(
    change,
    inSpec(({ topologySpreadConstraints = [] }) => ({
      topologySpreadConstraints: changedAt(topologySpreadConstraints),
    })),
    {
      kind: 'ChangeTopologySpread',
      pointer,
      member,
      from,
      to,
      summary: `set ${member} of spread constraint ${index} to ${to} instead of ${from}`,
    },
    { topologySpreadConstraints: [constraint] },
  );
}

const LAST_PORT = 65_535;

/** Moves the first host port that is taken to the next one that is free on the node and in the pod. */
function withOtherPort(state: ClusterState, node: number, change: PodChange): PodChange {
  const { pods, nodes } = state;
  const taken = [...nodes.podsOf(node)].filter((pod) => pods.active(pod)).flatMap((pod) => pods.hostPorts(pod));
  for (const { pod, nodeIndex } of pods.nominated()) if (nodeIndex === node) taken.push(...pods.hostPorts(pod));
  const own = hostPortsOf(change.pod.spec, state.rules);
  const conflicting = own.find((port) => taken.some((other) => hostPortsConflict(port, other)));
  if (conflicting === undefined) return change;
  let to = conflicting.port + 1;
  const isTaken = (port: number): boolean =>
    [...taken, ...own].some((other) => hostPortsConflict({ ...conflicting, port }, other));
  while (to <= LAST_PORT && isTaken(to)) to += 1;
  if (to > LAST_PORT) return change;

  const { list, index, port: position } = conflicting.container;
  const moved = (given: ContainerPort, hostNetwork: boolean | undefined): ContainerPort => ({
    ...given,
    hostPort: to,
    ...(hostNetwork === true ? { containerPort: to } : {}),
  });
  const container = change.pod.spec[list]![index]!;
  return changed(
    change,
    inSpec(({ hostNetwork, ...spec }) => ({
      [list]: (spec[list] ?? []).map((given, i): Container => {
        if (i !== index) return given;
        return {
          ...given,
          ports: (given.ports ?? []).map((port, j) => (j === position ? moved(port, hostNetwork) : port)),
        };
      }),
    })),
    {
      kind: 'ChangeHostPort',
      pointer: `/spec/${list}/${index}/ports/${position}/hostPort`,
      fromPort: conflicting.port,
      toPort: to,
      summary: `use host port ${to} instead of ${conflicting.port}`,
    },
    { [list]: [{ name: container.name, ports: [moved(container.ports![position]!, change.pod.spec.hostNetwork)] }] },
  );
}

function withLowerRequest(
  { rules }: ClusterState,
  change: PodChange,
  { resource, available }: ResourceFacts,
): PodChange {
  const lowered = loweredRequest(change.pod, resource, available, rules);
  if (lowered === undefined) return change;
  const { edit, from, to, by, summary, shown } = lowered;
  return changed(change, edit, { kind: 'LowerRequest', resource, from, to, by, summary }, shown);
}
