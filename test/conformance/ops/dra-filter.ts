import type { NodeDevices } from '../../../src/core/devices/dynamic-resources.js';
import { claimsOfPod, ClusterDevices, preparePod } from '../../../src/core/devices/dynamic-resources.js';
import type { ClaimAllocation } from '../../../src/core/devices/device-allocator.js';
import type { JsonValue } from '../../../src/core/json/json-value.js';
import type {
  DeviceClass,
  DeviceTaintRule,
  ResourceClaim,
  ResourceSlice,
} from '../../../src/core/kubernetes/objects/dra.js';
import type { Node } from '../../../src/core/kubernetes/objects/node.js';
import type { Pod } from '../../../src/core/kubernetes/objects/pod.js';
import type { Op } from '../op.js';
import { sameJson } from '../same-json.js';

interface Input {
  readonly featureGates: { readonly DRADeviceTaintRules: boolean };
  readonly pod: Pod;
  readonly nodes: readonly Node[];
  readonly resourceClaims?: readonly ResourceClaim[];
  readonly deviceClasses?: readonly DeviceClass[];
  readonly resourceSlices?: readonly ResourceSlice[];
  readonly deviceTaintRules?: readonly DeviceTaintRule[];
}

/** Times of allocation in the vectors are years before or after this. */
const NOW = BigInt(Date.UTC(2026, 2, 1)) * 1_000_000n;

/** One pod against every node, by the plugin DynamicResources. */
export const draFilter: Op = {
  answer: (input) => {
    const {
      featureGates,
      pod,
      nodes,
      resourceClaims = [],
      deviceClasses = [],
      resourceSlices = [],
      deviceTaintRules = [],
    } = input as unknown as Input;
    const devices = ClusterDevices.of({
      claims: resourceClaims,
      classes: deviceClasses,
      slices: resourceSlices,
      taintRules: featureGates.DRADeviceTaintRules ? deviceTaintRules : [],
    });
    const preEnqueue = statusOf(claimsOfPod(devices, pod));
    const prepared = preparePod(devices, pod, NOW);
    const preFilter = statusOf(prepared);
    if (prepared.code !== 'Success' && prepared.code !== 'Skip') return { preEnqueue, preFilter };
    return {
      preEnqueue,
      preFilter,
      nodes: nodes.map((node) => ({
        node: node.metadata.name,
        ...(prepared.code === 'Skip'
          ? { ...statusOf(prepared), code: 'Success', score: 0 }
          : answerOf(prepared.pod.on(node))),
      })),
    };
  },
  agree: (want, got) => sameJson(withoutParserWords(want), withoutParserWords(got as JsonValue)),
};

function statusOf(status: object): { readonly code: string; readonly reasons: readonly string[] } {
  const { code = 'Success', message } = status as { readonly code?: string; readonly message?: string };
  return { code, reasons: message === undefined ? [] : [message] };
}

function answerOf(found: NodeDevices): object {
  if (found.code === 'Unknown') return { code: 'Unknown', reasons: [found.why] };
  if (found.code !== 'Success') return statusOf(found);
  const { allocations, mappings, score } = found;
  return {
    ...statusOf(found),
    ...(allocations.length > 0 && { allocations: allocations.map(allocationOf) }),
    ...(mappings.length > 0 && { requestMappings: mappings }),
    score,
  };
}

const allocationOf = ({ claim, devices, nodeSelector }: ClaimAllocation): object => ({
  claim: claim.metadata.name,
  devices: devices.map(({ request, candidate, hasAdminAccess, consumed }) => ({
    request,
    driver: candidate.pool.driver,
    pool: candidate.pool.name,
    device: candidate.device.name,
    ...(hasAdminAccess && { adminAccess: true }),
    ...(consumed && {
      consumedCapacity: Object.fromEntries([...consumed].map(([name, amount]) => [name, amount.toString()])),
    }),
  })),
  ...(nodeSelector && { nodeSelector }),
});

/** The words of cel-go's generated parser are not known here; that it refuses the expression is. */
const PARSER = /(CEL compile error: compilation failed: ).*Syntax error.*$/s;

function withoutParserWords(value: JsonValue): JsonValue {
  if (typeof value === 'string') return value.replace(PARSER, '$1');
  if (Array.isArray(value)) return value.map(withoutParserWords);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withoutParserWords(member)]));
}
