import type { ChosenProfile } from './chosen-profile.js';

/** The profile that an answer is by. */
export interface SchedulerResponse {
  /** That is asked for. */
  readonly schedulerName: string;
  readonly profile: string;
  readonly source: string;
  readonly outOfTreePlugins: readonly string[];
  /** Set where no profile is that of the scheduler. */
  readonly note: string | null;
}

/** @param whose the pods that the answer is about, as the note names them */
export function schedulerResponse(
  { plugins, schedulerName, source, isServed }: ChosenProfile,
  whose: 'this pod' | 'its pods',
): SchedulerResponse {
  const note = `No profile of the ${source} configuration is called ${schedulerName}: nobody schedules ${whose}. The answer is what the default profile would say.`;
  return {
    schedulerName,
    profile: plugins.schedulerName,
    source,
    outOfTreePlugins: plugins.outOfTree.map(({ name }) => name),
    note: isServed ? null : note,
  };
}

/** The same; null where nothing is known of the cluster's scheduler, and nothing was given: the default profile. */
export const knownSchedulerResponse = (
  chosen: ChosenProfile,
  whose: 'this pod' | 'its pods',
): SchedulerResponse | null => (chosen.source === 'default' ? null : schedulerResponse(chosen, whose));
