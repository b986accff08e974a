import { AcrossClusters } from '../app/across-clusters.js';
import { DryRuns } from '../app/connections/dry-runs.js';
import { DecisionRecorder } from '../app/decisions/decision-recorder.js';
import { AskGateAcross } from '../app/gates/ask-gate-across.js';
import { AskGate } from '../app/gates/ask-gate.js';
import { GateAnswerer } from '../app/gates/gate-answerer.js';
import { ReadState } from '../app/reads/read-state.js';
import { made } from './made.js';

export const GATES = [
  made(GateAnswerer),
  made(AskGate, ReadState, GateAnswerer, DecisionRecorder, DryRuns),
  made(AskGateAcross, AcrossClusters, AskGate),
];
