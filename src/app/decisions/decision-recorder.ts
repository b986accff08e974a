import type { decisionRef } from '../../contract/decisions/decision.js';
import type { Response } from '../../contract/schema.js';
import type { JsonObject } from '../../core/json/json-value.js';
import { stringifyJson } from '../../core/json/lossless-json.js';
import { stepPlainJson } from '../../core/json/step-plain-json.js';
import type { DecisionHead, DecisionType } from '../../storage/decisions/decision.js';
import { DecisionStore } from '../../storage/decisions/decision-store.js';
import type { Revision } from '../../storage/revision.js';
import { givenOf } from '../reads/given-scenario.js';
import type { ReadAt } from '../reads/read-at.js';
import type { StateReading } from '../reads/read-state.js';
import type { RequestContext } from '../request-context.js';
import { TimeSlices } from '../states/time-slices.js';
import { WithheldValues } from '../withheld-values.js';
import { stepCanonicalJson } from './canonical-json.js';
import type { DecisionAnswer } from './decision-answerer.js';
import { stepWithheldSecrets } from './withhold-secrets.js';

/** A decision to record. */
export interface NewDecision {
  readonly type: DecisionType;
  /**
   * The question as JSON, with its defaults and without `revision`, `at`, `maxAge`, `intents` and `scenario`. Manifests are objects: secrets can
   * be withheld from them, but not from text.
   */
  readonly question: object;
  /** What the question was answered on. The id of its basis becomes that of the decision. */
  readonly reading: StateReading & { readonly revision: Pick<Revision, 'clusterId'> };
  /** How the state was selected: its intents and scenario are part of the question. */
  readonly readAt: ReadAt;
  readonly answer: DecisionAnswer;
}

export type DecisionRef = Response<typeof decisionRef>;

/** A larger question is kept as a hash only, in characters. */
export const MAX_QUESTION = 1024 * 1024;
/** A larger answer is kept as a hash only, in characters. Postgres compresses what it stores. */
export const MAX_ANSWER = 4 * 1024 * 1024;

/** Puts answers on record. */
export class DecisionRecorder {
  constructor(private readonly store: Pick<DecisionStore, 'add'>) {}

  /**
   * Resolves when the decision is stored: an answer never names one that is not.
   * @throws {StorageError} the decision cannot be stored, which makes the request fail with 503
   */
  async record(
    { type, question, reading, readAt, answer }: NewDecision,
    context: RequestContext,
  ): Promise<DecisionRef> {
    const { basis, revision, state } = reading;
    const { caller, now } = context;
    const { verdict, summary, reasons, workloads } = answer;
    const slices = new TimeSlices();
    const asked = (await slices.run(stepPlainJson({ ...question, ...whereAsked(readAt) }))) as JsonObject;
    const { hash: questionHash, text } = await slices.run(stepCanonicalJson(asked));
    const withheld = await slices.run(stepWithheldSecrets(asked));
    const kept = withheld.count === 0 ? text : (await slices.run(stepCanonicalJson(withheld.question))).text;
    const answered = await slices.run(stepCanonicalJson(answer.answer));
    const texts = [summary, stringifyJson(reasons), kept, answered.text];
    const taintValues = await slices.run(stepValuesIn(texts, reading, asked, answer.answer));
    await this.store.add({
      id: basis.decisionId,
      clusterId: revision.clusterId,
      clusterName: basis.cluster,
      revision: basis.revision,
      rulesVersion: basis.rulesVersion,
      askedAt: now,
      caller: { name: caller.name, kind: caller.kind, issuer: caller.issuer ?? null },
      type,
      verdict,
      summary,
      reasons,
      workloads,
      taintValues,
      questionHash,
      question: kept.length > MAX_QUESTION ? null : kept,
      withheldValues: withheld.count,
      answerHash: answered.hash,
      answer: answered.text.length > MAX_ANSWER ? null : answered.text,
    });
    if (!context.access.seesTaintValues(basis.cluster)) context.withheld.addState(state);
    return { id: basis.decisionId, askedAt: now, questionHash, answerHash: answered.hash };
  }
}

/** How a question selects its state, besides the revision, in the form of a request. */
function whereAsked({ intents, scenario, rulesVersion }: ReadAt): object {
  return {
    ...(intents !== undefined && { intents }),
    ...(rulesVersion !== undefined && { rulesVersion }),
    ...(scenario !== undefined && { scenario: givenOf(scenario.scenario) }),
  };
}

/** The values of taints and tolerations that occur in the texts, for masking them later, when the state may be gone. */
function* stepValuesIn(
  texts: readonly string[],
  { state }: StateReading,
  ...sources: readonly object[]
): Generator<undefined, DecisionHead['taintValues']> {
  const values = new WithheldValues();
  values.addState(state);
  for (const source of sources) values.addSource(source);
  const found: DecisionHead['taintValues'][number][] = [];
  for (const [key, ofKey] of yield* values.stepByKey()) {
    for (const value of ofKey) {
      const written = JSON.stringify(value).slice(1, -1);
      if (texts.some((text) => text.includes(written))) found.push({ key, value });
      yield;
    }
  }
  return found;
}
