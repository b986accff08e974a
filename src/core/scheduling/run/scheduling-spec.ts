import { internText } from '../../cluster/intern-table.js';
import type { Container, Pod, PodSpec, Volume } from '../../kubernetes/objects/pod.js';

/** The parts of a pod that decide about it alone, and their keys: pods with the same key have the same result. */
export interface SchedulingSpec {
  readonly pod: Pod;
  /** The key of the parts for filters and scores that do not depend on pods: taints, node affinity. */
  readonly fixedKey: string;
  /** The key of its images; empty if no node has any of them. */
  readonly imagesKey: string;
  /** The key of the amounts and host ports that the pod uses. */
  readonly ownKey: string;
  /** All the above in one key. */
  readonly key: string;
}

/**
 * Reduces a pod to the fields of its spec that filters and scores read, so that workloads that differ only in names, commands
 * and the like share results. Spread constraints and affinity between pods are not included.
 *
 * @param isKnownImage whether some node has an image with that name
 */
export function schedulingSpec(pod: Pod, isKnownImage: (image: string) => boolean): SchedulingSpec {
  const { spec } = pod;
  const { containers, initContainers, volumes, affinity, ...rest } = spec;
  const images = [...(initContainers ?? []), ...containers].map(({ image }) => image ?? '');
  const withImages = images.some(isKnownImage) || (volumes ?? []).some(({ image }) => image !== undefined);
  const reduced = (container: Container): Container => ({
    name: '',
    ...(withImages && container.image !== undefined ? { image: container.image } : {}),
    ...pick(container, ['restartPolicy', 'restartPolicyRules']),
    ...(container.resources?.requests === undefined
      ? {}
      : { resources: pick(container.resources, ['requests', 'claims']) }),
    ...(container.ports?.some(({ hostPort }) => hostPort !== undefined) === true ? { ports: container.ports } : {}),
  });
  const claims = (volumes ?? []).filter(isMinded);
  const fixed = {
    ...pick(rest, FIXED),
    ...(affinity?.nodeAffinity === undefined ? {} : { affinity: { nodeAffinity: affinity.nodeAffinity } }),
  };
  const own = {
    containers: containers.map(reduced),
    ...(initContainers === undefined ? {} : { initContainers: initContainers.map(reduced) }),
    ...(claims.length === 0 ? {} : { volumes: claims }),
    ...pick(rest, OWN),
  };
  const rules = [...containers, ...(initContainers ?? [])].flatMap(({ restartPolicyRules = [] }) => restartPolicyRules);
  const fixedKey = internText([fixed, claims, own.resourceClaims, rules]);
  const ownKey = internText(own);
  const imagesKey = withImages ? internText(images) : '';
  return {
    pod: { ...pod, spec: { ...fixed, ...own } },
    fixedKey,
    imagesKey,
    ownKey,
    key: `${fixedKey} ${imagesKey} ${ownKey}`,
  };
}

const FIXED = [
  'nodeName',
  'nodeSelector',
  'tolerations',
  'schedulingGates',
  'hostNetwork',
  'hostUsers',
  'os',
] as const satisfies readonly (keyof PodSpec)[];

const OWN = ['overhead', 'resources', 'resourceClaims', 'restartPolicy'] as const satisfies readonly (keyof PodSpec)[];

/** Whether a volume can affect where its pod may run. */
const isMinded = (volume: Volume): boolean =>
  Object.keys(volume).some((key) => key !== 'name' && key !== 'emptyDir' && key !== 'hostPath');

function pick<T extends object, Key extends keyof T>(from: T, keys: readonly Key[]): Pick<T, Key> {
  const picked: Partial<Pick<T, Key>> = {};
  for (const key of keys) if (from[key] !== undefined) picked[key] = from[key];
  return picked as Pick<T, Key>;
}
