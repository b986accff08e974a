import { AdmissionRefusal, podForbidden, spokenName } from '../kubernetes/admission-refusal.js';
import { aggregateText, fieldErrorText } from '../kubernetes/error-aggregate.js';
import { notSupported, type FieldError } from '../kubernetes/field-error.js';
import { FieldPath } from '../kubernetes/field-path.js';
import type { WholePod } from '../kubernetes/objects/whole-pod.js';

export const NAME = 'AlwaysPullImages';

const ALWAYS = 'Always';
const LISTS = ['initContainers', 'containers', 'ephemeralContainers'] as const;

/**
 * Sets the pull policy of every image to `Always`: those of containers and of image volumes.
 *
 * Source: k8s.io/kubernetes v1.36.2, plugin/pkg/admission/alwayspullimages/admission.go, `Admit`.
 *
 * @param stored the pod that it replaces; an update without new images is left as it is
 */
export function pullAlways(pod: WholePod, stored: WholePod | undefined): WholePod {
  if (stored !== undefined && !hasNewImage(pod, stored)) return pod;
  const { spec } = pod;
  const pulled = <T extends { readonly imagePullPolicy?: string }>(containers: readonly T[]): readonly T[] =>
    containers.map((container) => ({ ...container, imagePullPolicy: ALWAYS }));
  const volumes = spec.volumes?.map((volume) =>
    volume.image === undefined ? volume : { ...volume, image: { ...volume.image, pullPolicy: ALWAYS } },
  );
  return {
    ...pod,
    spec: {
      ...spec,
      containers: pulled(spec.containers),
      ...(spec.initContainers && { initContainers: pulled(spec.initContainers) }),
      ...(spec.ephemeralContainers && { ephemeralContainers: pulled(spec.ephemeralContainers) }),
      ...(volumes && { volumes }),
    },
  };
}

/**
 * Refuses a pod with another pull policy, which a mutating policy may have set.
 *
 * Source: as {@link pullAlways}, `Validate`. Its error is an aggregate, for which the API server has no status of its own.
 *
 * @throws {AdmissionRefusal}
 */
export function requirePullAlways(pod: WholePod, stored: WholePod | undefined): void {
  if (stored !== undefined && !hasNewImage(pod, stored)) return;
  const path = FieldPath.of('spec');
  const faults = LISTS.flatMap((list) =>
    (pod.spec[list] ?? []).flatMap(({ imagePullPolicy = '' }, index): readonly FieldError[] =>
      imagePullPolicy === ALWAYS
        ? []
        : [notSupported(path.child(list).index(index).child('imagePullPolicy'), imagePullPolicy, [ALWAYS])],
    ),
  );
  for (const [index, { image }] of (pod.spec.volumes ?? []).entries()) {
    const { pullPolicy = '' } = (image ?? {}) as { readonly pullPolicy?: string };
    if (image === undefined || pullPolicy === ALWAYS) continue;
    faults.push(notSupported(path.child('volumes').index(index).child('image', 'pullPolicy'), pullPolicy, [ALWAYS]));
  }
  if (faults.length === 0) return;
  const name = spokenName(pod);
  const reasons = faults.map((fault) => podForbidden(NAME, name, fieldErrorText(fault)).message);
  const message = reasons.length === 1 ? reasons[0]! : `[${reasons.join(', ')}]`;
  throw new AdmissionRefusal(NAME, 500, aggregateText(faults), message, reasons);
}

const imagesOf = ({ spec }: WholePod): readonly (string | undefined)[] =>
  LISTS.flatMap((list) => (spec[list] ?? []).map(({ image }) => image));

function hasNewImage(pod: WholePod, stored: WholePod): boolean {
  const former = new Set(imagesOf(stored));
  return imagesOf(pod).some((image) => !former.has(image));
}
