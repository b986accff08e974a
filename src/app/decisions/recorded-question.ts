import type { JsonObject } from '../../core/json/json-value.js';
import type { ServiceError } from '../errors/service-error.js';
import type { ReadAt } from '../reads/read-at.js';
import type { DecisionAnswerer } from './decision-answerer.js';

/** A recorded question that can be answered again. */
export interface RecordedQuestion {
  readonly cluster: string;
  readonly answerer: DecisionAnswerer;
  readonly question: JsonObject;
  /** The intents and the scenario of the question. */
  readonly readAt: Pick<ReadAt, 'intents' | 'scenario' | 'rulesVersion'>;
}

/** Errors of a question on a state, as opposed to those of the service or the caller. */
export function isAboutQuestion({ code }: ServiceError): boolean {
  return ['invalid-request', 'invalid-object', 'admission-refused', 'object-not-found', 'invalid-scenario'].includes(
    code,
  );
}
