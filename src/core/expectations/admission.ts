import type { Evaluate } from './evaluation.js';
import { finding, unknown } from './expectation.js';
import { admissionOf, doubtOf } from './subject.js';

/** Whether the API server would admit a pod, by every admission plugin that is evaluated. */

export const evaluateAdmission: Evaluate<'admission'> = function* ({ spec, compiled }, { state }) {
  const admission = admissionOf(compiled.manifest!, state);
  if (admission === undefined) return unknown('The manifest has no pod template.');
  const { outcome: wanted, messageContains } = spec;
  if (admission.outcome === 'refused') {
    const { by, message } = admission.refusal;
    const details = [message];
    if (wanted === 'admitted') return finding('broken', `${by} refuses the pod.`, { details });
    if (messageContains !== undefined && !message.includes(messageContains)) {
      const reason = `${by} refuses the pod, but its message does not contain ${JSON.stringify(messageContains)}.`;
      return finding('broken', reason, { details });
    }
    return finding('holds', `${by} refuses the pod.`, { details });
  }
  const [undecided] = admission.undecided;
  const doubt = doubtOf(admission) ?? (undecided && `${undecided.plugin}: ${undecided.why}`);
  if (doubt !== undefined) return unknown(`Whether the pod is admitted is not known: ${doubt}.`);
  return wanted === 'admitted'
    ? finding('holds', 'The API server admits the pod.')
    : finding('broken', 'The API server admits the pod, which should be refused.');
};
