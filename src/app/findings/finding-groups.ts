import type { findingGroup } from '../../contract/findings/finding.js';
import type { Response } from '../../contract/schema.js';
import { type AlikeGroup, AlikeGroups, stepParts } from '../../core/collections/alike-groups.js';
import { SEVERITIES, type Finding } from '../../core/findings/finding.js';
import { mapInSlices } from '../states/map-in-slices.js';
import { runSteps } from '../states/run-steps.js';
import type { TimeSlices } from '../states/time-slices.js';
import { findingResponse } from './finding-response.js';

export type FindingGroup = Response<typeof findingGroup>;

/** In what findings of one group may differ: whom they are about, and where. */
const FINDINGS_ALIKE = {
  identity: ['subject'],
  varying: ['field', 'pointer', 'budgets', 'occurrences.count', 'occurrences.examples'],
};

/** Errors first, then most findings first. */
export async function groupFindings(findings: readonly Finding[], slices: TimeSlices): Promise<readonly AlikeGroup[]> {
  const alike = new AlikeGroups(FINDINGS_ALIKE);
  await mapInSlices(findings, slices, (finding) => alike.add(findingResponse(finding)));
  const rankOf = ({ shared }: AlikeGroup): number => SEVERITIES.indexOf((shared as FindingGroup).severity);
  const groups = await runSteps(alike.stepGroups(), slices);
  return groups.toSorted((a, b) => rankOf(a) - rankOf(b) || b.members.length - a.members.length);
}

/** @param findings those of which the group's members are positions */
export function* stepFindingGroupResponse(
  group: AlikeGroup,
  findings: readonly Finding[],
): Generator<undefined, FindingGroup> {
  const { parts, columns } = yield* stepParts(group, (member) => {
    const { kind, namespace = null } = findings[member]!.subject;
    return JSON.stringify([kind, namespace]);
  });
  return {
    ...(group.shared as Omit<FindingGroup, 'count' | 'objectCount' | 'subjects' | 'columns'>),
    count: group.members.length,
    objectCount: group.members.reduce((sum, member) => sum + (findings[member]!.occurrences?.count ?? 1), 0),
    subjects: parts.map((places) => {
      const members = places.map((place) => group.members[place]!);
      const { kind, namespace = null } = findings[members[0]!]!.subject;
      const names = members.flatMap((member) => findings[member]!.subject.name ?? []);
      return { kind, namespace, count: members.length, names };
    }),
    columns,
  };
}
