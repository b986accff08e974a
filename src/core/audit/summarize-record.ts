import { APPLIED_WORDS, type AppliedRecord } from './application-record.js';
import type { AttributedChange, FoundState, TaintAttempt } from './attributed-change.js';
import { formatRecordedTaint, ruleOf } from './rule-subject.js';
import type { TaintDifference } from './taint-difference.js';
import type { TrailRecordKind } from './trail-record.js';

/**
 * A one-line summary of a record, with taints in kubectl's notation; author and time are separate fields.
 *
 * Example: `added dedicated=ml:NoSchedule; cordoned`.
 */
export function summarizeRecord(kind: TrailRecordKind, body: Readonly<Record<string, unknown>>): string {
  const text = (name: string): string => (typeof body[name] === 'string' ? body[name] : 'unknown');
  switch (kind) {
    case 'request':
      return `requested a ${text('action')}: ${text('reason')}`;
    case 'change':
      return summarizeChange(body as unknown as AttributedChange);
    case 'found': {
      const { state } = body as unknown as FoundState;
      return `found ${parts(state.taints.map(formatRecordedTaint).join(', '), state.unschedulable ? 'cordoned' : '')}`;
    }
    case 'intent':
      return `change ${text('change')} is ${text('status')}`;
    case 'application':
      return `applying the change ${text('event')}${typeof body['message'] === 'string' ? `: ${body['message']}` : ''}`;
    case 'applied': {
      const { outcome, code, message } = body as unknown as AppliedRecord;
      const said = [code === undefined ? '' : ` (${code})`, message === undefined ? '' : `: ${message}`].join('');
      return `the change was ${APPLIED_WORDS[outcome]}${outcome === 'written' && code === 200 ? '' : said}`;
    }
    case 'attempt': {
      const { verb, outcome, code } = body as unknown as TaintAttempt;
      return `${verb}: ${outcome}${code === undefined ? '' : ` (${code})`}`;
    }
    case 'write':
      return `${text('verb')}: write with unknown content (${text('seen')})`;
    case 'withdrawn':
      return `withdrew record ${String(body['withdraws'])}`;
    case 'approval':
      return `${APPROVAL_STEPS[text('step')] ?? 'approval'}: ${text('reason')}`;
    case 'closed':
      return 'the cluster was deleted in this service';
  }
}

const APPROVAL_STEPS: Readonly<Record<string, string>> = {
  asked: 'asked for approval',
  askedAgain: 'asked for approval again',
  approved: 'approved the change',
  rejected: 'rejected the change',
  expired: 'was not approved in time',
};

function summarizeChange({ node: subject, difference, set, life }: AttributedChange): string {
  const node = life === undefined ? '' : `the ${ruleOf(subject) === undefined ? 'node' : 'rule'} was ${life}`;
  if (difference !== null) return parts(node, ...partsOf(difference));
  const taints = set?.taints;
  const cordon = set?.unschedulable;
  return parts(
    node,
    taints === undefined ? '' : `set the taints to ${taints.map(formatRecordedTaint).join(', ') || 'none'}`,
    cordon === undefined ? '' : cordon ? 'cordoned' : 'uncordoned',
  );
}

function partsOf({ added, removed, changed, cordon }: TaintDifference): readonly string[] {
  const list = (verb: string, taints: readonly string[]): string =>
    taints.length === 0 ? '' : `${verb} ${taints.join(', ')}`;
  return [
    list('added', added.map(formatRecordedTaint)),
    list('removed', removed.map(formatRecordedTaint)),
    list(
      'changed',
      changed.map(({ before, after }) => `${formatRecordedTaint(before)} to ${formatRecordedTaint(after)}`),
    ),
    cordon ?? '',
  ];
}

const parts = (...all: readonly string[]): string => all.filter((part) => part !== '').join('; ') || 'only labels';
