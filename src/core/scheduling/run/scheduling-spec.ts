import { internText } from '../../cluster/intern-table.js';
import type { Container, Pod, PodSpec, Volume } from '../../kubernetes/objects/pod.js';

/** A pod with what decides about it on its own, and its keys: pods with one key are decided about alike. */
export interface SchedulingSpec {
  readonly pod: Pod;
  /** Of what no placed pod changes: taints, node affinity. */
  readonly fixedKey: string;
  /** Of its images; empty where no node has any of them. */
  readonly imagesKey: string;
  /** Of what the pod takes of its node. */
  readonly ownKey: string;
  /** Of all that. */
  readonly key: string;
}

/**
 * Leaves of a pod only what filters and scores read of its spec, so that workloads that differ in names, commands and the like share
 * what is worked out for them. Its neighbours (spread constraints, affinity between pods) are not looked at here.
 *
 * @param isKnownImage whether some node has an image of that name
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

/** Whether a volume has to do with where its pod may go. */
const isMinded = (volume: Volume): boolean =>
  Object.keys(volume).some((key) => key !== 'name' && key !== 'emptyDir' && key !== 'hostPath');

function pick<T extends object, Key extends keyof T>(from: T, keys: readonly Key[]): Pick<T, Key> {
  const picked: Partial<Pick<T, Key>> = {};
  for (const key of keys) if (from[key] !== undefined) picked[key] = from[key];
  return picked as Pick<T, Key>;
}
