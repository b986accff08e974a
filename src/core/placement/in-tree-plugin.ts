import type { Pod } from '../kubernetes/objects/pod.js';
import type { ExtensionPoint } from './extension-point.js';
import type { PluginArguments } from './plugin-arguments.js';
import type { FilterPlugin, PlacementInput } from './plugin.js';
import type { ScorePlugin } from './score-plugin.js';

/**
 * What a filter's answer for a node depends on, besides the pod.
 *
 * `node`: what the node is by itself: its name, labels, capacity, declared features. `taints`: its taints and its cordon. `requests`: what
 * the pods on it request. `pods`: anything else of pods, on this node or on others. `claims`: claims and their volumes or devices, which
 * change when a pod is scheduled.
 */
export type FilterDependency = 'node' | 'taints' | 'requests' | 'pods' | 'claims';

/**
 * What a plugin makes of a pod, as a text: pods with the same one get the same answers for all nodes of the state.
 *
 * Source: k8s.io/kube-scheduler v0.36.2, framework/interface.go, `SignPlugin`, whose signatures depend on the pod alone.
 */
export type SignPod = (input: Pick<PlacementInput, 'state' | 'pod' | 'gates'>) => string;

/** The parts of a pod that a plugin reads: it gives the same answers for pods in which these are the same, as long as the cluster stays as it is. */
export type ReadsOfPod = (pod: Pod) => readonly unknown[];

export interface FilterDeclaration {
  /** The filter with default arguments. */
  readonly plugin: FilterPlugin;
  /** The filter with a profile's arguments; undefined where they leave it as it is by default. */
  readonly configure?: (args: PluginArguments) => FilterPlugin | undefined;
  readonly dependsOn: readonly FilterDependency[];
  readonly readsOfPod: ReadsOfPod;
  /** Absent where the signature would be all of the pod's spec. */
  readonly signPod?: SignPod;
}

export interface ScoreDeclaration {
  readonly plugin: ScorePlugin;
  readonly signPod?: SignPod;
}

/** One of Kubernetes' own plugins, with all that others need to know of it. Its arguments, if it takes any, stand in `plugin-arguments.ts`. */
export interface InTreePlugin {
  readonly name: string;
  /** The extension points that upstream's plugin implements. */
  readonly extensionPoints: readonly ExtensionPoint[];
  /** Set for a plugin that the default profile does not enable. */
  readonly disabledByDefault?: true;
  /** The weight in the default profile; absent where that gives none, which scores with 1. */
  readonly defaultWeight?: number;
  /** Absent where the plugin does not filter. */
  readonly filter?: FilterDeclaration;
  /** Absent where the plugin does not score, or scores only behind feature gates that are off by default or for pods with claims. */
  readonly score?: ScoreDeclaration;
}
