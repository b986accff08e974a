/** A heartbeat as canonical JSON has it: a time, which no label can be. */
const HEARTBEATS: Readonly<Record<string, RegExp>> = {
  Node: /"lastHeartbeatTime":"\d[\dT:.+Z-]+",/g,
  Lease: /,"renewTime":"\d[\dT:.+Z-]+"/g,
};

/** Whether objects of a kind can have heartbeats. */
export const hasHeartbeats = (kind: string): boolean => HEARTBEATS[kind] !== undefined;

/**
 * The part of an object's canonical JSON that makes it another version: all but the heartbeats of nodes and leases, which change every
 * few seconds or minutes and say nothing else. An object is stored with the heartbeats that it had when the rest changed.
 */
export function versionText(kind: string, content: string): string {
  const heartbeats = HEARTBEATS[kind];
  return heartbeats === undefined ? content : content.replaceAll(heartbeats, '');
}
