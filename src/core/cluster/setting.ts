import type { JsonObject } from '../json/json-value.js';
import type { KubernetesObject } from '../kubernetes/objects/meta.js';

/**
 * What is declared of a cluster here rather than found in it. No snapshot contains such a kind, so settings carry over from revision to
 * revision until they are changed; an object of a kind of that name in a dump is somebody else's, and is left out as any unknown kind.
 */
export type SettingKind = 'AdmissionConfiguration' | 'Pool' | 'SchedulerConfiguration';

/** The name of a setting of which a cluster has one. */
export const THE_ONE = 'default';

const API_VERSION = 'kube-placement/v1';

/** A setting as it is stored: an object of its cluster, without a namespace. */
export interface Setting extends KubernetesObject {
  readonly kind: SettingKind;
  /** Checked on its way in by whoever declares settings of this kind. */
  readonly content: JsonObject;
}

export function settingOf(kind: SettingKind, name: string, content: JsonObject): Setting {
  return { apiVersion: API_VERSION, kind, metadata: { name }, content };
}
