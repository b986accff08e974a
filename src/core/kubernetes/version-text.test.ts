import { describe, expect, it } from '@jest/globals';
import { versionText } from './version-text.js';

describe('what makes another version of an object', () => {
  it('is all but the heartbeats of a node', () => {
    const node = (time: string): string =>
      `{"kind":"Node","metadata":{"labels":{"lastHeartbeatTime":"x"}},"status":{"conditions":[{"lastHeartbeatTime":"${time}","message":"\\"lastHeartbeatTime\\":\\"2026\\",","status":"True"}]}}`;
    expect(versionText('Node', node('2026-06-01T00:00:00Z'))).toBe(
      versionText('Node', node('2026-06-01T00:05:00.5+02:00')),
    );
    expect(versionText('Node', node('2026-06-01T00:00:00Z'))).toBe(node('?').replace('"lastHeartbeatTime":"?",', ''));
  });

  it('is all but the renewal of a lease', () => {
    expect(versionText('Lease', '{"spec":{"holderIdentity":"a","renewTime":"2026-06-01T00:00:00.000000Z"}}')).toBe(
      '{"spec":{"holderIdentity":"a"}}',
    );
  });

  it('is the whole of any other object', () => {
    const pod = '{"kind":"Pod","x":[{"lastHeartbeatTime":"2026-06-01T00:00:00Z","a":1}]}';
    expect(versionText('Pod', pod)).toBe(pod);
  });
});
