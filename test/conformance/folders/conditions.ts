import type { JsonObject } from '../../../src/core/json/json-value.js';
import {
  DEFAULT_LIFECYCLE_PARAMETERS,
  type LifecycleParameters,
} from '../../../src/core/node-lifecycle/lifecycle-parameters.js';
import type { RecordedConditions } from './conditions-recording.js';
import { explainRecording } from './explain-conditions.js';

const PHASE_STEP_MS = 100;

/**
 * Judges a recorded file of the folder `conditions`: some phase of the controller's passes must explain everything in it. The difference
 * told is that of the phase which explains it longest.
 */
export function judgeConditions(
  file: JsonObject,
  parameters: LifecycleParameters = DEFAULT_LIFECYCLE_PARAMETERS,
): readonly string[] {
  const recording = file as unknown as RecordedConditions;
  let best: { readonly at: number; readonly difference: string } | undefined;
  for (let phaseMs = 0; phaseMs < parameters.nodeMonitorPeriodSeconds * 1000; phaseMs += PHASE_STEP_MS) {
    for (const othersHealthy of otherZones(recording)) {
      const found = explainRecording(recording, { parameters, phaseMs, othersHealthy });
      if (found === undefined) return [];
      if (best === undefined || found.at > best.at) best = found;
    }
  }
  return best === undefined ? ['no phase to try'] : [best.difference];
}

/** All other zones are healthy unless the note says otherwise. Notes are prose: one that does not say that they are is read both ways. */
function otherZones({ input: { note } }: RecordedConditions): readonly boolean[] {
  return note === null || note === undefined || /\bother zones? (are )?healthy/i.test(note) ? [true] : [true, false];
}
