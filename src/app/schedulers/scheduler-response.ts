import type { ChosenProfile } from './chosen-profile.js';

/** The profile that a response is based on. */
export interface SchedulerResponse {
  /** The requested scheduler. */
  readonly schedulerName: string;
  readonly profile: string;
  readonly source: ChosenProfile['source'];
  readonly outOfTreePlugins: readonly string[];
  /** Set if no profile matches the scheduler. */
  readonly note: string | null;
}

/** @param whose the pods of the response, as the note refers to them */
export function schedulerResponse(
  { plugins, schedulerName, source, isServed }: ChosenProfile,
  whose: 'this pod' | 'its pods',
): SchedulerResponse {
  const note = `No profile of the ${source} configuration is named ${schedulerName}, so nothing schedules ${whose}. The response uses the default profile.`;
  return {
    schedulerName,
    profile: plugins.schedulerName,
    source,
    outOfTreePlugins: plugins.outOfTree.map(({ name }) => name),
    note: isServed ? null : note,
  };
}

/** Like `schedulerResponse`, but null for the default configuration. */
export const knownSchedulerResponse = (
  chosen: ChosenProfile,
  whose: 'this pod' | 'its pods',
): SchedulerResponse | null => (chosen.source === 'default' ? null : schedulerResponse(chosen, whose));
