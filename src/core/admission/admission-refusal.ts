/** An admission plugin's refusal: the HTTP status and the message that the API server would answer with. */
export class AdmissionRefusal extends Error {
  override readonly name = 'AdmissionRefusal';

  /** @param reason the plugin's own words, without the `pods "x" is forbidden: ` that the API server puts before them */
  constructor(
    readonly plugin: string,
    readonly status: number,
    readonly reason: string,
    message: string,
  ) {
    super(message);
  }
}

/** `admission.NewForbidden` of k8s.io/apiserver v0.36.2 for a pod. */
export function podForbidden(plugin: string, podName: string, reason: string): AdmissionRefusal {
  return new AdmissionRefusal(plugin, 403, reason, `pods ${JSON.stringify(podName)} is forbidden: ${reason}`);
}
