import { defined } from '../collections/defined.js';
import { jsonDifferences } from '../json/json-differences.js';
import { defaultPod } from '../kubernetes/defaults.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import type { ResourceQuota } from '../kubernetes/objects/quota.js';
import type { Workload } from '../kubernetes/objects/workloads.js';
import type { AdmissionConfiguration, AdmissionPluginName } from './admission-configuration.js';
import type { AdmissionContext } from './admission-plugins.js';
import { AdmissionStations } from './admission-stations.js';
import { judgeable } from './admit-known.js';
import { podOfTemplate, templateOf, withControllerAdditions } from './pod-of-template.js';
import type { KnownSurroundings } from './surroundings-in.js';

/** Something that is in the pod that is placed, but not in what was sent. */
export interface Addition {
  /** Who adds it: `defaults`, `DaemonSet controller`, `StatefulSet controller`, `pools`, or an admission plugin by its name. */
  readonly by: string;
  /** Where in the pod, as a JSON pointer. */
  readonly pointer: string;
  /** What stands there now; absent when it was taken away. */
  readonly value?: unknown;
  readonly why: string;
}

/** What keeps the pod itself, on whatever node, from a certain answer. */
export interface MissingRuntimeClass {
  readonly name: string;
  /** Whether RuntimeClasses were loaded at all: if so, the API server would refuse the pod. */
  readonly loaded: boolean;
}

/** A pod as the scheduler would see it, and what was added to what was sent. */
export interface PreparedPod {
  readonly pod: Pod;
  readonly added: readonly Addition[];
  /** The quotas of the namespace with the pod charged to them; empty where they were not asked. */
  readonly quotas: readonly ResourceQuota[];
  readonly missingRuntimeClass?: MissingRuntimeClass;
}

/** What preparing needs of the cluster. */
export interface PreparationContext {
  readonly surroundings: KnownSurroundings;
  readonly configuration: AdmissionConfiguration;
}

export interface PreparationOptions {
  /** Leaves admission out: only defaults and what a controller adds is put in. */
  readonly skipAdmission?: boolean;
  /** Plugins that are not asked. */
  readonly without?: readonly AdmissionPluginName[];
}

/**
 * From a manifest to the pod that the scheduler would be given: API defaults, then what the controller of a workload
 * adds, then the plugins of the cluster's admission, in the API server's order: those that change the pod, then those that judge it.
 *
 * The manifest is one of which only what placement reads was decoded and validated; `admitKnown` takes whole ones. A plugin of which
 * something is not known (its kind was never loaded) adds and refuses nothing. A RuntimeClass that is not stored is reported, and
 * adds nothing either.
 *
 * @throws {AdmissionRefusal} a plugin refuses the pod
 * @returns undefined for a workload without a pod template
 */
export function preparePod(
  manifest: Pod | Workload,
  context: PreparationContext,
  { skipAdmission = false, without = [] }: PreparationOptions = {},
): PreparedPod | undefined {
  const sent = podSent(manifest);
  if (sent === undefined) return undefined;
  const added: Addition[] = [];
  const step = (by: string, before: Pod, after: Pod, why: (pointer: string) => string): Pod => {
    if (after === before) return after;
    for (const { pointer, after: value } of jsonDifferences(before, after)) {
      added.push({ by, pointer, ...defined({ value }), why: why(pointer) });
    }
    return after;
  };

  let pod = step('defaults', sent, defaultPod(sent), whyDefault);
  if (manifest.kind !== 'Pod') {
    const why = CONTROLLER_WHY.get(manifest.kind) ?? '';
    pod = step(`${manifest.kind} controller`, pod, withControllerAdditions(pod, manifest), () => why);
  }
  if (skipAdmission) return { pod, added, quotas: [] };

  const { surroundings } = context;
  const missing = missingRuntimeClass(pod, surroundings);
  const { judged: configuration } = judgeable(context.configuration, surroundings, { operation: 'create', pod });
  const left = new Set<AdmissionPluginName>(missing === undefined ? without : [...without, 'RuntimeClass']);
  const asked: AdmissionContext = { request: { operation: 'create' }, surroundings, configuration };
  const stations = new AdmissionStations(
    configuration.plugins.filter((name) => !left.has(name)),
    asked,
  );
  pod = stations.change(pod, (by, { before, after }, why) => step(by, before, after, why));
  const quotas = stations.judge(pod, () => undefined) ?? [];
  return { pod, added, quotas, ...(missing && { missingRuntimeClass: missing }) };
}

function missingRuntimeClass(
  { spec: { runtimeClassName: name } }: Pod,
  { findRuntimeClass, notLoaded }: KnownSurroundings,
): MissingRuntimeClass | undefined {
  if (name === undefined || findRuntimeClass(name) !== undefined) return undefined;
  return { name, loaded: !notLoaded.includes('RuntimeClass') };
}

function podSent(manifest: Pod | Workload): Pod | undefined {
  if (manifest.kind === 'Pod') return manifest;
  const template = templateOf(manifest);
  return template === undefined ? undefined : podOfTemplate(manifest, template);
}

const CONTROLLER_WHY: ReadonlyMap<string, string> = new Map([
  [
    'DaemonSet',
    'the DaemonSet controller adds these tolerations, so that its pods run on nodes that are not ready, under pressure or cordoned',
  ],
  ['StatefulSet', 'the StatefulSet controller mounts a separate claim for each claim template'],
]);

function whyDefault(pointer: string): string {
  if (pointer.includes('/resources/requests')) return 'a limit without a request becomes the request';
  if (pointer.endsWith('/hostPort')) return 'in the host network, a container port also becomes the host port';
  return 'the API server sets the default';
}
