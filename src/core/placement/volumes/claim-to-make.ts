import type { PersistentVolumeClaim, StorageClass } from '../../kubernetes/objects/storage.js';
import { notKnown } from '../not-known.js';
import type { Prepared } from '../plugin.js';
import type { FieldReference } from '../reason.js';

/** Whether a claim does not exist yet, but will before the scheduler looks at its pod. */
export const isToBeMade = (claim: PersistentVolumeClaim): boolean => 'isToBeMade' in claim;

/** The provisioner of classes whose volumes are made by hand. */
export const NO_PROVISIONER = 'kubernetes.io/no-provisioner';

/**
 * The answer of a filter about a claim that is still to be made and that its provisioner binds at once: unknown, since only the
 * provisioner decides where the volume is. Undefined for every other claim.
 */
export function boundByProvisioner(
  plugin: string,
  claim: PersistentVolumeClaim,
  storageClass: StorageClass | undefined,
  field: FieldReference,
): Prepared | undefined {
  if (!isToBeMade(claim) || storageClass === undefined || storageClass.provisioner === NO_PROVISIONER) return undefined;
  const key = `${claim.metadata.namespace ?? ''}/${claim.metadata.name}`;
  const { provisioner } = storageClass;
  return notKnown({
    plugin,
    code: 'ClaimNotBound',
    status: 'Unknown',
    message: `${plugin} cannot be evaluated: claim ${key} does not exist yet, and ${provisioner} decides where its volume will be`,
    facts: { claim: key, storageClass: storageClass.metadata.name },
    fields: [field],
  });
}
