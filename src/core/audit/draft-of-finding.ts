import type { TaintIntent } from './evidence.js';
import type { TrailAddition, TrailFinding } from './trail-finding.js';
import { taintsTouched, type TrailDraft, type TrailIndex } from './trail-record.js';

/**
 * Converts an addition to the trail to a record.
 *
 * @param intents those of the node, by ID; the outcome of an intent is indexed with its content
 */
export function draftOf(addition: TrailAddition, intents: ReadonlyMap<string, TaintIntent>): TrailDraft {
  if ('withdraws' in addition) {
    const { sequence, finding } = addition.withdraws;
    return {
      kind: 'withdrawn',
      supersedes: [sequence],
      body: {
        node: finding.node,
        withdraws: sequence,
        reason: 'Later evidence does not support this record.',
      },
      index: indexOf(finding, intents),
    };
  }
  const { finding, supersedes } = addition;
  const index = indexOf(finding, intents);
  const replaces = supersedes.length > 0 && { supersedes };
  if (finding.kind === 'intent') {
    const { kind, id, node, status, saidBy } = finding;
    return { kind, ...replaces, body: { node, change: id, status, ...(saidBy !== undefined && { saidBy }) }, index };
  }
  const { kind, ...body } = finding;
  return { kind, ...replaces, body, index };
}

function indexOf(finding: TrailFinding, intents: ReadonlyMap<string, TaintIntent>): TrailIndex {
  const { node } = finding;
  switch (finding.kind) {
    case 'change': {
      const { difference, set, by, when, channel } = finding;
      return {
        node,
        ...(when.kind === 'interval' && when.from !== undefined && { happenedFrom: when.from }),
        happenedAt: when.kind === 'point' ? when.at : when.to,
        ...(by !== undefined && { author: by.username }),
        channel,
        taints: difference === null ? (set?.taints ?? []) : taintsTouched(difference),
      };
    }
    case 'found': {
      const { when, channel, state } = finding;
      return {
        node,
        ...(when.kind === 'interval' && when.from !== undefined && { happenedFrom: when.from }),
        happenedAt: when.kind === 'point' ? when.at : when.to,
        channel,
        taints: state.taints,
      };
    }
    case 'attempt':
    case 'write': {
      const taints = finding.kind === 'attempt' ? finding.requested.taints : undefined;
      return {
        node,
        happenedAt: finding.at,
        ...(finding.by !== undefined && { author: finding.by.username }),
        channel: 'auditEvent',
        taints: typeof taints === 'object' ? taints.value : [],
      };
    }
    case 'intent': {
      const intent = intents.get(finding.id);
      const observed = finding.saidBy !== undefined && 'observation' in finding.saidBy ? finding.saidBy : undefined;
      return {
        node,
        changeId: finding.id,
        happenedAt: observed?.observation.at ?? intent?.at ?? '1970-01-01T00:00:00Z',
        ...(intent !== undefined && { author: intent.author }),
        channel: observed === undefined ? 'auditEvent' : 'snapshot',
        taints: intent === undefined ? [] : taintsTouched(intent.difference),
      };
    }
  }
}
