import type { Labels } from '../../kubernetes/objects/meta.js';
import type { WholeContainer, WholeEphemeralContainer, WholePodSpec } from '../../kubernetes/objects/whole-pod.js';
import type { Level } from './level.js';

/** What the checks read of a pod or a pod template; of the spec, all of it. */
export interface SecuredPod {
  readonly metadata?: { readonly annotations?: Labels };
  readonly spec: WholePodSpec;
}

/** What a check finds fault with: in short, and with what exactly is wrong. */
export interface Violation {
  readonly reason: string;
  readonly detail: string;
}

/** @returns undefined for a pod that passes */
export type CheckPod = (pod: SecuredPod) => Violation | undefined;

/** One matter that a standard looks into, as its versions have it. */
export interface Check {
  readonly id: string;
  readonly level: Exclude<Level, 'privileged'>;
  /** From the oldest to the newest; each holds from its minor version on. */
  readonly versions: readonly {
    readonly since: number;
    readonly check: CheckPod;
    /** Checks of `baseline` that are left out where this one is made. */
    readonly overrides?: readonly string[];
  }[];
}

/** Every container of a pod: init containers first, ephemeral ones last. */
export const containersOf = ({
  initContainers = [],
  containers,
  ephemeralContainers = [],
}: WholePodSpec): readonly (WholeContainer | WholeEphemeralContainer)[] => [
  ...initContainers,
  ...containers,
  ...ephemeralContainers,
];

/** The names of the containers of which something holds. */
export const containersWhere = (
  { spec }: SecuredPod,
  holds: (container: WholeContainer | WholeEphemeralContainer) => boolean,
): readonly string[] =>
  containersOf(spec)
    .filter(holds)
    .map(({ name = '' }) => name);

/** A pod in a user namespace of its own; newer versions demand less of it. */
export const isInUserNamespace = ({ spec }: SecuredPod): boolean => spec.hostUsers === false;

export const isWindows = ({ spec }: SecuredPod): boolean => spec.os?.name === 'windows';
