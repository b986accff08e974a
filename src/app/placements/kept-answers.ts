import { createHash } from 'node:crypto';
import { stringifyJson } from '../../core/json/lossless-json.js';
import type { Basis } from '../reads/basis.js';
import { stateUnderGates } from '../reads/state-under-gates.js';
import type { AskedPlacement } from './evaluate-placement.js';
import type { EvaluatedPlacement } from './evaluated-placement.js';
import { EvaluatedPlacements } from './evaluated-placements.js';
import { lengthOf, writeParts, type JsonParts } from './json-parts.js';
import type { PlacementQuestion } from './placement-request.js';
import type { PlacementOptions, PlacementResponse } from './render-placement.js';

/** An answer without what differs each time: its age, and its decision id. */
export type AnswerWithoutBasis = Omit<PlacementResponse, 'basis'>;

/** The cached answer to a request, or the place for it. */
export interface AnswerPlace {
  /** The JSON of the answer, of one that is cached. */
  readonly bytes?: Buffer;
  /** Caches an answer, of a request that occurs again, or else its evaluation. @returns its JSON */
  readonly keep?: (response: PlacementResponse, evaluated: EvaluatedPlacement) => Buffer;
}

/**
 * Answers to placements as JSON, by state and by all that they depend on besides it. Permissions, manifests and the state have been checked before one is
 * looked up, and the basis is written anew each time.
 */
export class KeptAnswers {
  constructor(private readonly known: EvaluatedPlacements) {}

  /** @param write the JSON of an answer, as an object with a member at least */
  placeOf(
    request: PlacementQuestion & PlacementOptions,
    { hash, reading: { basis, state: stored } }: AskedPlacement,
    write: (answer: AnswerWithoutBasis) => JsonParts,
  ): AnswerPlace {
    // A ranking may be drawn, and new nodes depend on more than the state.
    if (request.ranking === true || request.newNodes === true) return {};
    const state = stateUnderGates(stored, request.featureGates);
    const key = keyOf(request, hash, basis);
    const kept = this.known.answer(state, key);
    if (kept !== undefined) return { bytes: withBasis(kept, basis) };
    const before = this.known.noteAnswer(key);
    if (before === undefined) return {};
    return {
      keep: ({ basis: ofResponse, ...rest }, evaluated) => {
        const json = write(rest);
        const isKept = this.known.keepAnswer(state, key, json, before);
        if (!isKept) this.known.keepEvaluation(state, hash, evaluated, before);
        return withBasis(json, ofResponse);
      },
    };
  }
}

/** What an answer depends on besides the state and its rules. Tokens of pages have the revision and what selects it. */
function keyOf(request: PlacementOptions, hash: string, basis: Basis): string {
  const { view, detail, fixes, limit, continue: after, nodes, verdict } = request;
  const { cluster, revision, kubernetesVersion, scenario, intents } = basis;
  const options = [view, detail, fixes, limit, after, nodes?.names, nodes?.labelSelector, verdict];
  const parts = [hash, cluster, revision, kubernetesVersion, scenario?.hash, intents.included, ...options];
  const text = JSON.stringify(parts.map((part) => part ?? null));
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}

function withBasis(rest: JsonParts, basis: PlacementResponse['basis']): Buffer {
  const start = `{"basis":${stringifyJson(basis)},`;
  const length = Buffer.byteLength(start);
  // The rest follows in place of its opening bracket.
  const whole = Buffer.allocUnsafe(length - 1 + lengthOf(rest));
  writeParts(rest, whole, length - 1);
  whole.write(start);
  return whole;
}
