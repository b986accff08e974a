import { admitPod, type AdmittedPod, type RefusedPod } from '../admission/admission-chain.js';
import { admissionIn } from '../admission/admission-in.js';
import { claimsToMake, claimTemplatesOf } from '../admission/claims-to-make.js';
import { podOfManifest, wholePodOf } from '../admission/pod-of-template.js';
import type { Placeable } from '../admission/read-pod-manifest.js';
import { admissionDoubt } from '../admission/undecided-plugins.js';
import type { ClusterState } from '../cluster/cluster-state.js';
import { THE_ONE } from '../cluster/setting.js';
import { defined } from '../collections/defined.js';
import { isKeptKind } from '../kubernetes/kinds.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import type { VolumeClaimTemplate, Workload } from '../kubernetes/objects/workloads.js';
import { gatesOf } from '../kubernetes/toleration.js';
import { DEFAULT_PROFILE } from '../scheduler-configuration/default-profile.js';
import { profilePlugins } from '../scheduling/profile-plugins.js';
import { profileNamed, schedulerConfigurationIn } from '../scheduling/profiles-in.js';
import { DEFAULT_SCHEDULER } from '../scheduling/queue/queued-work.js';
import type { SchedulingProfile } from '../scheduling/schedule-pod.js';
import { workloadText, type Compiled, type Expectation, type PodChoice } from './expectation.js';

/** The pod of an expectation as its scheduler would receive it. */
export interface Subject {
  readonly outcome: 'pod';
  readonly pod: Pod;
  readonly claimTemplates: readonly VolumeClaimTemplate[];
  /** The start of its replicas' names. */
  readonly prefix: string;
  readonly profile: SchedulingProfile;
}

export type FoundSubject =
  | Subject
  /** The API server creates no such pod. */
  | { readonly outcome: 'refused'; readonly by: string; readonly message: string }
  | { readonly outcome: 'unknown'; readonly why: string };

/** Subjects by what they were made of. They hold as long as nothing but nodes and pods changes. */
export type SubjectMemory = Map<string, FoundSubject>;

/**
 * The pod of an expectation, admitted.
 *
 * @param charged whether the pod is one more than those that the quotas count already
 */
export function subjectOf(
  { text, spec, compiled }: Pick<Expectation, 'text' | 'compiled'> & { readonly spec: PodChoice },
  state: ClusterState,
  memory: SubjectMemory,
  { charged }: { readonly charged: boolean },
): FoundSubject {
  let subject = memory.get(text);
  if (subject === undefined) memory.set(text, (subject = find(spec, compiled, state, charged)));
  return subject;
}

function find(spec: PodChoice, compiled: Compiled, state: ClusterState, charged: boolean): FoundSubject {
  const found = objectOf(spec, compiled, state);
  if ('outcome' in found) return found;
  const admission = admissionOf(found, state, charged || spec.workload === undefined ? [] : ['ResourceQuota']);
  if (admission === undefined) {
    return { outcome: 'unknown', why: `${found.object.kind} ${found.object.metadata.name} has no pod template` };
  }
  if (admission.outcome === 'refused') {
    return { outcome: 'refused', by: admission.refusal.by, message: admission.refusal.message };
  }
  const why = doubtOf(admission);
  if (why !== undefined) return { outcome: 'unknown', why };
  const { pod } = admission;
  const profile = profileFor(state, pod.spec.schedulerName ?? DEFAULT_SCHEDULER);
  if ('why' in profile) return { outcome: 'unknown', why: profile.why };
  const { name } = found.object.metadata;
  const own = pod.metadata.name === '' ? 'pod' : pod.metadata.name;
  return {
    outcome: 'pod',
    pod: { ...pod, metadata: { ...pod.metadata, name: own } },
    claimTemplates: claimTemplatesOf(found.object),
    prefix: found.object.kind === 'Pod' || name === '' ? own : name,
    profile: profile.profile,
  };
}

interface Sent {
  readonly object: Placeable;
  readonly whole?: Placeable | undefined;
}

function objectOf({ workload }: PodChoice, { manifest }: Compiled, state: ClusterState): Sent | FoundSubject {
  if (manifest !== undefined) {
    const { object, whole } = manifest;
    const { namespace = 'default' } = object.metadata;
    return { object: { ...object, metadata: { ...object.metadata, namespace } } as Placeable, whole };
  }
  const { kind, namespace, name } = workload!;
  const stored = isKeptKind(kind) ? state.find(kind, namespace, name) : undefined;
  if (stored !== undefined) return { object: stored as Workload };
  const isLoaded = isKeptKind(kind) && state.loadedKinds.has(kind);
  const why = isLoaded ? `there is no ${workloadText(workload!)}` : `no snapshot has contained the kind ${kind}`;
  return { outcome: 'unknown', why };
}

/** What admission makes of a manifest; undefined without a pod template. */
export function admissionOf(
  { object, whole }: Sent,
  state: ClusterState,
  without: readonly 'ResourceQuota'[] = [],
): AdmittedPod | RefusedPod | undefined {
  const pod = podOfManifest(object);
  if (pod === undefined) return undefined;
  return admitPod(
    {
      operation: 'create',
      pod,
      known: 'kept',
      ...defined({ whole: wholePodOf(whole) }),
      ...(object.kind !== 'Pod' && { workload: object }),
      ...(without.length > 0 && { without }),
      allowMissingRuntimeClass: true,
    },
    admissionIn(state, object.metadata.namespace ?? 'default'),
  );
}

/** Why it is not certain that the API server admits a pod, or how; undefined if it is certain. */
export function doubtOf(admission: AdmittedPod): string | undefined {
  const { missingRuntimeClass } = admission;
  if (missingRuntimeClass !== undefined) {
    const quoted = JSON.stringify(missingRuntimeClass.name);
    return missingRuntimeClass.loaded
      ? `RuntimeClass ${quoted} does not exist: the API server would refuse the pod, and what the class adds is not known`
      : `no snapshot has contained RuntimeClasses: what class ${quoted} adds is not known`;
  }
  const doubt = admissionDoubt(admission);
  return doubt === undefined ? undefined : `${doubt.plugin}: ${doubt.why}`;
}

/** The profile that a scheduler places pods by. A cluster without a declared configuration has the default one. */
export function profileFor(
  state: ClusterState,
  schedulerName: string,
): { readonly profile: SchedulingProfile } | { readonly why: string } {
  const found = profileNamed(schedulerConfigurationIn(state), schedulerName);
  if (found !== undefined) return { profile: profilePlugins(found, gatesOf(state.rules)) };
  if (state.setting('SchedulerConfiguration', THE_ONE) === undefined) {
    return { profile: profilePlugins(DEFAULT_PROFILE, gatesOf(state.rules)) };
  }
  return { why: `the scheduler configuration has no profile ${JSON.stringify(schedulerName)}` };
}

/** The state with the claims that controllers make for the pod first. */
export function withClaims(state: ClusterState, { pod, claimTemplates }: Subject): ClusterState {
  if (pod.spec.volumes === undefined) return state;
  const claims = claimsToMake(state, pod, claimTemplates);
  return claims.length === 0 ? state : state.apply({ upserts: claims });
}
