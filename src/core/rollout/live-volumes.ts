import { claimsToMake } from '../admission/claims-to-make.js';
import { defined } from '../collections/defined.js';
import { NO_PROVISIONER } from '../placement/volumes/claim-to-make.js';
import { assumedVolumes } from '../placement/plugins/volume-binding/volume-binding.js';
import { openClaim } from '../placement/plugins/volume-binding/matching-volume.js';
import { classOfClaim } from '../placement/volumes/pod-claims.js';
import type { Labels } from '../kubernetes/objects/meta.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from '../kubernetes/objects/storage.js';
import type { VolumeClaimTemplate } from '../kubernetes/objects/workloads.js';
import type { LiveCluster } from './live-cluster.js';

const BOUND = 'pv.kubernetes.io/bind-completed';
const BY_CONTROLLER = 'pv.kubernetes.io/bound-by-controller';

/** Claims and volumes, and the controller that binds one to the other. */
export class LiveVolumes {
  constructor(
    private readonly cluster: LiveCluster,
    private readonly provisionerMakes: ((storageClass: string) => boolean) | undefined,
  ) {}

  /** The claims that a pod needs and that do not exist, as their controllers send them. */
  claimsFor(
    pod: Pod,
    templates: readonly VolumeClaimTemplate[],
    labels: Labels | undefined,
  ): readonly PersistentVolumeClaim[] {
    if (templates.length === 0 && !(pod.spec.volumes ?? []).some(({ ephemeral }) => ephemeral !== undefined)) return [];
    return claimsToMake(this.cluster.state(), pod, templates).map((claim): PersistentVolumeClaim => {
      const all = { ...labels, ...claim.metadata.labels };
      const labelled = templates.length === 0 ? claim : { ...claim, metadata: { ...claim.metadata, labels: all } };
      return this.makes(labelled) ? labelled : made(labelled);
    });
  }

  /** Whether the provisioner of a claim's class makes volumes. */
  private makes(claim: PersistentVolumeClaim): boolean {
    const name = classOfClaim(claim);
    const storageClass = this.classNamed(name);
    if (storageClass === undefined || storageClass.provisioner === NO_PROVISIONER) return false;
    return this.provisionerMakes?.(name) ?? true;
  }

  private classNamed(name: string): StorageClass | undefined {
    return name === '' ? undefined : (this.cluster.find('StorageClass', '', name) as StorageClass | undefined);
  }

  /**
   * Binds claims that do not wait for a pod to volumes that exist; true if any was bound.
   *
   * Source: k8s.io/kubernetes v1.36.2, pkg/controller/volume/persistentvolume/pv_controller.go, `syncUnboundClaim`, and index.go,
   * `findBestMatchForClaim`.
   */
  bindClaims(): boolean {
    let any = false;
    const claims = this.cluster.objects('PersistentVolumeClaim') as readonly PersistentVolumeClaim[];
    for (const claim of claims) {
      if (Object.hasOwn(claim.metadata.annotations ?? {}, BOUND)) continue;
      const volume = this.volumeFor(claim);
      if (volume === undefined) continue;
      this.bind(claim, volume);
      any = true;
    }
    return any;
  }

  private volumeFor(claim: PersistentVolumeClaim): PersistentVolume | undefined {
    const volumes = this.cluster.objects('PersistentVolume') as readonly PersistentVolume[];
    const named = claim.spec?.volumeName ?? '';
    if (named !== '')
      return volumes.find(({ metadata, spec }) => metadata.name === named && isFor(spec?.claimRef, claim));
    const open = openClaim(claim, volumes);
    if ('message' in open) return undefined;
    const [own] = open.reserved;
    if (own !== undefined) return own.volume;
    const waits = this.classNamed(classOfClaim(claim))?.volumeBindingMode === 'WaitForFirstConsumer';
    return waits ? undefined : open.free[0]?.volume;
  }

  private bind(claim: PersistentVolumeClaim, volume: PersistentVolume): void {
    const { name, namespace = '', uid } = claim.metadata;
    this.cluster.put({
      ...volume,
      spec: { ...volume.spec, claimRef: { kind: 'PersistentVolumeClaim', name, namespace, ...defined({ uid }) } },
      status: { ...volume.status, phase: 'Bound' },
    } as PersistentVolume);
    const annotations = { ...claim.metadata.annotations, [BOUND]: 'yes', [BY_CONTROLLER]: 'yes' };
    this.cluster.put({
      ...claim,
      metadata: { ...claim.metadata, annotations },
      spec: { ...claim.spec, volumeName: volume.metadata.name },
      status: { ...claim.status, phase: 'Bound', ...defined({ capacity: volume.spec?.capacity }) },
    } as PersistentVolumeClaim);
  }

  /**
   * What the scheduler has done to claims and volumes once it has chosen a node for a pod (`BindPodVolumes`); `waits` if a volume has yet
   * to be made.
   */
  assume(pod: Pod, node: number): 'ready' | 'waits' {
    if (!(pod.spec.volumes ?? []).some((volume) => volume.persistentVolumeClaim ?? volume.ephemeral)) return 'ready';
    const changed = assumedVolumes({ state: this.cluster.state(), pod }, node);
    let waits = false;
    for (const object of changed) {
      this.cluster.put(object);
      if (object.kind === 'PersistentVolumeClaim') waits ||= !this.makes(object);
    }
    if (changed.length > 0) this.bindClaims();
    return waits ? 'waits' : 'ready';
  }
}

/** A claim that exists, of which everything is known. */
function made(claim: PersistentVolumeClaim): PersistentVolumeClaim {
  const stored = { ...claim };
  delete (stored as { isToBeMade?: true }).isToBeMade;
  return stored;
}

const isFor = (
  reference: { readonly name?: string; readonly namespace?: string } | undefined,
  { metadata }: PersistentVolumeClaim,
): boolean =>
  reference === undefined ||
  (reference.name === metadata.name && (reference.namespace ?? '') === (metadata.namespace ?? ''));
