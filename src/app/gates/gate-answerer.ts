import type { DryRunAnswer, ObjectDryRun } from '../../core/admission/dry-run.js';
import type { ClusterState } from '../../core/cluster/cluster-state.js';
import { defined } from '../../core/collections/defined.js';
import { newPodOf } from '../../core/gate/new-pod-of.js';
import { stepGate, type Gate, type GateObject } from '../../core/gate/step-gate.js';
import type { JsonObject } from '../../core/json/json-value.js';
import { manifestServerOf } from '../../core/kubernetes/cluster-version.js';
import { findFields } from '../../core/kubernetes/manifests/check-fields.js';
import { gatesOf, type TolerationGates } from '../../core/kubernetes/toleration.js';
import type { SchedulingProfile } from '../../core/scheduling/schedule-pod.js';
import { profilePlugins } from '../../core/scheduling/profile-plugins.js';
import { profileNamed } from '../../core/scheduling/profiles-in.js';
import type { DecisionReason, DecisionVerdict, DecisionWorkload } from '../../storage/decisions/decision.js';
import type { DecisionAnswer, DecisionAnswerer } from '../decisions/decision-answerer.js';
import type { StateReading } from '../reads/read-state.js';
import { stateUnderGates } from '../reads/state-under-gates.js';
import type { RequestContext } from '../request-context.js';
import { dryRunResponses } from '../connections/dry-runs.js';
import { checkedConfiguration } from '../schedulers/checked-configuration.js';
import { runSteps } from '../states/run-steps.js';
import { TimeSlices } from '../states/time-slices.js';
import type { GateAnswer } from './gate-names.js';
import type { GateDryRun, GateQuestion } from './gate-question.js';
import { stepGateResponse } from './gate-response.js';

/** How long a gate may take, in milliseconds, its proposal included. */
const BUDGET_MS = 60_000;

/** What is recorded of a gate, and its answer. */
export interface AnsweredGate extends DecisionAnswer {
  readonly answer: Omit<GateAnswer, 'decision'>;
}

/** Answers gates: those that are asked, and recorded ones again. */
export class GateAnswerer implements DecisionAnswerer {
  readonly type = 'gate';

  /** @throws {ServiceError} `cancelled`, `budget-exceeded` */
  answer(question: JsonObject, reading: StateReading, context: RequestContext): Promise<AnsweredGate> {
    return this.answerTo(question as unknown as GateQuestion, reading, context);
  }

  async answerTo(question: GateQuestion, reading: StateReading, context: RequestContext): Promise<AnsweredGate> {
    const { basis, state } = reading;
    const gate = await run(question, reading, context, question.proposeChanges);
    const dryRuns = responsesOf(question, state, context.now);
    const slices = new TimeSlices({ signal: context.signal });
    const answer = { basis, ...(await runSteps(stepGateResponse(gate), slices)), dryRuns };
    const { verdict, summary } = gate.judgement;
    return { verdict, summary, reasons: answer.reasons.map(reasonOf), workloads: workloadsOf(gate), answer };
  }

  async verdict(question: JsonObject, reading: StateReading, context: RequestContext): Promise<DecisionVerdict> {
    const gate = await run(question as unknown as GateQuestion, reading, context, false);
    return gate.judgement.verdict;
  }
}

function run(
  { objects, fieldValidation, featureGates, configuration, dryRuns }: GateQuestion,
  { basis, state: stored }: StateReading,
  { now, signal }: RequestContext,
  proposes: boolean,
): Promise<Gate> {
  const state = stateUnderGates(stored, featureGates);
  const steps = stepGate(state, objects.map(withFields), {
    now: now.getTime(),
    gates: gatesOf(state.rules),
    fieldValidation,
    proposes,
    ...defined({ unknownVersion: manifestServerOf(state.rules, basis).unknownVersion }),
    ...(dryRuns !== undefined && answersOf(objects, dryRuns)),
    ...(configuration !== undefined && { profileOf: profilesIn(configuration, gatesOf(state.rules)) }),
  });
  return runSteps(steps, new TimeSlices({ budgetMs: BUDGET_MS, signal }));
}

/** Older records have no findings: what only the text of the manifests told is not known of them. Others say in words only what a fault is. */
const withFields = ({ object, ...rest }: GateObject): GateObject => {
  const { fields } = rest as Partial<GateObject>;
  if (fields === undefined) return { object, fields: findFields(object, undefined) };
  const faults = fields.faults.map((fault) => {
    const { kind = fault.text.startsWith('unknown field ') ? 'unknown' : 'duplicate' } = fault as Partial<typeof fault>;
    return { ...fault, kind };
  });
  return { object, fields: { ...fields, faults } };
};

/** What the API server answered, by the values of the objects. */
function answersOf(objects: GateQuestion['objects'], dryRuns: readonly GateDryRun[]) {
  const ofPods = new Map<JsonObject, DryRunAnswer>();
  const ofObjects = new Map<JsonObject, ObjectDryRun>();
  for (const { index, tried } of dryRuns) {
    const { value } = objects[index]!.object;
    const [ofPod, ofObject] = [tried.pod?.answer ?? null, tried.object?.answer ?? null];
    if (ofPod !== null) ofPods.set(value, ofPod);
    if (ofObject !== null) ofObjects.set(value, ofObject);
  }
  return { dryRuns: ofPods, objectDryRuns: ofObjects };
}

const responsesOf = ({ objects, dryRuns = [] }: GateQuestion, state: ClusterState, now: Date) =>
  dryRuns.flatMap(({ index, tried }) => {
    const { object } = objects[index]!;
    const { kind, name, namespace = 'default' } = object;
    return dryRunResponses({ kind, name, namespace }, tried, newPodOf(object, state.rules.minor), { state, now });
  });

/** The profiles of a given configuration, each made once. */
function profilesIn(
  configuration: JsonObject,
  gates: TolerationGates,
): (schedulerName: string) => SchedulingProfile | undefined {
  const given = checkedConfiguration(configuration, '/configuration');
  const made = new Map<string, SchedulingProfile | undefined>();
  return (name) => {
    if (!made.has(name)) {
      const profile = profileNamed(given, name);
      made.set(name, profile && profilePlugins(profile, gates));
    }
    return made.get(name);
  };
}

const reasonOf = ({ code, verdict, message, object, pods }: GateAnswer['reasons'][number]): DecisionReason => ({
  code,
  verdict: verdict === 'no' ? 'no' : 'unknown',
  message,
  object: object === null ? null : { kind: object.kind, namespace: object.namespace ?? '', name: object.name },
  count: pods === 0 ? null : pods,
});

function workloadsOf({ rollout, objects }: Gate): readonly DecisionWorkload[] {
  return rollout.workloads.flatMap(({ object }) => {
    const sent = object === undefined ? undefined : objects[object];
    return sent === undefined ? [] : [{ kind: sent.kind, namespace: sent.namespace ?? '', name: sent.name }];
  });
}
