import { API_SERVER, type ObjectDryRun } from '../admission/dry-run.js';
import { PolicyWork } from '../admission/policies/policy-work.js';
import { defined } from '../collections/defined.js';
import type { JsonObject } from '../json/json-value.js';
import type { ClusterState } from '../cluster/cluster-state.js';
import {
  checkFields,
  findFields,
  findingsOfChanged,
  type FieldCheck,
  type FieldFindings,
  type FieldValidation,
} from '../kubernetes/manifests/check-fields.js';
import type { ManifestServer } from '../kubernetes/cluster-version.js';
import type { ManifestObject, ManifestSource } from '../kubernetes/manifests/manifest-object.js';
import { checkKind } from '../kubernetes/manifests/served-kinds.js';
import type { ObjectOutcome, Rollout, RolloutOptions } from '../rollout/rollout.js';
import { stepRollout } from '../rollout/step-rollout.js';
import { groupDoubts } from './group-doubts.js';
import { stepGateWarnings, type GateWarning } from './gate-warnings.js';
import { judgeRollout, type Doubt, type GateReason, type Judgement } from './judge-rollout.js';
import type { GateChange, GateSubject } from './proposal/change.js';
import { changesFor, lastResortsFor } from './proposal/changes-for.js';
import { proposedChanges, type ProposedChange } from './proposal/proposed-changes.js';
import { ObjectReviews, type ObjectReview } from './review-object.js';
import { stepProposal, type JudgedSubject } from './proposal/step-proposal.js';

/** An object of the request, and what was found in its fields when it was read. */
export interface GateObject {
  readonly object: ManifestObject;
  readonly fields: FieldFindings;
}

export interface GateOptions extends RolloutOptions {
  readonly fieldValidation: FieldValidation;
  /** Whether to look for changes that make the verdict `yes`. */
  readonly proposes: boolean;
  /** The cluster's version, if its rules are not known: which kinds it serves, and which fields a newer one has, is not known either. */
  readonly unknownVersion?: string;
  /** What the API server answered to objects other than pods, by their values. */
  readonly objectDryRuns?: ReadonlyMap<JsonObject, ObjectDryRun>;
}

/** What a gate comes to. */
export interface Gate {
  readonly objects: readonly ManifestObject[];
  readonly rollout: Rollout;
  /** What may refuse each object and is not known, besides what the rollout says. */
  readonly doubts: readonly (readonly Doubt[])[];
  readonly judgement: Judgement;
  readonly warnings: readonly GateWarning[];
  /** Undefined if the verdict is not `no`, none was looked for, or none was found. */
  readonly proposal: readonly ProposedChange[] | undefined;
  /** What was not looked for, or not found, as a sentence; undefined if a proposal is there or is not wanted. */
  readonly searchNote: string | undefined;
}

/** Whole gates that a proposal may cost; with fewer than the second it would find nothing. */
const MOST_JUDGEMENTS = 48;
const FEWEST_JUDGEMENTS = 4;
/** What all of them together may take, about in microseconds. */
const MOST_WORK = 2_000_000;
/** What a gate takes besides the attempts of the scheduler: by node, and by object. */
const OF_NODE = 1;
const OF_OBJECT = 200;

/**
 * Whether manifests can be deployed to a cluster and run there: every object is decoded and admitted, controllers create the pods, and
 * the scheduler places them, one after another. The same question has the same answer: nothing depends on the time that it takes.
 *
 * @throws QuantityError never: manifests with invalid quantities are refused like any other
 */
export function* stepGate(
  state: ClusterState,
  given: readonly GateObject[],
  asked: GateOptions,
): Generator<undefined, Gate> {
  // Policies judge the same pods in every evaluation of a proposal.
  const options = { ...asked, work: new PolicyWork() };
  const objects = given.map(({ object }) => object);
  const sent = new Map(given.map((one) => [one.object.source, one]));
  const judge = (subject: GateSubject): Generator<undefined, JudgedSubject> => stepJudged(subject, sent, options);
  const judged = yield* judge({ objects, state });
  const { rollout, judgement, doubts, notes } = judged;
  const found: Search =
    options.proposes && judgement.verdict === 'no' ? yield* stepSearch(judged, judge, options) : NO_SEARCH;
  return {
    objects,
    rollout,
    doubts,
    judgement,
    warnings: [
      ...notes.map(({ object, note }): GateWarning => ({ code: 'ApiWarning', message: note, object })),
      ...(yield* stepGateWarnings(objects, state, rollout)),
    ],
    proposal: found.proposal && proposedChanges(objects, found.proposal),
    searchNote: found.note,
  };
}

interface Search {
  readonly proposal: readonly GateChange[] | undefined;
  readonly note: string | undefined;
}

const NO_SEARCH: Search = { proposal: undefined, note: undefined };

/** Looks for changes that make the verdict `yes`. */
function* stepSearch(
  judged: JudgedSubject,
  judge: (subject: GateSubject) => Generator<undefined, JudgedSubject>,
  options: GateOptions & { readonly work: PolicyWork },
): Generator<undefined, Search> {
  const { subject, rollout, judgement } = judged;
  const unknown = judgement.reasons.find(({ verdict }) => verdict === 'unknown');
  if (unknown !== undefined)
    return notFound(`No changes were looked for, because not everything is known: ${unknown.message}.`);
  const work = rollout.work + subject.state.nodes.count * OF_NODE + subject.objects.length * OF_OBJECT;
  const mostJudgements = Math.min(MOST_JUDGEMENTS, Math.floor(MOST_WORK / work));
  if (mostJudgements < FEWEST_JUDGEMENTS) {
    return notFound(
      'No changes were looked for: evaluating the request once takes so long that a search would take too long.',
    );
  }
  const { changes, ended } = yield* stepProposal(judged, {
    judge,
    changesFor: (reason: GateReason, at: JudgedSubject) => changesFor(reason, at, options),
    lastResortsFor,
    mostJudgements,
  });
  if (changes !== undefined) return { proposal: changes, note: undefined };
  switch (ended) {
    case 'spent':
      return notFound(
        `None of the first ${mostJudgements} sets of changes that were tried gives yes; others were not tried.`,
      );
    case 'unknown':
      return notFound('With the changes that help most, the verdict is not known.');
    case 'nothing':
      return notFound('None of the changes that were tried gives yes.');
  }
}

const notFound = (note: string): Search => ({ proposal: undefined, note });

/** What is said of an object before its pods are created. */
interface Reviewed extends ObjectReview {
  /** What of its fields, and of its version, is not known. */
  readonly ofRequest: readonly Doubt[];
}

/** Objects that the API server refuses to decode, and those that its admission refuses, take no part in the rollout. */
function* stepJudged(
  subject: GateSubject,
  given: SentObjects,
  options: GateOptions & { readonly work: PolicyWork },
): Generator<undefined, JudgedSubject> {
  const { objects, state } = subject;
  const reviews = new ObjectReviews(state, objects, options);
  const reviewed: Reviewed[] = [];
  const { unknownVersion } = options;
  const server: ManifestServer = { rules: state.rules, ...defined({ unknownVersion }) };
  for (const object of objects) {
    yield undefined;
    const check = checkFields(object, fieldsOf(object, given), options.fieldValidation, server);
    const review = yield* options.work.steps(() => reviewOf(object, check, server, reviews));
    reviewed.push(confirmed(review, object, options));
  }
  const sent = objects.filter((_, index) => reviewed[index]!.refusal === undefined);
  const rollout = merged(yield* stepRollout(state, sent, options), reviewed);
  const after = yield* rollout.stepState();
  const doubts: (readonly Doubt[])[] = [];
  for (const [index, { ofRequest, doubts: others }] of reviewed.entries()) {
    yield undefined;
    const isRefused = rollout.objects[index]!.outcome === 'refused';
    doubts.push(isRefused ? [] : [...ofRequest, ...others, ...groupDoubts(after, objects[index]!)]);
  }
  const notes = reviewed.flatMap(({ note }, index) => (note === undefined ? [] : [{ object: objects[index]!, note }]));
  return { subject, rollout, doubts, notes, judgement: judgeRollout(objects, rollout, doubts) };
}

/** The review by what the API server answered to the object, or to the pod that it is. */
function confirmed(review: Reviewed, object: ManifestObject, { dryRuns, objectDryRuns }: GateOptions): Reviewed {
  const answer = objectDryRuns?.get(object.value);
  if (answer?.outcome === 'refused') {
    const { code, message } = answer;
    return { ...review, warnings: [], refusal: { code, by: API_SERVER, message }, doubts: [], ofRequest: [] };
  }
  const isAnswered = answer !== undefined || (object.kind === 'Pod' && dryRuns?.has(object.value) === true);
  if (!isAnswered) return review;
  const { refusal, ...rest } = review;
  // What is not known here may well be wrong; a misspelt field is refused by both.
  return { ...rest, ...(refusal?.by === FIELD_VALIDATION && { refusal }), doubts: [], ofRequest: [] };
}

/** What was sent, by its place, which a changed object has in common with it. */
type SentObjects = ReadonlyMap<ManifestSource, GateObject>;

function fieldsOf(object: ManifestObject, given: SentObjects): FieldFindings {
  const sent = given.get(object.source);
  if (sent === undefined) return findFields(object, undefined);
  return sent.object === object ? sent.fields : findingsOfChanged(object, sent.object, sent.fields);
}

function reviewOf(object: ManifestObject, check: FieldCheck, server: ManifestServer, reviews: ObjectReviews): Reviewed {
  const { apiVersion, kind } = object;
  const ofKind = checkKind(apiVersion, kind, server);
  const ofRequest = [
    ...(ofKind.doubt === undefined ? [] : [{ plugin: DISCOVERY, missingKind: null, why: ofKind.doubt }]),
    ...doubtsOf(check),
  ];
  const refused = (code: number, by: string, message: string): Reviewed => ({
    warnings: [],
    refusal: { code, by, message },
    doubts: [],
    ofRequest,
  });
  if (ofKind.refusal !== undefined) return refused(404, DISCOVERY, ofKind.refusal);
  if (check.refusal !== undefined) return refused(check.refusal.status, FIELD_VALIDATION, check.refusal.message);
  const review = reviews.of(object);
  return { ...review, warnings: [...check.warnings, ...review.warnings], ofRequest };
}

/** The rollout of the objects that took part, with the others in their places. */
function merged(rollout: Rollout, reviewed: readonly Reviewed[]): Rollout {
  const places: number[] = [];
  const objects = reviewed.map(({ refusal, warnings }, index): ObjectOutcome => {
    if (refusal !== undefined) return { outcome: 'refused', ...refusal, causes: [], certain: true, undecided: [] };
    const outcome = rollout.objects[places.length]!;
    places.push(index);
    if (outcome.outcome === 'notLookedAt' || outcome.outcome === 'refused' || warnings.length === 0) return outcome;
    return { ...outcome, warnings: [...warnings, ...outcome.warnings] };
  });
  const workloads = rollout.workloads.map((one) => ({
    ...one,
    object: one.object === undefined ? undefined : places[one.object]!,
  }));
  return { ...rollout, objects, workloads };
}

/** What of an object's fields is not known. */
const doubtsOf = ({ doubt, unchecked, merged: twice }: FieldCheck): readonly Doubt[] =>
  [
    ...(doubt === undefined ? [] : [doubt]),
    ...(unchecked === undefined ? [] : [unchecked]),
    ...(twice === undefined
      ? []
      : [`${twice} is there twice, and what the API server makes of both values is not known`]),
  ].map((why) => ({ plugin: FIELD_VALIDATION, missingKind: null, why }));

/** What refuses unknown and duplicate fields. */
export const FIELD_VALIDATION = 'fieldValidation';
/** What tells clients which kinds the API server serves. */
const DISCOVERY = 'discovery';
