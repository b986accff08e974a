import { defaultPod } from '../kubernetes/defaults.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import { computeQos } from '../resources/qos.js';
import { ADMISSION_PLUGINS, type AdmissionConfiguration } from './admission-configuration.js';
import type { Refusal } from './admission-chain.js';
import type { AdmissionContext, AdmissionSurroundings } from './admission-plugins.js';
import { AdmissionStations } from './admission-stations.js';
import { AdmissionRefusal } from '../kubernetes/admission-refusal.js';

/** What admission makes of a pod of which only the kept fields are known. */
export type Readmission =
  { readonly outcome: 'admitted'; readonly pod: Pod } | { readonly outcome: 'refused'; readonly refusal: Refusal };

/**
 * Takes a pod through the admission plugins in the API server's order, as `admitPod` does, but for validation: what is stored keeps
 * too little of a pod to be validated again, and was validated when it was made.
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
  const stations = new AdmissionStations(
    ADMISSION_PLUGINS.filter((name) => on.has(name)),
    context,
  );
  try {
    let admitted = stations.change(defaultPod(pod), unheard);
    admitted = { ...admitted, status: { ...admitted.status, phase: 'Pending', qosClass: computeQos(admitted) } };
    stations.judge(admitted, unheard);
    return { outcome: 'admitted', pod: admitted };
  } catch (error) {
    if (!(error instanceof AdmissionRefusal)) throw error;
    const { plugin, status, message, causes } = error;
    return { outcome: 'refused', refusal: { by: plugin, status, message, causes } };
  }
}

const unheard = (): void => undefined;
