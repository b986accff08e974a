import type { Labels } from '../../../kubernetes/objects/meta.js';
import type { KeptKind } from '../../../kubernetes/kinds.js';
import { lacking, missingKinds } from '../../kinds-not-loaded.js';
import { SUCCESS, UNRESOLVABLE, type FilterPlugin, type PlacementInput, type Prepared } from '../../plugin.js';
import { nodeMapField, podField, type FieldReference, type Reason, type ClaimFacts } from '../../reason.js';
import { boundByProvisioner, isToBeMade } from '../../volumes/claim-to-make.js';
import { classOfClaim, notFound, VolumeObjects } from '../../volumes/pod-claims.js';

export const NAME = 'VolumeZone';

const MESSAGE = 'node(s) had no available volume zone';
const ZONE = 'topology.kubernetes.io/zone';
const REGION = 'topology.kubernetes.io/region';
const BETA_ZONE = 'failure-domain.beta.kubernetes.io/zone';
const BETA_REGION = 'failure-domain.beta.kubernetes.io/region';
const LABELS = [BETA_ZONE, BETA_REGION, ZONE, REGION];

/** A label of a volume, and the values that it allows. */
interface VolumeTopology {
  readonly claim: string;
  readonly volume: string;
  readonly key: string;
  readonly values: ReadonlySet<string>;
  readonly field: FieldReference;
}

/**
 * The zone and region labels of bound volumes must hold the node's. A node without any such label fits every volume.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/framework/plugins/volumezone.
 */
export const volumeZone: FilterPlugin = {
  name: NAME,
  preFilter: (input) => {
    const found = topologiesOf(input);
    if ('outcome' in found) return found;
    if (found.length === 0) return { outcome: 'Skip' };
    const { nodes } = input.state;
    const mismatches = (node: number): readonly VolumeTopology[] => {
      const labels = nodes.labels(node);
      if (!LABELS.some((key) => Object.hasOwn(labels, key))) return [];
      return found.filter(({ key, values }) => {
        const value = nodeValue(labels, key);
        return value === undefined || !values.has(value);
      });
    };
    return {
      outcome: 'Filter',
      filter: {
        status: (node) => (mismatches(node).length === 0 ? SUCCESS : UNRESOLVABLE),
        commonReasonKey: () => 0,
        commonReasons: () => [{ code: 'VolumeZoneMismatch', message: MESSAGE }],
        explanationKey: (node) => LABELS.map((key) => nodes.labelColumn(key)?.valueIds[node] ?? -1).join(),
        explain: (node) =>
          mismatches(node).map(({ claim, volume, key, values, field }) => ({
            plugin: NAME,
            code: 'VolumeZoneMismatch' as const,
            status: 'UnschedulableAndUnresolvable' as const,
            message: MESSAGE,
            facts: {
              claim,
              persistentVolume: volume,
              label: { key, wanted: [...values].sort().join(), actual: nodeValue(nodes.labels(node), key) ?? null },
            },
            fields: [field, nodeMapField(['metadata', 'labels'], key)],
          })),
      },
    };
  },
};

/** The node's value of a label; of a beta label also by its later name. */
function nodeValue(labels: Labels, key: string): string | undefined {
  if (Object.hasOwn(labels, key)) return labels[key];
  const later = key === BETA_ZONE ? ZONE : key === BETA_REGION ? REGION : key;
  return Object.hasOwn(labels, later) ? labels[later] : undefined;
}

/** The labels of the volumes that the pod's claims are bound to; or what there is to say of the pod as a whole. */
function topologiesOf({ state, pod }: PlacementInput): readonly VolumeTopology[] | Prepared {
  const objects = new VolumeObjects(state);
  const namespace = pod.metadata.namespace ?? '';
  const found: VolumeTopology[] = [];
  for (const [index, { persistentVolumeClaim }] of (pod.spec.volumes ?? []).entries()) {
    if (persistentVolumeClaim === undefined) continue;
    const { claimName } = persistentVolumeClaim;
    const field = podField('spec', 'volumes', index);
    const claimKey = `${namespace}/${claimName}`;
    const lacks = (...needs: readonly KeptKind[]): Prepared | undefined =>
      missingKinds(state, needs).length === 0
        ? undefined
        : lacking(state, {
            plugin: NAME,
            why: 'the pod uses a claim, whose volume may be in another zone',
            fields: [field],
            needs,
          });
    const refused = (message: string, facts: ClaimFacts = {}): Prepared =>
      rejection(message, { claim: claimKey, ...facts }, field);
    if (claimName === '') return refused('PersistentVolumeClaim had no name');
    const withoutClaims = lacks('PersistentVolumeClaim');
    if (withoutClaims !== undefined) return withoutClaims;
    const claim = objects.claim(namespace, claimName);
    if (claim === undefined) return refused(notFound('persistentvolumeclaim', claimName));
    const volumeName = claim.spec?.volumeName ?? '';
    if (volumeName === '') {
      const className = classOfClaim(claim);
      // Without the classes, it is not known which of them a new claim gets by default.
      const withoutDefault = className === '' && isToBeMade(claim) ? lacks('StorageClass') : undefined;
      if (withoutDefault !== undefined) return withoutDefault;
      if (className === '') return refused('PersistentVolumeClaim had no pv name and storageClass name');
      const withoutClasses = lacks('StorageClass');
      if (withoutClasses !== undefined) return withoutClasses;
      const storageClass = objects.storageClass(className);
      const facts = { storageClass: className };
      if (storageClass === undefined) return refused(notFound('storageclass.storage.k8s.io', className), facts);
      if (storageClass.volumeBindingMode === undefined) {
        return refused(`VolumeBindingMode not set for StorageClass ${JSON.stringify(className)}`, facts);
      }
      if (storageClass.volumeBindingMode === 'WaitForFirstConsumer') continue;
      return boundByProvisioner(NAME, claim, storageClass, field) ?? refused('PersistentVolume had no name', facts);
    }
    const withoutVolumes = lacks('PersistentVolume');
    if (withoutVolumes !== undefined) return withoutVolumes;
    const volume = objects.volume(volumeName);
    if (volume === undefined) {
      return refused(notFound('persistentvolume', volumeName), { persistentVolume: volumeName });
    }
    const labels = volume.metadata.labels ?? {};
    for (const key of LABELS) {
      const values = Object.hasOwn(labels, key) ? zonesIn(labels[key]!) : undefined;
      if (values !== undefined) found.push({ claim: claimKey, volume: volumeName, key, values, field });
    }
  }
  return found;
}

/** The parts of a label such as `a__b`; one with an empty part says nothing. */
function zonesIn(value: string): ReadonlySet<string> | undefined {
  const zones = value.split('__').map((zone) => zone.trim());
  return zones.includes('') ? undefined : new Set(zones);
}

function rejection(message: string, facts: ClaimFacts, field: FieldReference): Prepared {
  const reason: Reason = {
    plugin: NAME,
    code: 'ClaimNotUsable',
    status: 'UnschedulableAndUnresolvable',
    message,
    facts,
    fields: [field],
  };
  return { outcome: 'Rejected', reason };
}
