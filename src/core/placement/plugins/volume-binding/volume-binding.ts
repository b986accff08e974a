import { defined } from '../../../collections/defined.js';
import type { KeptKind } from '../../../kubernetes/kinds.js';
import type { Labels } from '../../../kubernetes/objects/meta.js';
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from '../../../kubernetes/objects/storage.js';
import { lacking, missingKinds } from '../../kinds-not-loaded.js';
import {
  ERROR,
  SUCCESS,
  UNRESOLVABLE,
  type FilterPlugin,
  type PlacementInput,
  type Prepared,
  type StatusCode,
} from '../../plugin.js';
import type { FieldReference, CommonReason, Reason, ClaimFacts, RejectionStatus } from '../../reason.js';
import { boundByProvisioner } from '../../volumes/claim-to-make.js';
import { isTakenOver, labelTest, migratedOn, volumeAffinity } from '../../volumes/in-tree-volume.js';
import { claimVolumes, classOfClaim, notFound, notOwned, VolumeObjects } from '../../volumes/pod-claims.js';
import { matchingVolume, openClaim, type OpenClaim } from './matching-volume.js';
import { provisioningTest, type Provisioning } from './provisioning.js';

export const NAME = 'VolumeBinding';

/** In the order in which Kubernetes gives them; each stands for a power of two. */
const COMMON_REASONS = [
  { code: 'VolumeNodeMismatch', message: "node(s) didn't match PersistentVolume's node affinity" },
  { code: 'NoVolumeToBind', message: "node(s) didn't find available persistent volumes to bind" },
  { code: 'NoStorageCapacity', message: 'node(s) did not have enough free storage' },
  {
    code: 'BoundVolumeMissing',
    message: 'node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)',
  },
] as const satisfies readonly CommonReason[];
const MISMATCH = 0;
const NONE_TO_BIND = 1;
const NO_ROOM = 2;
const MISSING = 3;

/** The part of the question that volumes depend on. */
type VolumeInput = Pick<PlacementInput, 'state' | 'pod'>;

/** A claim of the pod. */
interface Claim {
  readonly claim: PersistentVolumeClaim;
  readonly key: string;
  readonly field: FieldReference;
}

/**
 * The volumes that the pod's claims are bound to must be reachable from the node; a claim that waits for its first consumer must find
 * a free volume there, or one must be possible to make.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/framework/plugins/volumebinding.
 */
export const volumeBinding: FilterPlugin = {
  name: NAME,
  preFilter: (input) => {
    const claims = claimsOf(input);
    if ('outcome' in claims) return claims;
    if (claims.length === 0) return { outcome: 'Skip' };
    const sorted = sortClaims(input, claims);
    if ('outcome' in sorted) return sorted;
    const binding = new Binding(input, sorted);
    return {
      outcome: 'Filter',
      filter: {
        status: (node) => binding.status(node),
        commonReasonKey: (node) => binding.key(node),
        commonReasons: (key) => binding.commonReasons(key),
        explain: (node) => binding.explain(node),
      },
    };
  },
};

const WHY = 'the pod uses a claim, whose volume may be restricted to some nodes';

function lacks(
  { state }: VolumeInput,
  fields: readonly FieldReference[],
  needs: readonly KeptKind[],
): Prepared | undefined {
  return missingKinds(state, needs).length === 0
    ? undefined
    : lacking(state, { plugin: NAME, why: WHY, fields, needs });
}

function rejected(
  message: string,
  facts: ClaimFacts,
  field: FieldReference,
  {
    code = 'ClaimNotUsable',
    status = 'UnschedulableAndUnresolvable',
  }: Partial<Pick<Reason<'ClaimNotUsable' | 'ClaimNotBound'>, 'code' | 'status'>> = {},
): Prepared {
  return { outcome: 'Rejected', reason: { plugin: NAME, code, status, message, facts, fields: [field] } };
}

/** The pod's claims; or what is wrong with the first that cannot be used (`podHasPVCs`). */
function claimsOf(input: VolumeInput): readonly Claim[] | Prepared {
  const { state, pod } = input;
  const objects = new VolumeObjects(state);
  const { name, namespace = '', uid = '' } = pod.metadata;
  const volumes = claimVolumes(pod);
  if (volumes.length === 0) return [];
  const unknown = lacks(
    input,
    volumes.map(({ field }) => field),
    ['PersistentVolumeClaim'],
  );
  if (unknown !== undefined) return unknown;
  const found: Claim[] = [];
  for (const { claimName, isEphemeral, field } of volumes) {
    const key = `${namespace}/${claimName}`;
    const claim = objects.claim(namespace, claimName);
    const quoted = JSON.stringify(claimName);
    if (claim === undefined) {
      const message = isEphemeral
        ? `waiting for ephemeral volume controller to create the persistentvolumeclaim ${quoted}`
        : notFound('persistentvolumeclaim', claimName);
      return rejected(message, { claim: key }, field);
    }
    if (claim.status?.phase === 'Lost') {
      const volume = claim.spec?.volumeName ?? '';
      const message = `persistentvolumeclaim ${quoted} bound to non-existent persistentvolume ${JSON.stringify(volume)}`;
      return rejected(message, { claim: key, persistentVolume: volume }, field);
    }
    if (claim.metadata.deletionTimestamp !== undefined) {
      return rejected(`persistentvolumeclaim ${quoted} is being deleted`, { claim: key }, field);
    }
    const fault = isEphemeral ? notOwned(claim, { name, namespace, uid }) : undefined;
    if (fault !== undefined) return rejected(fault, { claim: key }, field);
    found.push({ claim, key, field });
  }
  return found;
}

/** The claims that are bound, and those that are bound to whatever node their pod comes to. */
interface SortedClaims {
  readonly bound: readonly Claim[];
  readonly waiting: readonly (Claim & { readonly storageClass: StorageClass })[];
}

/** `GetPodVolumeClaims`: a claim that should be bound by now keeps the pod off every node. */
function sortClaims(input: VolumeInput, claims: readonly Claim[]): SortedClaims | Prepared {
  const objects = new VolumeObjects(input.state);
  const isBound = ({ claim: { spec, metadata } }: Claim): boolean =>
    (spec?.volumeName ?? '') !== '' && Object.hasOwn(metadata.annotations ?? {}, 'pv.kubernetes.io/bind-completed');
  const bound = claims.filter(isBound);
  const open = claims.filter((claim) => !isBound(claim));
  const unknownClass =
    open.length === 0
      ? undefined
      : lacks(
          input,
          open.map(({ field }) => field),
          ['StorageClass'],
        );
  if (unknownClass !== undefined) return unknownClass;
  const waiting: (Claim & { readonly storageClass: StorageClass })[] = [];
  let immediate: Claim | undefined;
  for (const one of open) {
    const name = classOfClaim(one.claim);
    const storageClass = name === '' ? undefined : objects.storageClass(name);
    if (storageClass !== undefined && storageClass.volumeBindingMode === undefined) {
      const message = `VolumeBindingMode not set for StorageClass ${JSON.stringify(name)}`;
      return rejected(message, { claim: one.key, storageClass: name }, one.field, { status: 'Error' });
    }
    const waits = storageClass?.volumeBindingMode === 'WaitForFirstConsumer';
    if (storageClass !== undefined && waits && (one.claim.spec?.volumeName ?? '') === '') {
      waiting.push({ ...one, storageClass });
    } else immediate ??= one;
  }
  if (immediate !== undefined) {
    const { key, field, claim } = immediate;
    const name = classOfClaim(claim);
    const storageClass = name === '' ? undefined : objects.storageClass(name);
    const unknown = boundByProvisioner(NAME, claim, storageClass, field);
    if (unknown !== undefined) return unknown;
    const facts = { claim: key, ...(name === '' ? {} : { storageClass: name }) };
    return rejected('pod has unbound immediate PersistentVolumeClaims', facts, field, { code: 'ClaimNotBound' });
  }
  const fields = claims.map(({ field }) => field);
  return (
    lacks(input, fields, ['PersistentVolume', ...(waiting.length === 0 ? [] : CAPACITY)]) ??
    (needsCsiNodes(objects, bound) ? lacks(input, fields, ['CSINode']) : undefined) ?? { bound, waiting }
  );
}

const CAPACITY: readonly KeptKind[] = ['CSIDriver', 'CSIStorageCapacity'];

/** Only volumes of types that a driver may have taken over are read differently from node to node. */
const needsCsiNodes = (objects: VolumeObjects, bound: readonly Claim[]): boolean =>
  bound.some(({ claim }) => {
    const volume = objects.volume(claim.spec?.volumeName ?? '');
    return volume !== undefined && isTakenOver(volume);
  });

/** Something against a node: which reason it is, and about which claim. */
interface Conflict {
  readonly reason: number;
  readonly claim: Claim;
  readonly facts: ClaimFacts;
}

type Verdict = { readonly conflicts: readonly Conflict[] } | { readonly error: string };

/** What is wrong with a bound claim on a node. */
type BoundTest = (node: number) => 'fits' | 'mismatch' | 'missing' | { readonly error: string };

/** The waiting claims with the free volume that each would be bound to, and those for which one has to be provisioned. */
interface Matches {
  readonly matched: ReadonlyMap<Claim, PersistentVolume>;
  readonly unmatched: readonly Claim[];
}

class Binding {
  private readonly verdicts = new Map<number, Verdict>();
  private readonly bound: readonly { readonly claim: Claim; readonly test: BoundTest }[];
  /** Claims for which a free volume may be found, the smallest first; or why that cannot be looked for. */
  private readonly open: readonly (OpenClaim & { readonly of: Claim })[] | { readonly message: string };
  private readonly provisions = new Map<Claim, (labels: Readonly<Record<string, string>>) => Provisioning>();
  private readonly errors: string[] = [];

  constructor(
    private readonly input: VolumeInput,
    private readonly claims: SortedClaims,
  ) {
    const objects = new VolumeObjects(input.state);
    this.bound = claims.bound.map((claim) => ({ claim, test: this.boundTest(objects, claim) }));
    for (const one of claims.waiting) {
      this.provisions.set(one, provisioningTest(objects, one.claim, one.storageClass));
    }
    this.open = this.openClaims(objects);
  }

  status(node: number): StatusCode {
    const verdict = this.verdict(node);
    if ('error' in verdict) return ERROR;
    return verdict.conflicts.length === 0 ? SUCCESS : UNRESOLVABLE;
  }

  /** The reasons as bits, or an error by its place behind them. */
  key(node: number): number {
    const verdict = this.verdict(node);
    if ('conflicts' in verdict) return verdict.conflicts.reduce((bits, { reason }) => bits | (1 << reason), 0);
    const known = this.errors.indexOf(verdict.error);
    return 2 ** COMMON_REASONS.length + (known >= 0 ? known : this.errors.push(verdict.error) - 1);
  }

  commonReasons(key: number): readonly CommonReason[] {
    const error = this.errors[key - 2 ** COMMON_REASONS.length];
    if (error !== undefined) return [{ code: 'ClaimNotUsable', message: error }];
    return COMMON_REASONS.filter((_, reason) => (key & (1 << reason)) !== 0);
  }

  explain(node: number): readonly Reason[] {
    const verdict = this.verdict(node);
    const status: RejectionStatus = 'error' in verdict ? 'Error' : 'UnschedulableAndUnresolvable';
    if ('error' in verdict) {
      const fields = [...this.claims.bound, ...this.claims.waiting].map(({ field }) => field);
      return [{ plugin: NAME, code: 'ClaimNotUsable', status, message: verdict.error, facts: {}, fields }];
    }
    return verdict.conflicts.map(({ reason, claim, facts }) => ({
      plugin: NAME,
      ...COMMON_REASONS[reason]!,
      status,
      facts: { claim: claim.key, ...facts },
      fields: [claim.field],
    }));
  }

  private verdict(node: number): Verdict {
    let verdict = this.verdicts.get(node);
    if (verdict === undefined) this.verdicts.set(node, (verdict = this.judge(node)));
    return verdict;
  }

  /** `FindPodVolumes`. */
  private judge(node: number): Verdict {
    const before: Conflict[] = [];
    const after: Conflict[] = [];
    for (const { claim, test } of this.bound) {
      const found = test(node);
      if (found === 'fits') continue;
      if (typeof found === 'object') return found;
      const facts = { persistentVolume: claim.claim.spec?.volumeName ?? '' };
      if (found === 'missing') after.push({ reason: MISSING, claim, facts });
      else before.push({ reason: MISMATCH, claim, facts });
      break;
    }
    if (this.claims.waiting.length === 0) return { conflicts: [...before, ...after] };
    const unbound = this.bindWaiting(node);
    return 'error' in unbound ? unbound : { conflicts: [...before, ...unbound.conflicts, ...after] };
  }

  private bindWaiting(node: number): Verdict {
    const { nodes } = this.input.state;
    const labels = nodes.labels(node);
    const name = nodes.name(node);
    const toProvision: Claim[] = [];
    for (const one of this.claims.waiting) {
      const selected = selectedNode(one.claim);
      if (selected === undefined) continue;
      if (selected !== name) {
        return { conflicts: [{ reason: NONE_TO_BIND, claim: one, facts: { nodeName: selected } }] };
      }
      toProvision.push(one);
    }
    const matches = this.matches(labels);
    if ('message' in matches) return { error: matches.message };
    toProvision.push(...matches.unmatched);
    for (const claim of toProvision) {
      const answer = this.provisions.get(claim)!(labels);
      if (answer === 'yes') continue;
      const facts = { storageClass: classOfClaim(claim.claim) };
      return { conflicts: [{ reason: answer === 'no' ? NONE_TO_BIND : NO_ROOM, claim, facts }] };
    }
    return { conflicts: [] };
  }

  /** Which free volumes the waiting claims would be bound to on a node, and which claims find none there. */
  private matches(labels: Labels): Matches | { readonly message: string } {
    if ('message' in this.open) return this.open;
    const matched = new Map<Claim, PersistentVolume>();
    const unmatched: Claim[] = [];
    const chosen = new Set<string>();
    for (const one of this.open) {
      const found = matchingVolume(one, labels, chosen);
      if (found === undefined) unmatched.push(one.of);
      else {
        chosen.add(found.volume.metadata.name);
        matched.set(one.of, found.volume);
      }
    }
    return { matched, unmatched };
  }

  /**
   * What the scheduler takes for granted once it has chosen a node: free volumes are bound to the waiting claims, and the others are
   * provisioned for this node.
   *
   * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/framework/plugins/volumebinding/binder.go, `AssumePodVolumes`.
   */
  assumed(node: number): readonly (PersistentVolume | PersistentVolumeClaim)[] {
    const { nodes } = this.input.state;
    const matches = this.matches(nodes.labels(node));
    if ('message' in matches) return [];
    const volumes = [...matches.matched].map(([{ claim }, volume]) => {
      const { name, namespace = '', uid } = claim.metadata;
      return { ...volume, spec: { ...volume.spec, claimRef: { name, namespace, ...defined({ uid }) } } };
    });
    const claims = matches.unmatched.map(({ claim }) => {
      const annotations = { ...claim.metadata.annotations, [SELECTED_NODE]: nodes.name(node) };
      return { ...claim, metadata: { ...claim.metadata, annotations } };
    });
    return [...volumes, ...claims];
  }

  private openClaims(
    objects: VolumeObjects,
  ): readonly (OpenClaim & { readonly of: Claim })[] | { readonly message: string } {
    const open: (OpenClaim & { readonly of: Claim })[] = [];
    for (const one of this.claims.waiting) {
      if (selectedNode(one.claim) !== undefined) continue;
      const read = openClaim(one.claim, objects.volumes);
      if ('message' in read) return read;
      open.push({ ...read, of: one });
    }
    return open.sort((a, b) => a.size.cmp(b.size));
  }

  private boundTest(objects: VolumeObjects, { claim }: Claim): BoundTest {
    const volume = objects.volume(claim.spec?.volumeName ?? '');
    if (volume === undefined) return () => 'missing';
    const { nodes } = this.input.state;
    if (!isTakenOver(volume)) {
      const reaches = labelTest(volume.spec?.nodeAffinity?.required);
      return (node) => (reaches(nodes.labels(node)) ? 'fits' : 'mismatch');
    }
    const byMigration = new Map<string, BoundTest>();
    return (node) => {
      const csiNode = objects.csiNode(nodes.name(node));
      const migrated = migratedOn(csiNode);
      let test = byMigration.get(migrated);
      if (test === undefined) {
        test = this.testOf(volume, csiNode);
        byMigration.set(migrated, test);
      }
      return test(node);
    };
  }

  private testOf(volume: PersistentVolume, csiNode: ReturnType<VolumeObjects['csiNode']>): BoundTest {
    const { nodes } = this.input.state;
    const affinity = volumeAffinity(volume, csiNode);
    if ('message' in affinity) return () => ({ error: affinity.message });
    const reaches = labelTest(affinity.required);
    return (node) => (reaches(nodes.labels(node)) ? 'fits' : 'mismatch');
  }
}

/** The node that a volume is being made for already. */
function selectedNode({ metadata }: PersistentVolumeClaim): string | undefined {
  const annotations = metadata.annotations ?? {};
  return Object.hasOwn(annotations, SELECTED_NODE) ? annotations[SELECTED_NODE] : undefined;
}

const SELECTED_NODE = 'volume.kubernetes.io/selected-node';

/** The volumes and claims of a state that change when the scheduler chooses a node for a pod, as they are then. */
export function assumedVolumes(
  input: VolumeInput,
  node: number,
): readonly (PersistentVolume | PersistentVolumeClaim)[] {
  const claims = claimsOf(input);
  if ('outcome' in claims || claims.length === 0) return [];
  const sorted = sortClaims(input, claims);
  return 'outcome' in sorted || sorted.waiting.length === 0 ? [] : new Binding(input, sorted).assumed(node);
}
