import type { PolicyVersion } from './policy-version.js';

/** The pod security standards, each stricter than the one before. */
export const LEVELS = ['privileged', 'baseline', 'restricted'] as const;

export type Level = (typeof LEVELS)[number];

/** A standard as it is in one version. */
export interface LevelVersion {
  readonly level: Level;
  readonly version: PolicyVersion;
}

/** @returns undefined for a text that names no level */
export const parseLevel = (text: string): Level | undefined => LEVELS.find((level) => level === text);

/** Whether the first level is stricter than the second. */
export const isStricter = (a: Level, b: Level): boolean => LEVELS.indexOf(a) > LEVELS.indexOf(b);

/** As messages and annotations write it: `restricted:v1.25`. */
export const levelText = ({ level, version }: LevelVersion): string => `${level}:${version}`;

export const isSame = (a: LevelVersion, b: LevelVersion): boolean => levelText(a) === levelText(b);

/** Whether both demand the same; versions of `privileged` do not differ. */
export const isEquivalent = (a: LevelVersion, b: LevelVersion): boolean =>
  (a.level === 'privileged' && b.level === 'privileged') || isSame(a, b);
