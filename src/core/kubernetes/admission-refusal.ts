import { quoteGo } from './go-text.js';
import type { Pod } from './objects/pod.js';

/** One of the causes in `details.causes` of a refusal; `type` is called `reason` there. */
export interface Cause {
  readonly type: string;
  readonly field: string;
  readonly message: string;
}

/** An admission plugin's refusal: the HTTP status and the message of the API server's response. */
export class AdmissionRefusal extends Error {
  override readonly name = 'AdmissionRefusal';

  /**
   * @param reason the plugin's own message, without the prefix `pods "x" is forbidden: ` that the API server adds
   * @param reasons the individual messages, if the plugin has several
   */
  constructor(
    readonly plugin: string,
    readonly status: number,
    readonly reason: string,
    message: string,
    readonly reasons: readonly string[] = [reason],
    readonly causes: readonly Cause[] = [],
  ) {
    super(message);
  }
}

/** `admission.NewForbidden` of k8s.io/apiserver v0.36.2 for a pod. */
export function podForbidden(
  plugin: string,
  podName: string,
  reason: string,
  reasons?: readonly string[],
  causes?: readonly Cause[],
): AdmissionRefusal {
  const message = `pods ${quoteGo(podName)} is forbidden: ${reason}`;
  return new AdmissionRefusal(plugin, 403, reason, message, reasons, causes);
}

/** The name by which plugins speak of a pod: one that has none yet goes by what its name will begin with. */
export function spokenName({ metadata: { name, generateName = '' } }: Pick<Pod, 'metadata'>): string {
  if (name !== '') return name;
  return generateName === '' ? 'Unknown' : generateName;
}

/** The error for a namespace that does not exist. */
export function namespaceNotFound(plugin: string, namespace: string): AdmissionRefusal {
  const message = `namespaces ${quoteGo(namespace)} not found`;
  return new AdmissionRefusal(plugin, 404, message, message);
}
