import type { AppliedRecord } from './application-record.js';
import type { AttributedChange, FoundState, IntentOutcome, TaintAttempt, UnprovenWrite } from './attributed-change.js';
import { type AttributionExplanation, explainAttribution, explainOwners } from './explain-attribution.js';
import { ruleOf } from './rule-subject.js';
import type { TrailRecordKind } from './trail-record.js';

type Body = Readonly<Record<string, unknown>>;

/** The client that requested something from this service, as recorded. */
interface Asker {
  readonly username: string;
  readonly kind?: string;
}

/** What a record of the trail proves, and what it does not. */
export function explainRecord(kind: TrailRecordKind, body: Body): AttributionExplanation {
  const { proves, doesNotProve } = explained(kind, body);
  const { node } = body;
  if (typeof node !== 'string' || ruleOf(node) === undefined) return { proves, doesNotProve };
  const ofRule = (text: string): string => text.replaceAll(/\b([Tt]he|this) node\b/g, '$1 rule');
  return { proves: proves.map(ofRule), doesNotProve: doesNotProve.map(ofRule) };
}

/** Of a node; of a rule the same is known. */
function explained(kind: TrailRecordKind, body: Body): AttributionExplanation {
  switch (kind) {
    case 'request':
      return explainRequest(body);
    case 'change':
      return body['channel'] === 'api' ? explainRequest(body) : explainAttribution(body as unknown as AttributedChange);
    case 'found':
      return explainFound(body as unknown as FoundState);
    case 'intent':
      return explainOutcome(body as unknown as IntentOutcome);
    case 'application':
      return {
        proves: ['The service was told to write this change to the cluster, or ended that, at this time.'],
        doesNotProve: ['What became of the nodes: each has a record of its own.'],
      };
    case 'applied':
      return explainApplied(body as unknown as AppliedRecord);
    case 'attempt':
      return explainAttempt(body as unknown as TaintAttempt);
    case 'write':
      return explainWrite(body as unknown as UnprovenWrite);
    case 'withdrawn':
      return {
        proves: ['The withdrawn record was based on less evidence. The evidence available later contradicts it.'],
        doesNotProve: ['That nothing happened: other records contain what the evidence supports.'],
      };
    case 'approval':
      return {
        proves: [
          'It was said through this service at this time, and recorded in the same transaction.',
          'The service authenticated the client. The name is not taken from the request.',
        ],
        doesNotProve: ['That the change was made: a record of kind request says so.'],
      };
    case 'closed':
      return {
        proves: [`${nameIn(body)} deleted the cluster in this service, and nothing was recorded since.`],
        doesNotProve: [],
      };
  }
}

function explainRequest(body: Body): AttributionExplanation {
  const { kind } = (body['by'] ?? {}) as Partial<Asker>;
  const { onBehalfOf } = body;
  return {
    proves: [
      'It was requested through this service at this time, and recorded in the same transaction.',
      ...(kind === 'token' || kind === 'oidc'
        ? ['The service authenticated the client. The name is not taken from the request.']
        : kind === 'service'
          ? ['The service itself made the change, because another change expired.']
          : []),
    ],
    doesNotProve: [
      ...(kind === 'anonymous' ? ['Who the client was: the service does not require authentication.'] : []),
      ...(typeof onBehalfOf === 'string' ? [`That ${onBehalfOf} wanted it: this is the client's claim.`] : []),
      'That the change reached the cluster: it is an intent until a snapshot or an audit event shows its outcome.',
    ],
  };
}

function explainFound({ state, lastWriters }: FoundState): AttributionExplanation {
  const proves = ['The node had this when it was first observed.'];
  const doesNotProve = ['When it was added, and whether the node had more before.'];
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
        doesNotProve: saidBy !== undefined && 'auditID' in saidBy ? [] : ['Who applied it to the cluster, and when.'],
      };
    case 'notApplied':
      return {
        proves: [`${witness} shows the node as it was before the change.`],
        doesNotProve: [
          'That the change was never applied in between: it may have been applied and reverted unobserved.',
        ],
      };
    case 'overwritten':
      return {
        proves: [`${witness} shows neither the node before the change nor the node after it.`],
        doesNotProve: ['Whether the change was applied and then overwritten, or never completely applied.'],
      };
    case 'recorded':
      return { proves: ['There is no evidence of the outcome yet.'], doesNotProve: [] };
  }
}

function explainApplied({ outcome, saidBy, resourceVersion }: AppliedRecord): AttributionExplanation {
  switch (outcome) {
    case 'written':
      return {
        proves: [
          saidBy === 'answer'
            ? `The API server answered that it stored the change as version ${resourceVersion ?? 'unknown'} of the node.`
            : 'The answer of the API server was lost. The node has the change, and its managedFields name this service as the last writer.',
        ],
        doesNotProve: ['That the node still has the change: others may have written since.'],
      };
    case 'unchanged':
      return {
        proves: ['The node had the change when it was read.'],
        doesNotProve: ['Who made it.'],
      };
    case 'refused':
    case 'failed':
      return {
        proves: ['This service did not write the change to the node.'],
        doesNotProve: ['That nobody else does.'],
      };
    case 'unknown':
      return {
        proves: ['A write was sent to the API server.'],
        doesNotProve: ['That it was stored: the API server did not answer, and the node could not be read afterwards.'],
      };
  }
}

function explainAttempt({ by, outcome, code, requested }: TaintAttempt): AttributionExplanation {
  const known = typeof requested.taints === 'object' || typeof requested.unschedulable === 'object';
  const asked = known
    ? []
    : ['What exactly it requested: its body was not logged, or does not set the complete fields.'];
  const who =
    by === undefined
      ? 'A client that the API server could not identify made this request'
      : 'The API server authenticated this user, who made this request';
  switch (outcome) {
    case 'refused':
      return {
        proves: [`${who}. The API server refused it${code === undefined ? '' : ` (${code})`}, so it changed nothing.`],
        doesNotProve: asked,
      };
    case 'dryRun':
      return { proves: [`${who} as a dry run, which changed nothing.`], doesNotProve: asked };
    case 'failed':
      return {
        proves: [`${who}. It failed${code === undefined ? '' : ` (${code})`}.`],
        doesNotProve: [...asked, 'That it changed nothing: it may have failed after the write.'],
      };
    case 'unknown':
      return { proves: [`${who}.`], doesNotProve: [...asked, 'Its outcome: there is no event for its completion.'] };
  }
}

function explainWrite({ by, seen }: UnprovenWrite): AttributionExplanation {
  const who =
    by === undefined
      ? 'The API server accepted a write to this node.'
      : 'The API server authenticated this user and accepted a write to this node.';
  const proves = [who];
  const doesNotProve = [
    'What it wrote: an event of level Metadata, or a truncated one, proves that a write happened, not what it changed.',
  ];
  if (seen === 'noChangeSeen') proves.push('The next observation shows the same taints and cordon as before.');
  if (seen === 'noChangeSeen') doesNotProve.push('That it did not change them: a change may have been reverted.');
  if (seen === 'notSeenSince')
    doesNotProve.push('Whether it changed taints or the cordon: the node has not been observed since.');
  return { proves, doesNotProve };
}

function nameIn(body: Body): string {
  const { username } = (body['by'] ?? {}) as Partial<Asker>;
  return username ?? 'somebody';
}
