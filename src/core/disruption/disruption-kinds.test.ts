import { describe, expect, it } from '@jest/globals';
import { disruptionOf, DISRUPTION_KIND_NAMES, DISRUPTION_KINDS } from './disruption-kinds.js';

const target = (status: string, reason?: string): Parameters<typeof disruptionOf>[0] => ({
  status: {
    conditions: [
      { type: 'Ready', status: 'False' },
      {
        type: 'DisruptionTarget',
        status,
        ...(reason !== undefined && { reason }),
        message: 'm',
        lastTransitionTime: 't',
      },
    ],
  },
});

describe('disruptionOf', () => {
  it.each(DISRUPTION_KINDS.map(({ kind, reason }) => [reason, kind]))('maps %s to %s', (reason, kind) => {
    expect(disruptionOf(target('True', reason))).toEqual({ kind, reason, message: 'm', since: 't', stands: true });
  });

  it('reports that a condition was reset', () => {
    expect(disruptionOf(target('False'))).toMatchObject({ kind: undefined, reason: '', stands: false });
  });

  it('returns no kind for an unknown reason', () => {
    expect(disruptionOf(target('True', 'constructor'))).toMatchObject({
      kind: undefined,
      reason: 'constructor',
      stands: true,
    });
  });

  it('returns undefined for a pod without the condition', () => {
    expect(disruptionOf({ status: { conditions: [{ type: 'Ready', status: 'True' }] } })).toBeUndefined();
    expect(disruptionOf({})).toBeUndefined();
  });

  it('has each kind once, in order of name', () => {
    expect(DISRUPTION_KINDS.map(({ kind }) => kind)).toEqual(DISRUPTION_KIND_NAMES);
  });
});
