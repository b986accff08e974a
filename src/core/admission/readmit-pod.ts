import { defaultPod } from '../kubernetes/defaults.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import { computeQos } from '../resources/qos.js';
import { ADMISSION_PLUGINS, type AdmissionConfiguration } from './admission-configuration.js';
import type { Refusal } from './admission-chain.js';
import { PLUGIN_OF, type AdmissionContext, type AdmissionSurroundings } from './admission-plugins.js';
import { AdmissionRefusal } from './admission-refusal.js';

/** What admission makes of a pod of which only the kept fields are known. */
export type Readmission =
  { readonly outcome: 'admitted'; readonly pod: Pod } | { readonly outcome: 'refused'; readonly refusal: Refusal };

/**
 * Takes a pod through the admission plugins in the API server's order, as `admitPod` does, but for validation: what is stored keeps
 * too little of a pod to be validated anew, and was validated when it was made.
 *
 * @param pod new, with its namespace
 * @throws QuantityError for a text that is no quantity
 */
export function readmitPod(
  pod: Pod,
  surroundings: AdmissionSurroundings,
  configuration: AdmissionConfiguration,
): Readmission {
  const context: AdmissionContext = { request: { operation: 'create' }, surroundings, configuration };
  const on = new Set(configuration.plugins);
  const plugins = ADMISSION_PLUGINS.filter((name) => on.has(name)).map((name) => PLUGIN_OF[name]);
  try {
    let admitted = defaultPod(pod);
    for (const { admit } of plugins) if (admit !== undefined) admitted = admit(admitted, context);
    admitted = { ...admitted, status: { ...admitted.status, phase: 'Pending', qosClass: computeQos(admitted) } };
    for (const { validate } of plugins) validate?.(admitted, context);
    return { outcome: 'admitted', pod: admitted };
  } catch (error) {
    if (!(error instanceof AdmissionRefusal)) throw error;
    const { plugin, status, message, causes } = error;
    return { outcome: 'refused', refusal: { by: plugin, status, message, causes } };
  }
}
