import type { Pod } from '../../kubernetes/objects/pod.js';
import type { SecuredPod } from './check.js';

/**
 * A pod of which only the kept fields are known, as far as the checks look; undefined where those that they read are not among them:
 * in what was stored before they were kept. The API server sets `securityContext` of every pod and template, so its absence tells.
 */
export function securedKeptPod(pod: Pick<Pod, 'spec'> & Pick<SecuredPod, 'metadata'>): SecuredPod | undefined {
  return pod.spec.securityContext === undefined ? undefined : withDroppedVolumes(pod);
}

/** Of a volume of a type that any pod may use, only the name is kept. */
export function withDroppedVolumes({ metadata, spec }: Pick<Pod, 'spec'> & Pick<SecuredPod, 'metadata'>): SecuredPod {
  const { volumes } = spec;
  return {
    ...(metadata && { metadata }),
    spec: {
      ...spec,
      ...(volumes && {
        volumes: volumes.map((volume) => (Object.keys(volume).length === 1 ? { ...volume, projected: {} } : volume)),
      }),
    },
  };
}
