import type { decision, decisionRecord } from '../../contract/decisions/decision.js';
import type { Response } from '../../contract/schema.js';
import { parseJson } from '../../core/json/lossless-json.js';
import type { Decision, DecisionHead } from '../../storage/decisions/decision.js';
import { authorize } from '../authorize.js';
import { ServiceError } from '../errors/service-error.js';
import type { RequestContext } from '../request-context.js';
import { MAX_QUESTION } from './decision-recorder.js';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Finds a decision that the caller may read. */
export async function visibleDecision(
  store: { get(id: string): Promise<Decision | undefined> },
  id: string,
  permission: 'read' | 'evaluate',
  context: RequestContext,
): Promise<Decision> {
  const found = UUID.test(id) ? await store.get(id) : undefined;
  if (found === undefined || !context.access.sees(found.clusterName)) {
    throw new ServiceError('decision-not-found', `There is no decision ${JSON.stringify(id)}.`);
  }
  authorize(context, permission, found.clusterName);
  return found;
}

/** A decision as the API returns it; its values of taints are added to those that the response must not show. */
export function presentHead(found: DecisionHead, context: RequestContext): Response<typeof decision> {
  if (!context.access.seesTaintValues(found.clusterName)) context.withheld.addSource(found.taintValues);
  const { id, clusterName: cluster, clusterId, revision, rulesVersion, askedAt, caller, type, verdict } = found;
  const { summary, workloads, questionHash, answerHash } = found;
  return {
    ...{ id, cluster, clusterId, revision, rulesVersion, askedAt, caller, type, verdict, summary, workloads },
    questionHash,
    answerHash,
  };
}

/** The same with the question and the answer. */
export function presentDecision(found: Decision, context: RequestContext): Response<typeof decisionRecord> {
  const { reasons, question, answer, withheldValues } = found;
  const seen = seesQuestion(found, context);
  return {
    ...presentHead(found, context),
    reasons,
    question: seen && question !== null ? parseJson(question) : null,
    questionNote: seen ? questionNote(question, withheldValues) : NOT_SHOWN,
    answer: answer === null ? null : parseJson(answer),
  };
}

const NOT_SHOWN =
  'The question is shown only to the caller who asked it, and to auditors, if they may see taint values.';

function questionNote(question: string | null, withheldValues: number): string | null {
  if (question === null) return `The question has more than ${MAX_QUESTION} characters; only its hash is kept.`;
  if (withheldValues === 0) return null;
  return `${withheldValues} values that may be secrets are replaced by "withheld".`;
}

/** Manifests may be confidential, and hold the values of tolerations. */
function seesQuestion({ clusterName, caller }: DecisionHead, context: RequestContext): boolean {
  const { access, caller: reader } = context;
  if (!access.seesTaintValues(clusterName)) return false;
  const isAsker =
    reader.name === caller.name && reader.kind === caller.kind && (reader.issuer ?? null) === caller.issuer;
  return isAsker || access.may('audit', clusterName);
}
