import type { AttributedChange, FoundState, IntentOutcome, TaintAttempt, UnprovenWrite } from './attributed-change.js';
import { type AttributionExplanation, explainAttribution, explainOwners } from './explain-attribution.js';
import type { TrailRecordKind } from './trail-record.js';

type Body = Readonly<Record<string, unknown>>;

/** Who asked this service for something, as the record has it. */
interface Asker {
  readonly username: string;
  readonly kind?: string;
}

/** What a record of the trail proves, and what it does not, in sentences. */
export function explainRecord(kind: TrailRecordKind, body: Body): AttributionExplanation {
  switch (kind) {
    case 'request':
      return explainRequest(body);
    case 'change':
      return body['channel'] === 'api' ? explainRequest(body) : explainAttribution(body as unknown as AttributedChange);
    case 'found':
      return explainFound(body as unknown as FoundState);
    case 'intent':
      return explainOutcome(body as unknown as IntentOutcome);
    case 'attempt':
      return explainAttempt(body as unknown as TaintAttempt);
    case 'write':
      return explainWrite(body as unknown as UnprovenWrite);
    case 'withdrawn':
      return {
        proves: ['The record that it names was made from less evidence than there is now, which says otherwise.'],
        doesNotProve: ['That nothing happened: other records say what the evidence bears out.'],
      };
    case 'closed':
      return {
        proves: [`The cluster was deleted here by ${nameIn(body)}, and nothing was recorded since.`],
        doesNotProve: [],
      };
  }
}

function explainRequest(body: Body): AttributionExplanation {
  const { kind } = (body['by'] ?? {}) as Partial<Asker>;
  const { onBehalfOf } = body;
  return {
    proves: [
      'It was asked for through this service at this time, and recorded in the transaction that stored it.',
      ...(kind === 'token' || kind === 'oidc'
        ? ['The service authenticated the caller; the request itself had no say in who is named.']
        : kind === 'service'
          ? ['The service made it itself, since the time of another change was over.']
          : []),
    ],
    doesNotProve: [
      ...(kind === 'anonymous' ? ['Who the caller was: the service asked nobody for a name.'] : []),
      ...(typeof onBehalfOf === 'string' ? [`That ${onBehalfOf} wanted it: the caller said so.`] : []),
      'That the cluster has it: it is an intent, until a snapshot or an audit event shows what became of it.',
    ],
  };
}

function explainFound({ state, lastWriters }: FoundState): AttributionExplanation {
  const proves = ['This stood on the node when the node was first seen.'];
  const doesNotProve = ['When it was put there, and whether more stood there before.'];
  const owned = [
    ...(state.taints.length > 0 ? [explainOwners(lastWriters?.taints)] : []),
    ...(state.unschedulable ? [explainOwners(lastWriters?.unschedulable)] : []),
  ];
  for (const said of owned) {
    proves.push(...said.proves);
    doesNotProve.push(...said.doesNotProve);
  }
  return { proves: [...new Set(proves)], doesNotProve: [...new Set(doesNotProve)] };
}

function explainOutcome({ status, saidBy }: IntentOutcome): AttributionExplanation {
  const witness =
    saidBy === undefined
      ? 'The evidence'
      : 'auditID' in saidBy
        ? `The audit event ${saidBy.auditID}`
        : `The snapshot of ${saidBy.observation.at}`;
  switch (status) {
    case 'confirmed':
      return {
        proves: [`${witness} shows the node as the change left it.`],
        doesNotProve: saidBy !== undefined && 'auditID' in saidBy ? [] : ['Who carried it to the cluster, and when.'],
      };
    case 'notApplied':
      return {
        proves: [`${witness} shows the node as it was before the change.`],
        doesNotProve: ['That it never stood in between: it may have come and gone unseen.'],
      };
    case 'overwritten':
      return {
        proves: [`${witness} shows what is neither the node before the change nor the node after it.`],
        doesNotProve: ['Whether the change came to the cluster and was overwritten, or never came whole.'],
      };
    case 'recorded':
      return { proves: ['Nothing has been seen yet that would decide.'], doesNotProve: [] };
  }
}

function explainAttempt({ by, outcome, code, requested }: TaintAttempt): AttributionExplanation {
  const known = typeof requested.taints === 'object' || typeof requested.unschedulable === 'object';
  const asked = known
    ? []
    : ['What exactly it asked for: its body was not written down, or does not set the fields whole.'];
  const who =
    by === undefined
      ? 'Somebody whom the API server did not know made this request'
      : 'The API server authenticated this user, who made this request';
  switch (outcome) {
    case 'refused':
      return {
        proves: [`${who}; it refused it${code === undefined ? '' : ` (${code})`}, and nothing changed by it.`],
        doesNotProve: asked,
      };
    case 'dryRun':
      return { proves: [`${who} as a dry run: nothing changed by it.`], doesNotProve: asked };
    case 'failed':
      return {
        proves: [`${who}; it failed${code === undefined ? '' : ` (${code})`}.`],
        doesNotProve: [...asked, 'That nothing changed by it, where it failed after the write.'],
      };
    case 'unknown':
      return { proves: [`${who}.`], doesNotProve: [...asked, 'What came of it: no event tells the end of it.'] };
  }
}

function explainWrite({ by, seen }: UnprovenWrite): AttributionExplanation {
  const who =
    by === undefined
      ? 'The API server accepted a write to this node.'
      : 'The API server authenticated this user and accepted a write to this node.';
  const proves = [who];
  const doesNotProve = ['What it wrote: an event of level Metadata, or one cut short, proves a write, not which.'];
  if (seen === 'noChangeSeen') proves.push('What was seen next of its taints and cordon is as before.');
  if (seen === 'noChangeSeen')
    doesNotProve.push('That it left them alone: what it changed may have been changed back.');
  if (seen === 'notSeenSince')
    doesNotProve.push('Whether it touched taints or the cordon: the node was not seen since.');
  return { proves, doesNotProve };
}

function nameIn(body: Body): string {
  const { username } = (body['by'] ?? {}) as Partial<Asker>;
  return username ?? 'somebody';
}
