import type { JsonObject } from '../json/json-value.js';
import type { KubernetesObject } from '../kubernetes/objects/meta.js';

/**
 * The kinds of settings: properties of a cluster that are declared in this service, not found in the cluster. No snapshot
 * contains these kinds, so settings carry over from revision to revision until they are changed. An object with such a kind in
 * a snapshot is unrelated, and is ignored like any unknown kind.
 */
export type SettingKind =
  | 'AdmissionConfiguration'
  | 'ApiServer'
  | 'DecisionRetention'
  | 'Expectations'
  | 'Guardrails'
  | 'KubernetesVersion'
  | 'Pool'
  | 'SchedulerConfiguration';

/** The name of a setting that a cluster has only once. */
export const THE_ONE = 'default';

const API_VERSION = 'kube-placement/v1';

/** A setting as stored: an object of its cluster, without a namespace. */
export interface Setting extends KubernetesObject {
  readonly kind: SettingKind;
  /** Validated before it is stored, by the use case for settings of this kind. */
  readonly content: JsonObject;
}

export function settingOf(kind: SettingKind, name: string, content: JsonObject): Setting {
  return { apiVersion: API_VERSION, kind, metadata: { name }, content };
}
