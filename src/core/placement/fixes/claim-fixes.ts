import type { ClusterState } from '../../cluster/cluster-state.js';
import { claimText } from '../../devices/device-allocator.js';
import { claimsOfPod } from '../../devices/dynamic-resources.js';
import type {
  DeviceTaint,
  DeviceToleration,
  ResourceClaimSpec,
  ResourceClaimTemplate,
} from '../../kubernetes/objects/dra.js';
import type { Pod } from '../../kubernetes/objects/pod.js';
import { formatTaint } from '../../kubernetes/taint.js';
import type { RankedReason } from '../node-explanation.js';
import { clusterDevices } from '../plugins/dynamic-resources/cluster-devices.js';
import { isOfDevices, type DeviceFacts } from '../reason.js';
import { yamlText } from '../yaml-text.js';
import type { ClaimFix, ClaimObject } from './fix.js';

/** Changes of a pod's claims, or of the templates that they are made from. */
export interface ClaimChange {
  readonly fixes: readonly ClaimFix[];
  readonly objects: readonly ClaimObject[];
}

/** `spec` of claims and of templates is immutable. */
const ANEW = 'The spec cannot be changed: delete the object and create it anew.';

/**
 * Tolerations with which requests of the pod's claims could have more devices of a node: for each request that lacks some, of the taint
 * that keeps most devices from it. Undefined where no taint does.
 */
export function claimChange(state: ClusterState, pod: Pod, reasons: readonly RankedReason[]): ClaimChange | undefined {
  let change: ClaimChange = { fixes: [], objects: [] };
  const seen = new Set<string>();
  for (const reason of reasons) {
    if (!isOfDevices(reason)) continue;
    const { claim, request } = reason.facts;
    // Of several alternatives, one is enough.
    const [parent] = request.split('/');
    if (seen.has(`${claim} ${parent}`)) continue;
    const taint = mostFrequent(reason.facts);
    const changed = taint && withToleration(state, pod, change, { claim, request, taint });
    if (changed === undefined) continue;
    seen.add(`${claim} ${parent}`);
    change = changed;
  }
  return change.fixes.length === 0 ? undefined : change;
}

/** The taint that keeps the most devices from a request. */
function mostFrequent({ taints }: DeviceFacts): DeviceTaint | undefined {
  const [most] = taints.filter(({ tolerated }) => !tolerated).sort((a, b) => b.devices - a.devices);
  return most?.taint;
}

function withToleration(
  state: ClusterState,
  pod: Pod,
  { fixes, objects }: ClaimChange,
  { claim, request, taint }: { readonly claim: string; readonly request: string; readonly taint: DeviceTaint },
): ClaimChange | undefined {
  const stored = objectOf(state, pod, claim);
  if (stored === undefined) return undefined;
  const isStored = (one: ClaimObject): boolean =>
    one.kind === stored.kind && one.metadata.name === stored.metadata.name;
  const object = objects.find(isStored) ?? stored;
  const toleration: DeviceToleration = {
    key: taint.key,
    operator: 'Equal',
    value: taint.value ?? '',
    effect: taint.effect,
  };
  const { namespace = '', name } = object.metadata;
  const edited = edit(object, (spec) => tolerant(spec, request, toleration));
  const shown = tolerationsYaml(request, toleration);
  const fix: ClaimFix = {
    kind: 'AddDeviceToleration',
    summary: `tolerate ${formatTaint(taint)} in request ${request} of ${object.kind} ${namespace}/${name}`,
    yaml: yamlText(object.kind === 'ResourceClaim' ? shown : { spec: shown }),
    condition: ANEW,
    claim: { kind: object.kind, namespace, name },
    request,
    toleration,
  };
  return { fixes: [...fixes, fix], objects: [...objects.filter((one) => !isStored(one)), edited] };
}

/** The claim, or the template of one that is still to be made. */
function objectOf(state: ClusterState, pod: Pod, claim: string): ClaimObject | undefined {
  const found = claimsOfPod(clusterDevices(state), pod);
  if ('code' in found) return undefined;
  const { namespace = '' } = pod.metadata;
  for (const [entry, made] of found.made) {
    if (claimText(made) !== claim) continue;
    const name = pod.spec.resourceClaims?.find((one) => one.name === entry)?.resourceClaimTemplateName ?? '';
    return state.find('ResourceClaimTemplate', namespace, name) as ResourceClaimTemplate | undefined;
  }
  return found.claims.find((one) => claimText(one) === claim);
}

const edit = (object: ClaimObject, change: (spec: ResourceClaimSpec) => ResourceClaimSpec): ClaimObject =>
  object.kind === 'ResourceClaim'
    ? { ...object, spec: change(object.spec ?? {}) }
    : { ...object, spec: { ...object.spec, spec: change(object.spec?.spec ?? {}) } };

function tolerant(spec: ResourceClaimSpec, path: string, toleration: DeviceToleration): ResourceClaimSpec {
  const [name, sub] = path.split('/');
  const added = <Request extends { readonly tolerations?: readonly DeviceToleration[] }>(
    request: Request,
  ): Request => ({
    ...request,
    tolerations: [...(request.tolerations ?? []), toleration],
  });
  const requests = (spec.devices?.requests ?? []).map((request) => {
    if (request.name !== name) return request;
    const { exactly, firstAvailable = [] } = request;
    if (sub === undefined) return exactly === undefined ? request : { ...request, exactly: added(exactly) };
    return { ...request, firstAvailable: firstAvailable.map((one) => (one.name === sub ? added(one) : one)) };
  });
  return { ...spec, devices: { ...spec.devices, requests } };
}

function tolerationsYaml(path: string, toleration: DeviceToleration): object {
  const [name, sub] = path.split('/');
  const tolerations = [toleration];
  const request =
    sub === undefined ? { name, exactly: { tolerations } } : { name, firstAvailable: [{ name: sub, tolerations }] };
  return { spec: { devices: { requests: [request] } } };
}
