import type { ClusterState } from '../../../cluster/cluster-state.js';
import { defined } from '../../../collections/defined.js';
import {
  claimsOfPod,
  preparePod,
  type NodeDevices,
  type PreparedPod,
  type Refusal,
} from '../../../devices/dynamic-resources.js';
import type { KeptKind } from '../../../kubernetes/kinds.js';
import type { ResourceClaimTemplate } from '../../../kubernetes/objects/dra.js';
import type { Pod } from '../../../kubernetes/objects/pod.js';
import { asksForAdminAccess, checksAdminAccess } from '../../../kubernetes/validation/admin-access.js';
import { schedulerRequest } from '../../../resources/request-vector.js';
import { lackingReason, missingKinds } from '../../kinds-not-loaded.js';
import { notKnown } from '../../not-known.js';
import {
  ERROR,
  SUCCESS,
  UNKNOWN,
  UNRESOLVABLE,
  type FilterPlugin,
  type NodeFilter,
  type PlacementInput,
  type Prepared,
  type StatusCode,
} from '../../plugin.js';
import { podField, type CommonReason, type FieldReference, type Reason } from '../../reason.js';
import { clusterDevices, countsTaintRules, unfollowedPods, type Unfollowed } from './cluster-devices.js';
import { delegatedResources } from './delegated-resources.js';

export const NAME = 'DynamicResources';

/**
 * Resource claims, and extended resources that a DeviceClass stands behind. A claim that is still to be made from a template counts as if
 * it were there.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go.
 */
export const dynamicResources: FilterPlugin = {
  name: NAME,
  preFilter: (input) => {
    const { state, pod } = input;
    if (!state.rules.featureGates.DynamicResourceAllocation) return { outcome: 'Skip' };
    const asked = askedDevices(input);
    if (asked === undefined) return { outcome: 'Skip' };
    const { fields, delegated } = asked;
    const lacks = (needs: readonly KeptKind[]): Prepared | undefined => {
      if (missingKinds(state, needs).length === 0) return undefined;
      const why = asked.hasClaims
        ? 'the pod has resource claims'
        : `a device class may provide ${delegated.join(', ')}`;
      const concerns = (node: number): boolean =>
        asked.hasClaims || delegated.some((resource) => state.nodes.allocatable.at(resource, node) <= 0);
      return notKnown(lackingReason(state, { plugin: NAME, why, fields, needs }), concerns);
    };
    const withoutClaims = asked.hasClaims ? lacks(claimKinds(input)) : undefined;
    if (withoutClaims !== undefined) return withoutClaims;
    const devices = clusterDevices(state);
    const claims = claimsOfPod(devices, pod);
    if ('code' in claims) return { outcome: 'Rejected', reason: reasonOf(claims, fields), keepsOutOfQueue: true };
    const isAllocated = claims.claims.every(({ status }) => status?.allocation !== undefined);
    const withoutDevices = isAllocated && delegated.length === 0 ? undefined : lacks(deviceKinds(state));
    if (withoutDevices !== undefined) return withoutDevices;
    const prepared = preparePod(devices, pod, undefined);
    if (prepared.code === 'Skip') return { outcome: 'Skip' };
    if (prepared.code !== 'Success') return { outcome: 'Rejected', reason: reasonOf(prepared, fields) };
    const unfollowed = isAllocated && delegated.length === 0 ? NONE : unfollowedPods(state, devices);
    const { nodes } = state;
    return {
      outcome: 'Filter',
      filter: filterOf(input, prepared.pod, { ...unfollowed, areLocal: devices.areLocal }, fields),
      postFilterMessage: (reached) => {
        const all = Array.from({ length: nodes.count }, (_, node) => node);
        return POST_FILTER_MESSAGES[prepared.pod.afterFilter(all.filter(reached).map((node) => nodes.node(node)))];
      },
    };
  },
};

/**
 * Why a pod waits outside the scheduling queue for its claims; undefined if it does not, or if it is not known.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go, `PreEnqueue`.
 */
export function waitsForClaims(state: ClusterState, pod: Pod): Reason | undefined {
  if ((pod.spec.resourceClaims ?? []).length === 0 || !state.rules.featureGates.DynamicResourceAllocation) {
    return undefined;
  }
  if (missingKinds(state, claimKinds({ state, pod })).length > 0) return undefined;
  const claims = claimsOfPod(clusterDevices(state), pod);
  return 'code' in claims ? reasonOf(claims, [podField('spec', 'resourceClaims')]) : undefined;
}

const POST_FILTER_MESSAGES: Readonly<Record<ReturnType<PreparedPod['afterFilter']>, string>> = {
  deallocation: 'deallocation of ResourceClaim completed',
  deletion: 'deletion of ResourceClaim completed',
  nothing: 'still not schedulable',
};

const NONE: Unfollowed = { nodes: new Map(), claims: new Set() };

/** The kinds that tell which devices there are. */
export const deviceKinds = ({ rules }: ClusterState): readonly KeptKind[] => [
  ...(['ResourceClaim', 'DeviceClass', 'ResourceSlice'] as const),
  ...(countsTaintRules(rules) ? (['DeviceTaintRule'] as const) : []),
];

/** What a pod wants of devices; undefined if nothing. */
export function askedDevices({ state, pod }: Pick<PlacementInput, 'state' | 'pod'>):
  | {
      readonly hasClaims: boolean;
      readonly delegated: readonly string[];
      readonly fields: readonly FieldReference[];
    }
  | undefined {
  const hasClaims = (pod.spec.resourceClaims ?? []).length > 0;
  const requested = [...schedulerRequest(pod, state.rules).scalars]
    .filter(([, amount]) => amount > 0n)
    .map(([name]) => name);
  const delegated = [...delegatedResources(state, requested)];
  if (!hasClaims && delegated.length === 0) return undefined;
  const fields = [
    ...(hasClaims ? [podField('spec', 'resourceClaims')] : []),
    ...(delegated.length > 0 ? [podField('spec', 'containers')] : []),
  ];
  return { hasClaims, delegated, fields };
}

/** The kinds that tell which claims a pod has. */
function claimKinds({ state, pod }: Pick<PlacementInput, 'state' | 'pod'>): readonly KeptKind[] {
  const { namespace = '' } = pod.metadata;
  const templates = (pod.spec.resourceClaims ?? []).flatMap(({ name, resourceClaimTemplateName }) =>
    resourceClaimTemplateName === undefined ||
    pod.status?.resourceClaimStatuses?.some((one) => one.name === name) === true
      ? []
      : [
          state.find('ResourceClaimTemplate', namespace, resourceClaimTemplateName) as
            ResourceClaimTemplate | undefined,
        ],
  );
  const asksNamespace = checksAdminAccess(state.rules) && templates.some((one) => asksForAdminAccess(one?.spec?.spec));
  return [
    'ResourceClaim',
    ...(templates.length > 0 ? (['ResourceClaimTemplate'] as const) : []),
    ...(asksNamespace ? (['Namespace'] as const) : []),
  ];
}

function filterOf(
  { state }: PlacementInput,
  pod: PreparedPod,
  unfollowed: Unfollowed & { readonly areLocal: boolean },
  fields: readonly FieldReference[],
): NodeFilter {
  const answers = new Map<number, NodeDevices>();
  const sharedClaim = pod
    .unallocated()
    .find(({ metadata }) => unfollowed.claims.has(`${metadata.namespace ?? ''}/${metadata.name}`));
  /** A pod of which it is not known which devices it has, among them those of the node. */
  const rivalOn = (node: number): string | undefined =>
    unfollowed.nodes.get(node) ??
    (unfollowed.areLocal && sharedClaim === undefined ? undefined : [...unfollowed.nodes.values()][0]);
  const answerOn = (node: number): NodeDevices => {
    let answer = answers.get(node);
    if (answer === undefined) {
      answer = pod.on(state.nodes.node(node));
      const rival = answer.code === 'Success' && answer.allocations.length > 0 ? rivalOn(node) : undefined;
      if (rival !== undefined) {
        answer = {
          code: 'Unknown',
          why: `it is not known which devices the pod ${rival} has, which was placed without an allocation`,
        };
      }
      answers.set(node, answer);
    }
    return answer;
  };
  const mayHaveRivals = unfollowed.nodes.size > 0;
  const codeOn = (node: number): NodeDevices['code'] =>
    mayHaveRivals ? answerOn(node).code : pod.codeOn(state.nodes.node(node));
  const commons = new Map<string, { readonly key: number; readonly reason: CommonReason }>();
  const commonOf = (node: number): { readonly key: number; readonly reason: CommonReason } => {
    const { code, message } = reasonsOn(node)[0]!;
    const id = `${code} ${message}`;
    let common = commons.get(id);
    if (common === undefined) commons.set(id, (common = { key: commons.size, reason: { code, message } }));
    return common;
  };
  const reasonsOn = (node: number): readonly Reason[] => {
    const answer = answerOn(node);
    if (answer.code === 'Success') return [];
    if (answer.code === 'Unknown') return [unknown(answer.why, fields)];
    const shortages = answer.about.devices === true ? pod.shortagesOn(state.nodes.node(node)) : [];
    if (shortages.length === 0) return [reasonOf(answer, fields)];
    return shortages.map((facts) => ({
      plugin: NAME,
      code: 'DevicesNotAllocatable' as const,
      status: answer.code,
      message: answer.message,
      facts: { ...facts, wanted: facts.wanted ?? null },
      fields,
    }));
  };
  return {
    status: (node) => STATUSES[codeOn(node)],
    commonReasonKey: (node) => commonOf(node).key,
    commonReasons: (key) => [...commons.values()].filter((one) => one.key === key).map(({ reason }) => reason),
    explain: reasonsOn,
  };
}

const STATUSES: Readonly<Record<NodeDevices['code'], StatusCode>> = {
  Success: SUCCESS,
  UnschedulableAndUnresolvable: UNRESOLVABLE,
  Error: ERROR,
  Unknown: UNKNOWN,
};

function reasonOf({ code, message, about }: Refusal, fields: readonly FieldReference[]): Reason {
  const { claim, resource, template, because } = about;
  const common = { plugin: NAME, status: code, message, fields };
  if (code === 'Error' && claim === undefined) return { ...common, code: 'DeviceAllocationFailed', facts: {} };
  const facts = defined({ claim, resource, template, because });
  return { ...common, code: 'ResourceClaimNotUsable', facts };
}

const unknown = (why: string, fields: readonly FieldReference[]): Reason => ({
  plugin: NAME,
  code: 'NotImplemented',
  status: 'Unknown',
  message: `${NAME} cannot be evaluated: ${why}`,
  facts: {},
  fields,
});
